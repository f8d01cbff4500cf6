package bound

import (
	"context"
	"math"
	"sort"
)

// Prices are prices of the machine's time, in $ per node-second. In cell k,
// from Times[k] to Times[k+1], the price is
//
//	pi(t) = Level[k] + Slope[k] (t - middle of the cell)
//
// and it is 0 outside of all cells.
type Prices struct {
	Times []float64 // s, rising
	Level []float64 // one fewer than Times
	Slope []float64 // $ per node-second and second; nil where prices are constant in every cell
}

// At returns the price at time t.
func (p *Prices) At(t float64) float64 {
	k := sort.SearchFloat64s(p.Times, t) - 1
	if k < 0 && len(p.Times) > 0 && t == p.Times[0] {
		k = 0
	}
	if k < 0 || k >= len(p.Level) {
		return 0
	}
	start, _ := p.ends(k)
	if p.Slope == nil {
		return start
	}
	return start + p.Slope[k]*(t-p.Times[k])
}

// ends returns the prices at the start and the end of cell k.
func (p *Prices) ends(k int) (start, end float64) {
	if p.Slope == nil {
		return p.Level[k], p.Level[k]
	}
	half := p.Slope[k] * (p.Times[k+1] - p.Times[k]) / 2
	return p.Level[k] - half, p.Level[k] + half
}

// validate returns an error where the numbers are no prices: cells that do not follow one another,
// or a price below 0 at any time.
func (p *Prices) validate() error {
	n := len(p.Level)
	if len(p.Times) != n+1 && (n > 0 || len(p.Times) > 0) || p.Slope != nil && len(p.Slope) != n {
		return invalid("prices", "numbers of times, levels and slopes", [3]int{len(p.Times), n, len(p.Slope)})
	}
	for k := range p.Level {
		start, end := p.ends(k)
		if !(p.Times[k] < p.Times[k+1]) || !(start >= 0) || !(end >= 0) || math.IsInf(start+end, 1) {
			return invalidAt("cell of prices", k, "times and prices",
				[4]float64{p.Times[k], p.Times[k+1], start, end})
		}
	}
	return nil
}

// Bound returns the bound that the prices prove on what any policy earns by the
// jobs on the machine. Any prices will do; good ones make it small. With
// lambda_j >= 0 the value of a job's work at the margin, chosen for each job to
// make the bound small, it is
//
//	integral capacity(t) pi(t) dt
//	+ sum_j { Free_j + sum_l work_l (value_l - lambda_j)^+
//	          + rate_j integral (lambda_j - g_j(t) - pi(t))^+ dt }
//
// over the windows of the jobs and the layers l of V_j.
//
// Proof (weak duality). A relaxed schedule x with work y_l on the layers earns
//
//	sum_l value_l y_l - integral g_j x_j dt
//	  = sum_l (value_l - lambda_j) y_l + integral (lambda_j - g_j - pi) x_j dt + integral pi x_j dt
//
// by a job, as sum_l y_l = integral x_j dt. With 0 <= y_l <= work_l and
// 0 <= x_j <= rate_j the first two terms are at most their positive parts in
// the bound. The last, summed over the jobs, is at most integral capacity pi
// dt, since sum_j x_j <= capacity and pi >= 0.
//
// Where ctx ends before, Bound returns its error at once.
func (p *Prices) Bound(ctx context.Context, jobs []Job, m Machine) (float64, error) {
	if err := check(jobs, m); err != nil {
		return 0, err
	}
	if err := p.validate(); err != nil {
		return 0, err
	}
	items, free := newItems(jobs, m)
	return free + p.bound(ctx, items, m), ctx.Err()
}

// bound is Bound for items: +Inf, which is a bound too, where ctx has ended.
func (p *Prices) bound(ctx context.Context, items []item, m Machine) float64 {
	sum := p.all(m)
	var w window
	for i := range items {
		if ctx.Err() != nil {
			return math.Inf(1)
		}
		w.read(p, &items[i])
		sum += w.least(&items[i])
	}
	return sum
}

// all returns the price of all of the machine's time.
func (p *Prices) all(m Machine) float64 {
	var sum float64
	if m.Up == nil {
		for k, level := range p.Level {
			sum += level * (p.Times[k+1] - p.Times[k])
		}
		return sum * m.Capacity
	}
	for k, level := range p.Level {
		m.cuts(p.Times[k], p.Times[k+1], func(a, b, capacity float64) {
			at := level
			if p.Slope != nil {
				at += p.Slope[k] * ((a+b)/2 - (p.Times[k]+p.Times[k+1])/2)
			}
			sum += capacity * (b - a) * at
		})
	}
	return sum
}

// window is what work costs an item, price and loss, within its window.
type window struct {
	pieces []piece
	whole  bool // costs above the item's best value matter as well
}

// piece is a stretch of time on which the cost is linear.
type piece struct {
	start, end float64 // cost, $ per node-second
	length     float64 // s
	cell       int     // of the prices, -1 outside of them
}

// read notes the costs of an item's window. Costs above the item's best value
// are left out, where they do not matter.
func (w *window) read(p *Prices, it *item) {
	w.pieces = w.pieces[:0]
	at := it.release
	k := max(sort.SearchFloat64s(p.Times, at)-1, 0)
	if len(p.Level) > 0 && at < p.Times[0] {
		w.add(it, at, min(it.end, p.Times[0]), 0, 0, -1)
		at = p.Times[0]
	}
	for ; k < len(p.Level) && at < it.end; k++ {
		if p.Times[k+1] <= at {
			continue
		}
		end := min(p.Times[k+1], it.end)
		start, slope := p.Level[k], 0.0
		if p.Slope != nil {
			slope = p.Slope[k]
			start += slope * (at - (p.Times[k]+p.Times[k+1])/2)
		}
		w.add(it, at, end, start, slope, k)
		at = end
	}
	if at < it.end {
		w.add(it, at, it.end, 0, 0, -1)
	}
}

// add notes a stretch of time from a to b, in a cell, whose price starts at the
// given value.
func (w *window) add(it *item, a, b, price, slope float64, cell int) {
	top := it.layers[0].value
	it.cuts(a, b, func(s, e float64) {
		c := piece{
			start:  it.loss(s) + price + slope*(s-a),
			end:    it.loss(e) + price + slope*(e-a),
			length: e - s,
			cell:   cell,
		}
		if w.whole || c.start < top || c.end < top {
			w.pieces = append(w.pieces, c)
		}
	})
}

// least returns the part of an item in the bound, with the best lambda. The
// part is convex in lambda, its slope rises from -sum of works to 0 or more at
// the best value, so the slope's change of sign is bisected; whatever is found
// is valid.
func (w *window) least(it *item) float64 {
	lo, hi := 0.0, it.layers[0].value
	atLo, slope := w.part(it, lo)
	if slope >= 0 {
		return atLo
	}
	atHi, _ := w.part(it, hi)
	for range 50 {
		mid := (lo + hi) / 2
		value, slope := w.part(it, mid)
		if slope < 0 {
			lo, atLo = mid, value
		} else {
			hi, atHi = mid, value
		}
	}
	return min(atLo, atHi)
}

// part returns the part of an item in the bound and its slope in lambda.
func (w *window) part(it *item, lambda float64) (value, slope float64) {
	return w.earned(it.rate, layer{}, it.layers, lambda)
}

// earned returns what work at a rate earns at some lambda, and the slope of that: some of it
// must be done, and more is done in layers that are worth it.
func (w *window) earned(rate float64, must layer, more []layer, lambda float64) (value, slope float64) {
	var seconds float64
	for i := range w.pieces {
		t, area := w.pieces[i].under(lambda)
		seconds += t
		value += area
	}
	value = value*rate + must.work*(must.value-lambda)
	slope = seconds*rate - must.work
	for _, l := range more {
		if l.value > lambda {
			value += l.work * (l.value - lambda)
			slope -= l.work
		}
	}
	return value, slope
}

// under returns for how long the cost is below lambda, and the integral of how
// far it is.
func (c *piece) under(lambda float64) (seconds, area float64) {
	a, b := lambda-c.start, lambda-c.end
	switch {
	case a >= 0 && b >= 0:
		return c.length, (a + b) / 2 * c.length
	case a > 0:
		s := a / (a - b) * c.length
		return s, a / 2 * s
	case b > 0:
		s := b / (b - a) * c.length
		return s, b / 2 * s
	}
	return 0, 0
}
