package policy

import "revopt/simulate"

// NewConservativeDepth returns conservative backfilling with another depth, and
// with lists cut into leaves of four.
func NewConservativeDepth(t Terms, depth int) simulate.Finisher {
	p := NewConservative(t).(*conservative)
	p.depth = depth
	p.profile.crowd, p.running.crowd, p.rest.crowd = 4, 4, 4
	return p
}
