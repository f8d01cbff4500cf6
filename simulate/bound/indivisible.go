package bound

import (
	"context"
	"math"
)

// Indivisible returns a bound on what any scheduler earns that knows the future,
// free to preempt, move and split jobs, which takes into account that the first
// part of a job pays only as a whole. It is never above from, the clairvoyant
// bound of the same jobs, and starts from its prices.
//
// Clairvoyant pays a job pro rata: a tenth of its work, done at full rate in a
// tenth of its window, earns a tenth of its value. Of jobs without slack, one
// inside the other, it so takes a piece of each, where a scheduler can serve only
// one. Here a share z_j of a job takes at most z_j rate_j at any time:
//
//	maximize    sum_j z_j value_j + V_j(y_j) - integral g_j(t) x_j(t) dt
//	subject to  0 <= x_j(t) <= z_j rate_j,  0 <= z_j <= 1
//	            integral x_j(t) dt = z_j must_j + y_j,  sum_j x_j(t) <= capacity
//
// where V_j(y) is what the parts after the first pay for y node-seconds.
//
// Proof. A real schedule serves the first part of a job, z_j = 1, or earns
// nothing by it, z_j = 0, and is as in the proof of Clairvoyant otherwise. With
// prices pi >= 0 and, for each job, any lambda, the relaxed problem is at most
//
//	capacity integral pi dt + sum_j { Free_j + ( value_j - lambda must_j
//	  + sum_l work_l (value_l - lambda)^+ + rate_j integral (lambda - g_j - pi)^+ dt )^+ },
//
// because what stands in the outer bracket is linear in z_j and at least what a
// job earns at z_j = 1 beyond the prices. Tasks of a job that are paid one by one
// (Loose) are as many jobs that are alike, so that the same holds with the rate of
// all of them together.
func Indivisible(ctx context.Context, jobs []Job, m Machine, from Result) (Result, error) {
	if err := check(jobs, m); err != nil {
		return Result{}, err
	}
	items, free := newItems(jobs, m)
	p := from.Prices
	if len(items) == 0 || len(p.Level) == 0 {
		return from, nil
	}
	r := &indivisible{ctx: ctx, items: items, grid: p.Times, lambda: make([]float64, len(items))}
	supply := make([]float64, len(p.Level))
	for k := range supply {
		supply[k] = m.supply(p.Times[k], p.Times[k+1])
	}
	top := 0.0
	for i := range items {
		top = math.Max(top, items[i].layers[0].value)
	}
	level, bound := descent(ctx, r, supply, forbid(supply, p.Level, top), mostRounds, 12+1000/len(items))
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	bound += free
	if bound < from.Bound {
		from.Bound, from.Prices = bound, Prices{Times: p.Times, Level: level}
	}
	return from, nil
}

// indivisible are items whose first part is whole or nothing.
type indivisible struct {
	ctx    context.Context
	items  []item
	grid   []float64
	lambda []float64 // of the last round
	w      window
}

// take implements response.
func (r *indivisible) take(level, used []float64) float64 {
	p := Prices{Times: r.grid, Level: level}
	r.w.whole = true
	var earned float64
	for j := range r.items {
		if j%64 == 0 && r.ctx.Err() != nil {
			return 0
		}
		it := &r.items[j]
		r.w.read(&p, it)
		earned += r.serve(it, &r.lambda[j], used)
	}
	return earned
}

// serve returns what an item earns beyond prices, with the lambda that makes that
// least, and adds what it takes.
func (r *indivisible) serve(it *item, lambda *float64, used []float64) float64 {
	var top, lo, hi float64
	for _, c := range r.w.pieces {
		top = math.Max(top, math.Max(c.start, c.end))
	}
	hi = top*(1+hair) + it.must.value*hair
	atLo, below := r.part(it, lo)
	atHi, above := atLo, below
	if below >= 0 { // enough of its window is free
		hi = lo
	} else {
		atHi, above = r.part(it, hi)
	}
	at := *lambda
	for n := 0; n < 40 && hi-lo > 1e-6*hi; n++ {
		if !(at > lo && at < hi) || n > 2 {
			at = (lo + hi) / 2
		}
		value, slope := r.part(it, at)
		if slope < 0 {
			lo, atLo, below = at, value, slope
			at *= 1.001
		} else {
			hi, atHi, above = at, value, slope
			at /= 1.001
		}
		if math.Min(atLo, atHi) <= 0 {
			break
		}
	}
	*lambda = hi
	least := math.Min(atLo, atHi)
	if least <= 0 {
		return 0
	}
	share := 1.0 // of what it takes at hi
	if above > 0 && below < 0 {
		share = below / (below - above)
	}
	r.add(it, hi, share, used)
	r.add(it, lo, 1-share, used)
	return least
}

// part returns what an item earns at some lambda, and the slope of that.
func (r *indivisible) part(it *item, lambda float64) (value, slope float64) {
	return r.w.earned(it.full, it.must, it.more, lambda)
}

// add notes a share of what an item takes at some lambda.
func (r *indivisible) add(it *item, lambda, share float64, used []float64) {
	for i := range r.w.pieces {
		if c := &r.w.pieces[i]; c.cell >= 0 {
			s, _ := c.under(lambda)
			used[c.cell] += share * s * it.full
		}
	}
}
