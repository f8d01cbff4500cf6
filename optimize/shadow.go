package optimize

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"revopt/model"
)

// Prices are shadow prices at fixed offered rates: the slopes of the largest
// revenue, for an increase where it has a kink.
type Prices struct {
	Capacity float64   // $/s for one more parallel slot
	Last     float64   // $/s for the last parallel slot; Capacity unless one less differs
	Demand   []float64 // $ for one more arriving job of each class
}

// ShadowPrices returns the shadow prices at an optimum r of sys.
//
// They are the multipliers of the optimum's constraints. If the optimum lies on a kink
// of max(0, delay - grace), or at the edge of stability, that surface has a multiplier
// too, which follows from stationarity in the classes admitted in part. While the
// multipliers are determined, one more slot and one less are worth the same. If they are
// not, because the optimum is degenerate, prices are difference quotients of optima, and
// those of the next slot and of the last one may differ.
//
// One more arriving job of a class whose price is chosen raises the demand in proportion
// at every price: it is worth the price less the externality.
func ShadowPrices(ctx context.Context, sys model.System, r Result) (Prices, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return Prices{}, err
	}
	var p Prices
	v := newStationarity(hol, r.Admit)
	costs, ok := v.costs(r.Admit)
	if ok {
		p = Prices{Capacity: v.capacity, Last: v.capacity, Demand: v.gradient}
	} else if p, err = solvedAgain(ctx, sys, r.Admit); err != nil {
		return Prices{}, err
	}
	p.Capacity, p.Last = math.Max(0, p.Capacity), math.Max(0, p.Last)
	for i, c := range sys.Classes {
		if sys.Prices && c.Demand != nil && c.Rate > 0 {
			p.Demand[i] = 0
			if sale := c.Sale(r.Admit[i]); sale.Rate > 0 && sale.Admit > 1-free {
				p.Demand[i] = sale.Rate / c.Demand.Rate * math.Max(0, sale.Price-costs[i])
			}
			continue
		}
		// A class that is not admitted in full refuses one more job, and no job is
		// worth more than it pays.
		if c.Rate > 0 && r.Admit[i] <= 1-free {
			p.Demand[i] = 0
		}
		p.Demand[i] = math.Min(c.MeanPrice(), math.Max(0, p.Demand[i]))
	}
	return p, nil
}

// kinked is the relative difference above which prices for more and for less differ.
const kinked = 0.01

// free is the least distance from 0 and 1 of the probability of a class admitted in part.
const free = 1e-7

// stationarity is the gradient of the revenue at an admission and the active
// surfaces that hold it there.
type stationarity struct {
	hol      *model.HOL
	inside   []int     // classes admitted in part, or at a price that is free to move
	tight    []int     // classes whose delay equals their grace
	grace    []float64 // likewise
	full     bool      // the edge of stability
	pays     []float64 // by class, marginal revenue without delay
	gradient []float64 // dR/dlambda, after solve less the surfaces' pull
	capacity float64   // dR/dn, likewise
	// apart holds relative distances: from stationarity, by class inside, then from
	// the surfaces. It is nil if these have no multipliers.
	apart []float64
}

// newStationarity finds the surfaces that are active at the admission q.
func newStationarity(hol *model.HOL, q []float64) *stationarity {
	sys := hol.System()
	n := len(q)
	v := &stationarity{
		hol: hol, pays: make([]float64, n), gradient: make([]float64, n),
		full: hol.Utilization(q) > 1-2*margin,
	}
	waits, t0 := hol.Waits(make([]float64, n), q), hol.Residual(q)
	for i, c := range sys.Classes {
		rate := q[i] * c.Rate
		if rate == 0 {
			continue
		}
		if d := c.Demand; sys.Prices && d != nil {
			if kink := d.Kink(); q[i] < 1 && math.Abs(rate-kink) > 1e-7*kink {
				v.inside = append(v.inside, i)
			}
		} else if q[i] > free && q[i] < 1-free {
			v.inside = append(v.inside, i)
		}
		delay, grace := waits[i], c.MeanGrace()
		if sys.Residual == model.Printed {
			delay = t0
		}
		if c.MeanDecay() == 0 || grace == 0 || math.Abs(sys.DelayCoefficient()*delay-grace) > 1e-3*grace ||
			sys.Residual == model.Printed && slices.Contains(v.grace, grace) {
			continue
		}
		v.tight, v.grace = append(v.tight, i), append(v.grace, grace)
	}
	return v
}

// surface sets dst to the gradient of the k-th surface in the rates, and returns its
// relative value, which is 0 on it, and its slope in n.
func (v *stationarity) surface(dst, q []float64, k int) (value, capacity float64) {
	sys := v.hol.System()
	if k == len(v.tight) {
		for i, c := range sys.Classes {
			dst[i] = c.Length.Mean() / sys.Parallel
		}
		u := v.hol.Utilization(q)
		return u - (1 - (1+1e-6)*margin), -u / sys.Parallel // rounding stays within the margin
	}
	i := v.tight[k]
	if sys.Residual == model.Printed {
		return sys.DelayCoefficient()*v.hol.Residual(q)/v.grace[k] - 1, v.hol.ResidualSlopes(dst, q)
	}
	waits := v.hol.Waits(make([]float64, len(q)), q)
	return sys.DelayCoefficient()*waits[i]/v.grace[k] - 1, v.hol.WaitSlopes(dst, q, i)
}

// solve finds the surfaces' multipliers at q from stationarity in the classes inside, by
// least squares, and subtracts their pull from the gradient. It reports whether the
// multipliers are determined and q is stationary with them.
func (v *stationarity) solve(q []float64) bool {
	v.hol.MarginalValues(v.gradient, q)
	v.hol.Marginals(v.pays, q)
	v.capacity = v.hol.CapacityValue(q)
	n, m, surfaces := len(q), len(v.inside), len(v.tight)
	if v.full {
		surfaces++
	}
	v.apart = nil
	if m < surfaces {
		return false
	}
	apart := make([]float64, m, m+surfaces)
	if surfaces > 0 {
		a, b := mat.NewDense(m, surfaces, nil), mat.NewVecDense(m, nil)
		slopes, capacity := mat.NewDense(surfaces, n, nil), make([]float64, surfaces)
		for k := range surfaces {
			slope := slopes.RawRowView(k)
			var value float64
			value, capacity[k] = v.surface(slope, q, k)
			apart = append(apart, value)
			for row, i := range v.inside {
				a.Set(row, k, slope[i]/v.pays[i])
				b.SetVec(row, v.gradient[i]/v.pays[i])
			}
		}
		var y mat.VecDense
		if err := y.SolveVec(a, b); err != nil {
			return false
		}
		for k := range surfaces {
			floats.AddScaled(v.gradient, -y.AtVec(k), slopes.RawRowView(k))
			v.capacity -= y.AtVec(k) * capacity[k]
		}
	}
	stationary := true
	for row, i := range v.inside {
		apart[row] = v.gradient[i] / v.pays[i]
		stationary = stationary && math.Abs(apart[row]) <= 1e-5
	}
	v.apart = apart
	return stationary
}

// changes solves systems again with slightly more or less of something, for difference quotients.
type changes struct {
	ctx   context.Context
	start []float64
	noise float64 // $/s, by which the largest revenue found may be too small
}

// changed is the relative change of a difference quotient.
const changed = 1e-3

func (c *changes) revenue(sys model.System) (float64, error) {
	const gap, local = 1e-8, 1e-6
	r, err := Solve(c.ctx, sys, Settings{Gap: gap, MaxNodes: 1000, Starts: 64, Start: c.start})
	c.noise = math.Max(c.noise, math.Min(r.Gap, local)*math.Abs(r.Revenue))
	return r.Revenue, err
}

// solvedAgain returns the prices at an admission as difference quotients of optima.
func solvedAgain(ctx context.Context, sys model.System, admit []float64) (Prices, error) {
	c := &changes{ctx: ctx, start: admit}
	var value [3]float64
	n, by := sys.Parallel, changed*sys.Parallel
	for i := range value {
		var err error
		sys.Parallel = n + by*float64(i-1)
		value[i], err = c.revenue(sys)
		if err != nil {
			return Prices{}, err
		}
	}
	sys.Parallel = n
	p := Prices{Capacity: (value[2] - value[1]) / by, Last: (value[1] - value[0]) / by}
	if math.Abs(p.Capacity-p.Last) <= kinked*math.Max(p.Capacity, p.Last)+4*c.noise/by {
		p.Last = p.Capacity
	}
	var err error
	p.Demand, err = c.demands(sys, value[1])
	return p, err
}

// demands returns the values of one more job of each class, given the revenue without it.
func (c *changes) demands(sys model.System, base float64) ([]float64, error) {
	values := make([]float64, len(sys.Classes))
	stated := sys.Classes
	for i, class := range stated {
		by := changed * math.Max(class.Rate, 0.01*sys.Parallel/class.Length.Mean())
		sys.Classes = slices.Clone(stated)
		sys.Classes[i].Rate += by
		value, err := c.revenue(sys)
		if err != nil {
			return nil, err
		}
		values[i] = (value - base) / by
	}
	return values, nil
}
