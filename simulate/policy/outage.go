package policy

import (
	"math"

	"revopt/simulate"
)

// Outages keeps the outages of a cluster in availability profiles, as if jobs ran on these
// units. A job may start if the profile has room for it until its expected end: it may use
// units up to the time at which they go down. Only runs with outages pay for it.
type Outages struct {
	noted int // of those that are known, how many are in the profiles
}

// Note puts the outages that have become known into profiles whose present is now, and
// reports whether there were any.
func (o *Outages) Note(c *simulate.Cluster, in ...*Profile) bool {
	fresh := c.Outages()[o.noted:]
	for _, d := range fresh {
		for _, p := range in {
			p.Reserve(d.From, d.To, d.Units)
		}
	}
	o.noted += len(fresh)
	return len(fresh) > 0
}

// next returns when the next known outage begins, +Inf if none does.
func (o *Outages) next(c *simulate.Cluster) float64 {
	at := math.Inf(1)
	if !c.Ahead() {
		return at
	}
	for _, d := range c.Outages() {
		if Before(c.Now(), d.From) {
			at = min(at, d.From)
		}
	}
	return at
}

// Outlook returns the profile of one decision without the jobs, for a policy that has none;
// nil if no outages are in progress or known to come.
func Outlook(c *simulate.Cluster) *Profile {
	if !c.Ahead() {
		return nil
	}
	p := new(Profile)
	p.reset(c.Now(), c.Processors())
	new(Outages).Note(c, p)
	return p
}
