package optimize

import (
	"math"

	gopt "gonum.org/v1/gonum/optimize"

	"revopt/model"
)

// exact climbs on the exact revenue of one system. The box 0 <= q <= 1 is
// removed by q = (1 + sin x)/2.
type exact struct {
	e        *model.Exact
	sys      model.System
	n        int
	load     []float64 // beta
	scale    float64   // of revenue
	promises []promise
	solves   int

	closed []bool // classes not to admit
	bind   bool   // the promises count
	mu     float64
	q      []float64
	grad   []float64 // of the barrier function by admitted rates
	kept   []float64
	x      []float64
	loc    gopt.Location
}

func (x *exact) prepare() {
	for _, v := range []*[]float64{&x.q, &x.grad, &x.kept, &x.x, &x.loc.X, &x.loc.Gradient} {
		*v = make([]float64, x.n)
	}
}

// breaks reports whether an admission breaks a promise.
func (x *exact) breaks(q []float64) bool {
	for _, p := range x.promises {
		if q[p.class] > 0 && x.e.Kept(x.kept, q, p.class, p.within) < p.level {
			return true
		}
	}
	return false
}

// climb returns the local optimum above start, roughly or to the end.
func (x *exact) climb(start []float64, whole bool) optimum {
	x.solves++
	copy(x.q, start)
	x.inside(x.q)
	for i, q := range x.q {
		// Off the edges, where the derivative of (1+sin x)/2 vanishes.
		x.x[i] = math.Asin(2*math.Min(0.999, math.Max(0.001, q)) - 1)
	}
	steps := 12
	if whole {
		steps = 150
	}
	best := optimum{q: make([]float64, x.n)}
	for _, mu := range x.barrier(whole) {
		x.mu = mu
		x.descend(steps)
		if mu != sharpest {
			// At the last weight slacks are as small as the error of quick
			// tails, and say nothing about multipliers.
			x.admission(best.q, x.x)
			best.weights = x.weights(best.q)
		}
	}
	if whole {
		x.release(steps)
	}
	x.admission(best.q, x.x)
	x.snap(best.q)
	best.r = x.value(best.q)
	return best
}

// inside scales an admission down until the barrier is finite. That ends,
// because a queue that nobody joins is stable and keeps every promise.
func (x *exact) inside(q []float64) {
	for i := range q {
		if x.closed[i] {
			q[i] = 0
		}
	}
	for x.slack(q) <= 0 {
		for i := range q {
			q[i] *= 0.8
		}
	}
}

// slack returns how far an admission is from the nearest constraint, with some
// room to start from.
func (x *exact) slack(q []float64) float64 {
	least := 0.95 - x.e.Utilization(q)
	if least <= 0 || !x.bind {
		return least
	}
	for _, p := range x.promises {
		if !x.closed[p.class] {
			least = math.Min(least, x.e.Kept(x.kept, q, p.class, p.within)-p.level-0.02*(1-p.level))
		}
	}
	return least
}

// admission sets q from the variables of the search.
func (x *exact) admission(q, at []float64) {
	for i, v := range at {
		if q[i] = (1 + math.Sin(v)) / 2; x.closed[i] || x.load[i] == 0 {
			q[i] = 0
		}
	}
}

// evaluate sets the gradient at x.loc.X and returns the objective to minimise:
// the negative barrier function as a share of the offered revenue.
func (x *exact) evaluate() float64 {
	x.admission(x.q, x.loc.X)
	f := x.lagrangian(x.q)
	if math.IsInf(f, -1) || math.IsNaN(f) {
		return math.Inf(1)
	}
	for i, v := range x.loc.X {
		x.loc.Gradient[i] = -x.grad[i] * x.sys.Classes[i].Rate * math.Cos(v) / 2 / x.scale
		if x.closed[i] {
			x.loc.Gradient[i] = 0
		}
	}
	return -f / x.scale
}

// value returns the revenue of an admission, -Inf where it breaks a
// constraint.
func (x *exact) value(q []float64) float64 {
	f := math.Inf(-1)
	if x.e.Utilization(q) <= 1-margin && !(x.bind && x.breaks(q)) {
		f = x.e.Gradient(x.grad, q)
	}
	return f
}

// descend minimises from x.x, for at most so many steps, and leaves the
// minimum there. It drives gonum's line search method by hand, which costs no
// goroutines.
func (x *exact) descend(steps int) {
	copy(x.loc.X, x.x)
	if x.loc.F = x.evaluate(); math.IsInf(x.loc.F, 1) {
		return
	}
	search := gopt.LinesearchMethod{NextDirectioner: &gopt.BFGS{}, Linesearcher: &gopt.Bisection{CurvatureFactor: 0.5}}
	op, err := search.Init(&x.loc)
	last, stalled := x.loc.F, 0
	for taken, calls := 0, 0; err == nil && taken < steps && calls < 4*steps; calls++ {
		if op == gopt.MajorIteration {
			taken++
			copy(x.x, x.loc.X)
			var norm float64
			for _, g := range x.loc.Gradient {
				norm = math.Max(norm, math.Abs(g))
			}
			// Quick tails are good to 1e-8.
			if stalled++; last-x.loc.F > 1e-9*math.Abs(last) {
				stalled = 0
			}
			last = x.loc.F
			if norm < 1e-7 || stalled == 2 {
				return
			}
		} else {
			x.loc.F = x.evaluate()
		}
		op, err = search.Iterate(&x.loc)
	}
}

// release climbs again where a class sits at an edge of the box, at which the
// derivative by x vanishes, but would earn more off it.
func (x *exact) release(steps int) {
	for range 3 {
		x.admission(x.q, x.x)
		if math.IsInf(x.lagrangian(x.q), -1) {
			return
		}
		moved := false
		for i, c := range x.sys.Classes {
			gain := x.grad[i] * c.Rate / x.scale
			switch {
			case x.closed[i] || c.Rate == 0:
			case x.q[i] < 1e-3 && gain > 1e-6:
				x.x[i], moved = math.Asin(2*0.02-1), true
			case x.q[i] > 1-1e-3 && gain < -1e-6:
				x.x[i], moved = math.Asin(2*0.98-1), true
			}
		}
		if !moved {
			return
		}
		x.admission(x.q, x.x)
		x.inside(x.q)
		for i, q := range x.q {
			x.x[i] = math.Asin(2*q - 1)
		}
		x.descend(steps)
	}
}

// snap moves probabilities near 0 or 1 there where that keeps the constraints
// and loses nothing.
func (x *exact) snap(q []float64) {
	r := x.value(q)
	for i, old := range q {
		if old > 1e-3 && old < 1-1e-3 || x.closed[i] {
			continue
		}
		q[i] = math.Round(old)
		if moved := x.value(q); moved >= r-1e-9*x.scale {
			r = moved
		} else {
			q[i] = old
		}
	}
}
