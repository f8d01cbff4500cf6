package optimize

import (
	"math"

	"revopt/model"
)

// polish sharpens the best admission. The value V(t) of the relaxed problem
// with T0 fixed has slope y - sum_s dloss/dt, by the envelope theorem, where y
// is the multiplier of the constraint on T0; polish follows it to its root.
// Only better admissions are taken, so the proof is untouched.
func (s *search) polish() {
	if s.best <= 0 || s.ctx.Err() != nil {
		return
	}
	defer func() {
		s.best = snap(s.p.hol, s.admit) / s.p.money
		s.polished = s.best
	}()
	if !s.p.ordered {
		s.climb()
	}
	if s.p.onWait {
		return
	}
	points := s.p.breakpoints()
	root := s.p.root()
	s.relax.tol, s.relax.wider = 1e-13, 0
	defer func() { s.relax.tol, s.relax.wider = 1e-11, narrow }()
	slope := func(t float64) float64 { return s.valueSlope(t, s.fix(root, t)) }
	t := s.bestT
	if !s.p.ordered {
		t = s.p.kappaAt(s.admit)
		for _, x := range points {
			if math.Abs(x-t) < 1e-4*x {
				slope(x) // a local solve ends near a kink, but not at it
			}
		}
		t = s.bestT
	}
	lo, hi := neighbors(points, t)
	at := slope(t)
	if at == 0 || t == lo || t == hi && at > 0 {
		return
	}
	step := 1e-4 * t
	for range 60 {
		if s.ctx.Err() != nil {
			return
		}
		next := t + math.Copysign(step, at)
		if next <= lo || next >= hi {
			next = max(lo*(1+1e-12), min(hi, next))
		}
		after := slope(next)
		if after*at <= 0 {
			s.bisect(slope, t, next, at, after)
			return
		}
		if next == hi || next <= lo*(1+1e-12) {
			return
		}
		t, at = next, after
		step *= 4
	}
}

// fix solves the problem with T0 fixed to t and returns the multiplier of that
// constraint. If the loss is not convex, tangents at the last solution replace its
// descending terms until the solution no longer moves.
func (s *search) fix(root *node, t float64) (y float64) {
	if s.p.ordered {
		return s.fixed(root, t, nil)
	}
	tangents := s.sigma()
	for range 30 {
		if s.ctx.Err() != nil {
			break
		}
		y = s.fixed(root, t, tangents)
		moved := 0.0
		for k, x := range s.relax.sigma {
			x = min(x, 1-margin)
			moved = max(moved, math.Abs(x-tangents[k]))
			tangents[k] = x
		}
		if moved < 1e-11 {
			break
		}
	}
	return y
}

// fixed solves the problem at t with tangents, considers the solution and
// returns the multiplier of the constraint on T0.
func (s *search) fixed(root *node, t float64, tangents []float64) (y float64) {
	m := newMultipliers(len(s.p.beta))
	for k, tau := range s.p.tauT {
		if t > tau {
			m.theta[k] = 1
		}
	}
	s.relax.solve(root, m, t, tangents)
	s.considerSolution()
	return s.relax.chain.multiplier()
}

// sigma returns the cumulated utilizations of the best admission.
func (s *search) sigma() []float64 {
	x := make([]float64, len(s.p.beta))
	sum := 0.0
	for k := len(x) - 1; k >= 0; k-- {
		sum += s.p.beta[k] * s.admit[s.p.classes[k]]
		x[k] = min(sum, 1-margin)
	}
	return x
}

// climb sharpens the best admission by local solves, because graces put kinks in the way
// of polish.
func (s *search) climb() {
	local := newLocal(s.ctx, s.p.hol)
	local.solve(s.trial, s.admit)
	s.consider()
	copy(s.trial, s.admit)
	local.refiner.climb(s.trial)
	s.consider()
}

// snap rounds probabilities close to 0 or 1, one after the other, if the admission earns
// as much, and returns the revenue.
func snap(hol *model.HOL, q []float64) float64 {
	r := hol.Revenue(q)
	for i, old := range q {
		if old > 1e-5 && old < 1-1e-5 {
			continue
		}
		q[i] = math.Round(old)
		// A trillionth is rounding, not a loss.
		if moved := hol.Revenue(q); moved >= r-1e-12*math.Abs(r) && hol.Utilization(q) <= 1-margin {
			r = moved
		} else {
			q[i] = old
		}
	}
	return r
}

// bisect finds a root of slope between a and b by the Illinois variant of
// false position, which keeps the bracket.
func (s *search) bisect(slope func(float64) float64, a, b, fa, fb float64) {
	for range 40 {
		if s.ctx.Err() != nil || math.Abs(b-a) <= 1e-10*math.Abs(b) || fa == fb {
			return
		}
		c := b - fb*(b-a)/(fb-fa)
		if !(c > min(a, b) && c < max(a, b)) {
			c = (a + b) / 2
		}
		fc := slope(c)
		if fc*fb <= 0 {
			a, fa = b, fb
		} else {
			fa /= 2
		}
		b, fb = c, fc
		if fc == 0 {
			return
		}
	}
}

// valueSlope returns dV/dt at the last solution: the multiplier y of the
// constraint on T0 less the loss per unit of t of the classes that are late.
func (s *search) valueSlope(t, y float64) float64 {
	sigma, p := s.relax.sigma, s.p
	slope := y
	for k, x := range sigma {
		above := 0.0
		if k+1 < len(sigma) {
			above = sigma[k+1]
		}
		if t > p.tauT[k] {
			slope -= p.omega[k] * (x - above) / ((1 - x) * (1 - above))
		}
	}
	return slope
}

func neighbors(points []float64, t float64) (lo, hi float64) {
	lo, hi = points[0], points[len(points)-1]
	for _, x := range points {
		if x < t && x > lo {
			lo = x
		}
		if x > t && x < hi {
			hi = x
		}
	}
	return lo, hi
}
