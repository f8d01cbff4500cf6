package policy

import "revopt/simulate"

// outages keeps the outages of a cluster in availability profiles, as if jobs ran on these
// units. A job may start if the profile has room for it until its expected end: it may use
// units up to the time at which they go down. Only runs with outages pay for it.
type outages struct {
	noted int // of those that are known, how many are in the profiles
}

// note puts the outages that have become known into profiles whose present is now, and
// reports whether there were any.
func (o *outages) note(c machine, in ...*profile) bool {
	fresh := c.Outages()[o.noted:]
	for _, d := range fresh {
		for _, p := range in {
			p.reserve(d.From, d.To, d.Units)
		}
	}
	o.noted += len(fresh)
	return len(fresh) > 0
}

// outlook returns the profile of one decision without the jobs, for a policy that has none;
// nil if no outages are in progress or known to come.
func outlook(c *simulate.Cluster) *profile {
	if !c.Ahead() {
		return nil
	}
	p := new(profile)
	p.reset(c.Now(), c.Processors())
	new(outages).note(c, p)
	return p
}
