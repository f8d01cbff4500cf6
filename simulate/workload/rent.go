package workload

import (
	"revopt/model"
	"revopt/simulate"
)

// WithRent returns the workload on a machine beside which units can be rented. Pools have
// rents of their own.
func (w *Classes) WithRent(r *model.Rent) *Classes {
	c := *w
	c.rent = (*simulate.Rent)(r)
	return &c
}

// rent returns terms that are as good as those of every pool of a part: the lowest price and
// times, and all units together; nil if none of them rents.
func (p *Pools) rent(in []bool) *simulate.Rent {
	var best *simulate.Rent
	for i, pool := range p.List {
		r := pool.Rent
		switch {
		case !in[i] || r == nil:
		case best == nil:
			all := simulate.Rent(*r)
			best = &all
		default:
			best.Limit += r.Limit
			if r.Limit == 0 || best.Limit == r.Limit {
				best.Limit = 0
			}
			best.Price = min(best.Price, r.Price)
			best.Startup = min(best.Startup, r.Startup)
			best.Minimum = min(best.Minimum, r.Minimum)
		}
	}
	return best
}
