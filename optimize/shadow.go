package optimize

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"revopt/model"
)

// Prices are shadow prices at fixed offered rates: the slopes of the largest
// revenue, for an increase where it has a kink.
type Prices struct {
	Capacity float64   // $/s for one more parallel slot
	Demand   []float64 // $ for one more arriving job of each class
}

// ShadowPrices returns the shadow prices at an optimum r of sys.
//
// They are the multipliers of the optimum's constraints. Where it lies on a
// kink of max(0, delay - grace), or at the edge of stability, that surface
// has a multiplier of its own, which stationarity in the classes admitted in
// part determines. Where it does not, because the optimum is degenerate, the
// price is the difference quotient of the optimum solved again from there.
func ShadowPrices(ctx context.Context, sys model.System, r Result) (Prices, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return Prices{}, err
	}
	var p Prices
	if v := newStationarity(hol, r); v.solve() {
		p = Prices{Capacity: v.capacity, Demand: v.gradient}
	} else if p, err = requote(ctx, sys, r); err != nil {
		return Prices{}, err
	}
	p.Capacity = math.Max(0, p.Capacity)
	for i, c := range sys.Classes {
		if sys.Prices && c.Demand != nil && c.Rate > 0 {
			p.Demand[i] = marginal(c, r.Admit[i])
			continue
		}
		// A class that is not admitted in full turns one more job away, and
		// none is worth more than it pays.
		if c.Rate > 0 && r.Admit[i] <= 1-free {
			p.Demand[i] = 0
		}
		p.Demand[i] = math.Min(c.MeanPrice(), math.Max(0, p.Demand[i]))
	}
	return p, nil
}

// free is how far from 0 and 1 the admission of a class lies that is admitted
// in part.
const free = 1e-7

// stationarity is the gradient of the revenue at an optimum and the active
// surfaces that hold it there.
type stationarity struct {
	gradient []float64 // dR/dlambda, in the end less the surfaces' pull
	capacity float64   // dR/dn, likewise
	surfaces []surface
	inside   []int // classes admitted in part
	scale    []float64
}

// surface is a function of the rates and of n that is 0 at the optimum.
type surface struct {
	gradient []float64
	capacity float64
}

func newStationarity(hol *model.HOL, r Result) *stationarity {
	sys := hol.System()
	n := len(r.Admit)
	v := &stationarity{gradient: make([]float64, n), scale: make([]float64, n)}
	hol.MarginalValues(v.gradient, r.Admit)
	v.capacity = hol.CapacityValue(r.Admit)
	for i, c := range sys.Classes {
		v.scale[i] = c.MeanPrice()
		if q := r.Admit[i]; c.Rate > 0 && q > free && q < 1-free {
			v.inside = append(v.inside, i)
		}
	}
	v.kinks(hol, r)
	if u := hol.Utilization(r.Admit); u > 1-2*margin {
		edge := surface{gradient: make([]float64, n), capacity: -u / sys.Parallel}
		for i, c := range sys.Classes {
			edge.gradient[i] = c.Length.Mean() / sys.Parallel
		}
		v.surfaces = append(v.surfaces, edge)
	}
	return v
}

// kinks appends the surfaces on which a delay that costs equals its grace.
func (v *stationarity) kinks(hol *model.HOL, r Result) {
	sys := hol.System()
	waits := hol.Waits(make([]float64, len(r.Admit)), r.Admit)
	t0 := hol.Residual(r.Admit)
	seen := map[float64]bool{}
	for i, c := range sys.Classes {
		grace := c.MeanGrace()
		if c.MeanDecay() == 0 || grace == 0 || c.Rate*r.Admit[i] == 0 {
			continue
		}
		s := surface{gradient: make([]float64, len(r.Admit))}
		if sys.Residual == model.Printed {
			if seen[grace] || math.Abs(sys.Phi*t0-grace) > 1e-3*grace {
				continue
			}
			seen[grace] = true
			s.capacity = hol.ResidualSlopes(s.gradient, r.Admit)
		} else {
			if math.Abs(sys.Phi*waits[i]-grace) > 1e-3*grace {
				continue
			}
			s.capacity = hol.WaitSlopes(s.gradient, r.Admit, i)
		}
		v.surfaces = append(v.surfaces, s)
	}
}

// solve finds the surfaces' multipliers from stationarity in the classes
// admitted in part, by least squares, and takes their pull off the gradient.
// It reports whether the multipliers are determined and the point is
// stationary with them.
func (v *stationarity) solve() bool {
	if m := len(v.surfaces); m > 0 {
		if len(v.inside) < m {
			return false
		}
		a := mat.NewDense(len(v.inside), m, nil)
		b := mat.NewVecDense(len(v.inside), nil)
		for row, i := range v.inside {
			b.SetVec(row, v.gradient[i]/v.scale[i])
			for col, s := range v.surfaces {
				a.Set(row, col, s.gradient[i]/v.scale[i])
			}
		}
		var y mat.VecDense
		if err := y.SolveVec(a, b); err != nil {
			return false
		}
		for k, s := range v.surfaces {
			for i := range v.gradient {
				v.gradient[i] -= y.AtVec(k) * s.gradient[i]
			}
			v.capacity -= y.AtVec(k) * s.capacity
		}
	}
	for _, i := range v.inside {
		if math.Abs(v.gradient[i]) > 1e-5*v.scale[i] {
			return false
		}
	}
	return true
}

// requote returns shadow prices as difference quotients of the local optimum
// at r.Admit with slightly more of each. Both ends are refined alike, so that
// what the refiner leaves inexact cancels.
func requote(ctx context.Context, sys model.System, r Result) (Prices, error) {
	const step = 1e-4
	q := make([]float64, len(r.Admit))
	revenue := func(changed model.System) (float64, error) {
		hol, err := model.NewHOL(changed)
		if err != nil {
			return 0, err
		}
		copy(q, r.Admit)
		value := newRefiner(ctx, hol).climb(q)
		return value, ctx.Err()
	}
	base, err := revenue(sys)
	if err != nil {
		return Prices{}, err
	}
	p := Prices{Demand: make([]float64, len(r.Admit))}
	larger := sys
	larger.Parallel *= 1 + step
	value, err := revenue(larger)
	if err != nil {
		return Prices{}, err
	}
	p.Capacity = (value - base) / (sys.Parallel * step)
	for i, c := range sys.Classes {
		more := sys
		more.Classes = append([]model.Class(nil), sys.Classes...)
		by := step * math.Max(c.Rate, 0.01*sys.Parallel/c.Length.Mean())
		more.Classes[i].Rate += by
		if value, err = revenue(more); err != nil {
			return Prices{}, err
		}
		p.Demand[i] = (value - base) / by
	}
	return p, nil
}
