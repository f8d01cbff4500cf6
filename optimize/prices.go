package optimize

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"revopt/model"
)

// Externalities returns what one more admitted job of each class costs all, in
// dollars, at an optimum r of sys: the delay that it causes, and the work that it
// displaces where the server is full. Where the price of a class is chosen, the
// last job that is sold pays just that.
func Externalities(sys model.System, r Result) ([]float64, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return nil, err
	}
	v := newStationarity(hol, r)
	cost := hol.Marginals(make([]float64, hol.Len()), r.Admit)
	before := slices.Clone(v.gradient)
	if !v.solve() {
		v.gradient = before
	}
	for i, g := range v.gradient {
		cost[i] -= g
	}
	return cost, nil
}

// marginal returns the value of one more customer of a class whose price is
// chosen: of a curve with a larger rate at every price. With x = rate/Rate it is
// x (price - slope of the revenue), and 0 where some are turned away.
func marginal(c model.Class, q float64) float64 {
	d, rate := c.Demand, q*c.Rate
	if rate <= d.Kink() || rate == 0 {
		return 0
	}
	value, slope, _ := d.Revenue(rate)
	return rate / d.Rate * (value/rate - slope)
}

// stationary moves prices to where the marginal revenue equals the externality
// to rounding, by Newton's method in the logarithms of the rates. A revenue proven
// to a billionth leaves prices uncertain by the root of that. Nothing is taken that
// earns less. At the edge of stability other slopes count, and prices stay.
func stationary(hol *model.HOL, q []float64) {
	sys := hol.System()
	var inside []int
	for i, c := range sys.Classes {
		switch d := c.Demand; {
		case c.Rate == 0 || !(q[i] > 0 && q[i] < 1):
		case d != nil && math.Abs(q[i]*c.Rate-d.Kink()) > 1e-7*d.Kink(), d == nil && q[i] > free && q[i] < 1-free:
			inside = append(inside, i)
		}
	}
	m, n := len(inside), len(q)
	if m == 0 || hol.Utilization(q) > 1-2*margin {
		return
	}
	at, off, trial := make([]float64, n), make([]float64, n), make([]float64, n)
	apart := func(q []float64) (worst float64) {
		hol.MarginalValues(at, q)
		hol.Marginals(off, q)
		for _, i := range inside {
			worst = max(worst, math.Abs(at[i]/off[i]))
		}
		return worst
	}
	worst := apart(q)
	for moved := true; moved && worst > 1e-14; {
		a, b := mat.NewDense(m, m, nil), mat.NewVecDense(m, nil)
		for col, j := range inside {
			b.SetVec(col, -at[j])
		}
		for col, j := range inside {
			const step = 1e-6
			for _, side := range [2]float64{1, -1} {
				copy(trial, q)
				trial[j] *= 1 + side*step
				hol.MarginalValues(off, trial)
				for row, i := range inside {
					a.Set(row, col, a.At(row, col)+side*off[i]/(2*step))
				}
			}
		}
		var x mat.VecDense
		if err := x.SolveVec(a, b); err != nil {
			return
		}
		moved = false
		for damp := 1.0; damp > 1e-3 && !moved; damp /= 4 {
			copy(trial, q)
			for col, i := range inside {
				trial[i] = min(1, q[i]*math.Exp(damp*max(-1, min(1, x.AtVec(col)))))
			}
			if now := apart(trial); now < worst && hol.Revenue(trial) >= hol.Revenue(q)*(1-1e-13) {
				copy(q, trial)
				worst, moved = now, true
			}
		}
		apart(q)
	}
}
