package optimize

import "math"

// sharpest is the last weight of the barrier.
const sharpest = 1e-8

// barrier returns the weights of the barrier to climb with, in turn.
func (x *exact) barrier(whole bool) []float64 {
	total := 0.0
	for _, b := range x.load {
		total += b
	}
	switch {
	case !(x.bind && len(x.promises) > 0) && total < 0.9:
		return []float64{0}
	case whole:
		return []float64{1e-2, 1e-4, 1e-6, sharpest}
	default:
		return []float64{1e-2}
	}
}

// lagrangian returns the barrier function, revenue + mu sum log slack, -Inf
// outside, and sets x.grad to its derivatives by admitted rates. They are
// those of the Lagrangian: the weight mu/slack of a constraint tends to its
// multiplier.
func (x *exact) lagrangian(q []float64) float64 {
	if x.e.Utilization(q) > 1-margin {
		return math.Inf(-1)
	}
	f := x.e.Gradient(x.grad, q)
	if x.mu == 0 {
		return f
	}
	mu := x.mu * x.scale
	room := 1 - margin - x.e.Utilization(q)
	if room <= 0 {
		return math.Inf(-1)
	}
	f += mu * math.Log(room)
	x.addRoom(mu / room)
	for _, p := range x.promises {
		if !x.counts(p) {
			continue
		}
		slack := x.e.Kept(x.kept, q, p.class, p.within) - p.level
		if slack <= 0 {
			return math.Inf(-1)
		}
		f += mu * math.Log(slack)
		x.addKept(mu / slack)
	}
	return f
}

// counts reports whether a promise binds.
func (x *exact) counts(p promise) bool { return x.bind && !x.closed[p.class] }

// addRoom adds the derivatives of the room left on the server.
func (x *exact) addRoom(weight float64) {
	for i, c := range x.sys.Classes {
		x.grad[i] -= weight * c.Length.Mean() / x.sys.Parallel
	}
}

// addKept adds the derivatives in x.kept.
func (x *exact) addKept(weight float64) {
	for i, d := range x.kept {
		x.grad[i] += weight * d
	}
}

// weights returns the multipliers of the promises and of stability at an
// optimum of the barrier function.
func (x *exact) weights(q []float64) []float64 {
	w := make([]float64, len(x.promises)+1)
	mu := x.mu * x.scale
	if mu == 0 {
		return w
	}
	for k, p := range x.promises {
		if x.counts(p) {
			w[k] = mu / (x.e.Kept(x.kept, q, p.class, p.within) - p.level)
		}
	}
	w[len(x.promises)] = mu / (1 - margin - x.e.Utilization(q))
	return w
}
