package metric

import "revopt/simulate"

// Chain sums up the jobs of a run with simulate.Forward by provider: one Tally
// for each site, with its Site set. A job that was forwarded counts as submitted
// to every provider that decided on it, and as rejected by all but the last.
type Chain []*Tally

// Observe implements simulate.Observer.
func (c Chain) Observe(e simulate.Event) {
	if e.Site == nil {
		return
	}
	i := e.Site.Index()
	if e.Kind != simulate.Forwarded {
		c[i].Observe(e)
		return
	}
	e.Kind = simulate.Rejected
	c[i].Observe(e)
	e.Kind, e.Reason = simulate.Submitted, simulate.NoReason
	c[i+1].Observe(e)
}
