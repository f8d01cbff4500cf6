package optimize

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"revopt/model"
)

// Externalities returns, for each class, the cost in dollars that one more admitted job
// imposes on all jobs at an optimum r of sys: by the delay that it causes, and by the
// work that it displaces if the server is full. If the price of a class is free to
// move, its marginal revenue equals this cost, which on a kink of the delay loss lies
// between the slopes of the two sides.
func Externalities(sys model.System, r Result) ([]float64, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return nil, err
	}
	costs, _ := newStationarity(hol, r.Admit).costs(r.Admit)
	return costs, nil
}

// costs returns the externalities at q, and whether q is stationary.
func (v *stationarity) costs(q []float64) (costs []float64, ok bool) {
	ok = v.solve(q)
	if !ok { // degenerate; a class inside has gradient 0 all the same
		v.hol.MarginalValues(v.gradient, q)
		for _, i := range v.inside {
			v.gradient[i] = 0
		}
	}
	return floats.SubTo(make([]float64, len(q)), v.pays, v.gradient), ok
}

// stationary moves prices to where marginal revenue equals the externality up to
// rounding, by the Gauss-Newton method in the logarithms of the rates. A revenue proven
// to a billionth determines prices only to the square root of that. A step that earns
// less is not taken.
func stationary(hol *model.HOL, q []float64) {
	v := newStationarity(hol, q)
	if len(v.tight) > 0 {
		// On a kink use the side without loss; the multiplier accounts for the rest.
		sys := hol.System()
		sys.Classes = slices.Clone(sys.Classes)
		for i := range sys.Classes {
			if c := &sys.Classes[i]; slices.Contains(v.grace, c.MeanGrace()) {
				c.Deadline, c.Grace = model.Grace{}, model.Grace{Fixed: 2 * c.MeanGrace()}
			}
		}
		early, err := model.NewHOL(sys)
		if err != nil {
			return
		}
		v.hol = early
	}
	trial := slices.Clone(q)
	v.solve(q)
	moved := len(v.inside) > 0
	for round := 0; moved && v.apart != nil && round < 50; round++ {
		now := v.apart
		a := mat.NewDense(len(now), len(v.inside), nil)
		for col, j := range v.inside {
			const step = 1e-6 // down, where the queue stays stable
			copy(trial, q)
			trial[j] *= 1 - step
			if v.solve(trial); v.apart == nil {
				return
			}
			for row, x := range now {
				a.Set(row, col, (x-v.apart[row])/step)
			}
		}
		var x mat.VecDense
		if err := x.SolveVec(a, mat.NewVecDense(len(now), now)); err != nil {
			return
		}
		moved = false
		for damp := 1.0; damp > 1e-3 && !moved; damp /= 4 {
			copy(trial, q)
			for col, i := range v.inside {
				trial[i] = min(1, q[i]*math.Exp(-damp*max(-1, min(1, x.AtVec(col)))))
			}
			v.solve(trial)
			closer := v.apart != nil && floats.Norm(v.apart, math.Inf(1)) < floats.Norm(now, math.Inf(1))
			if closer && hol.Revenue(trial) >= hol.Revenue(q)*(1-1e-13) {
				copy(q, trial)
				moved = true
			}
		}
	}
}
