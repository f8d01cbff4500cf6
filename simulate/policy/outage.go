package policy

import "revopt/simulate"

// outages keeps the outages of a cluster in availability profiles, as if jobs ran on these
// units. A job may start if the profile has room for it until its expected end: it may use
// units up to the time at which they go down. Only runs with outages pay for it.
type outages struct {
	noted int     // of those that are known, how many are in the profiles
	until float64 // the last end of these
}

// note puts the outages that have become known into profiles whose present is now, and
// reports whether there were any.
func (o *outages) note(c machine, in ...*profile) bool {
	fresh := c.Outages()[o.noted:]
	for _, d := range fresh {
		o.until = max(o.until, d.To)
		for _, p := range in {
			p.reserve(d.From, d.To, d.Units)
		}
	}
	o.noted += len(fresh)
	return len(fresh) > 0
}

// matter reports whether outages are in progress or known to come.
func (o *outages) matter(now float64) bool { return o.until > now }

// guard is the availability profile of a policy that has none, for runs with planned
// outages. Other outages are not known before they begin, so that free processors are all
// that a job needs.
type guard struct {
	outages
	profile profile
}

// watches reports whether there is a profile, and brings it up to date.
func (g *guard) watches(c *simulate.Cluster) bool {
	if known := c.Outages(); len(known) == 0 || !known[0].Planned {
		return false
	}
	g.profile.advance(c.Now(), c.Processors())
	g.note(c, &g.profile)
	return true
}

// admits reports whether a job may start now.
func (g *guard) admits(c *simulate.Cluster, width int, estimate float64) bool {
	return width <= c.Free() && (!g.watches(c) || g.profile.room(width, estimate))
}

// start notes that a job holds processors up to a time, and stop that it does not.
func (g *guard) start(c *simulate.Cluster, j *simulate.Job, end float64) {
	if g.watches(c) {
		g.profile.reserve(c.Now(), end, j.Width)
	}
}

func (g *guard) stop(c *simulate.Cluster, j *simulate.Job, end float64) {
	if g.watches(c) {
		g.profile.release(c.Now(), end, j.Width)
	}
}
