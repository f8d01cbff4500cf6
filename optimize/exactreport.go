package optimize

import (
	"math"

	"revopt/model"
)

// report fills in what is known about an optimum.
func (x *exact) report(r *ExactResult, kept, free optimum) {
	x.idle(r.Admit, kept)
	r.Revenue, r.Error = x.e.Revenue(r.Admit)
	r.Earns = x.e.ClassRevenue(make([]float64, x.n), r.Admit)
	r.StabilityBinds = x.e.Utilization(r.Admit) > 1-1e-6
	r.Kept = make([]float64, x.n)
	for i, c := range x.sys.Classes {
		if r.Kept[i] = math.NaN(); c.SLO != nil {
			r.Kept[i] = x.e.Kept(x.kept, r.Admit, i, c.SLO.Within)
		}
	}
	// The optimum without promises is found by the same search, and may miss
	// what the search with promises happened on.
	r.Free = r.Revenue
	if &free.q[0] != &kept.q[0] {
		alone, _ := x.e.Revenue(free.q)
		r.Free = math.Max(r.Revenue, alone)
	}
	r.Prices = x.prices(r.Admit, kept)
}

// idle admits classes that offer nothing where a first job would pay more than
// it costs.
func (x *exact) idle(q []float64, at optimum) {
	x.marginal(q, at.weights)
	for i, c := range x.sys.Classes {
		if c.Rate == 0 && x.grad[i] > 0 {
			q[i] = 1
		}
	}
}

// marginal returns the Lagrangian at an optimum, up to a constant, and sets
// x.grad to its derivatives by admitted rates.
func (x *exact) marginal(q, weights []float64) float64 {
	f := x.e.Gradient(x.grad, q)
	last := len(x.promises)
	x.addRoom(weights[last])
	f -= weights[last] * x.e.Utilization(q)
	for k, p := range x.promises {
		if weights[k] > 0 {
			f += weights[k] * x.e.Kept(x.kept, q, p.class, p.within)
			x.addKept(weights[k])
		}
	}
	return f
}

// prices returns the shadow prices: the derivatives of the Lagrangian, by the
// rate of a class that is admitted in full and by the capacity.
func (x *exact) prices(q []float64, at optimum) Prices {
	p := Prices{Demand: make([]float64, x.n)}
	x.marginal(q, at.weights)
	for i, c := range x.sys.Classes {
		if c.Rate == 0 || q[i] > 1-free {
			p.Demand[i] = math.Max(0, x.grad[i])
		}
	}
	// The transform has no simple derivative by n.
	own, n := x.e, x.sys.Parallel
	value := func(parallel float64) float64 {
		sys := x.sys
		sys.Parallel = parallel
		e, err := model.NewExact(sys)
		if err != nil {
			panic("optimize: " + err.Error())
		}
		x.e = e
		return x.marginal(q, at.weights)
	}
	// The queue must stay stable with less of it.
	step := n * math.Min(1e-4, (1-own.Utilization(q))/10)
	p.Capacity = math.Max(0, (value(n+step)-value(n-step))/(2*step))
	x.e = own
	return p
}
