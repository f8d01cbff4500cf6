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

// bound returns the bound that the prices prove on what any policy earns by the items on the machine, +Inf where ctx has
// ended. Any prices will do; good ones make it small. With lambda_j >= 0 the value of an item's work at the margin, chosen
// for each item to make the bound small, it is
//
//	integral capacity(t) pi(t) dt
//	+ sum_j { sum_l work_l (value_l - lambda_j)^+ + rate_j integral (lambda_j - g_j(t) - pi(t))^+ dt }
//
// over the windows of the items and the layers l of V_j.
//
// Proof (weak duality). A relaxed schedule x with work y_l on the layers earns
//
//	sum_l value_l y_l - integral g_j x_j dt
//	  = sum_l (value_l - lambda_j) y_l + integral (lambda_j - g_j - pi) x_j dt + integral pi x_j dt
//
// by an item, as sum_l y_l = integral x_j dt. With 0 <= y_l <= work_l and
// 0 <= x_j <= rate_j the first two terms are at most their positive parts in
// the bound. The last, summed over the items, is at most integral capacity pi
// dt, since sum_j x_j <= capacity and pi >= 0.
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
type window struct{ pieces []piece }

// piece is a stretch of time on which the cost is linear.
type piece struct {
	start, end float64 // cost, $ per node-second
	length     float64 // s
}

// read notes the costs of an item's window. Costs above the item's best value are left out.
func (w *window) read(p *Prices, it *item) {
	w.pieces = w.pieces[:0]
	at := it.release
	k := max(sort.SearchFloat64s(p.Times, at)-1, 0)
	if len(p.Level) > 0 && at < p.Times[0] {
		w.add(it, at, min(it.end, p.Times[0]), 0, 0)
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
		w.add(it, at, end, start, slope)
		at = end
	}
	if at < it.end {
		w.add(it, at, it.end, 0, 0)
	}
}

// add notes a stretch of time from a to b, whose price starts at the given value.
func (w *window) add(it *item, a, b, price, slope float64) {
	top := it.layers[0].value
	it.cuts(a, b, func(s, e float64) {
		c := piece{
			start:  it.loss(s) + price + slope*(s-a),
			end:    it.loss(e) + price + slope*(e-a),
			length: e - s,
		}
		if c.start < top || c.end < top {
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
	var seconds float64
	for i := range w.pieces {
		t, area := w.pieces[i].under(lambda)
		seconds += t
		value += area
	}
	value *= it.rate
	slope = seconds * it.rate
	for _, l := range it.layers {
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
