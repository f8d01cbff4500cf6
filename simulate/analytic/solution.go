package analytic

import (
	"context"
	"math"

	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
	"revopt/simulate/warn"
)

// Unproven says why a solution is not proven to be the optimum, if it is not.
func (s *Solution) Unproven(residual model.Residual, gap float64) []warn.Warning {
	why := ""
	switch {
	case s.Certified:
		return nil
	case residual == model.Multiserver:
		why = "the multiserver approximation is not concave"
	case s.Method == string(optimize.MethodCG):
		why = "conjugate gradients are a local search"
	default:
		return []warn.Warning{UnprovenTo(gap)}
	}
	return []warn.Warning{warn.New("UNPROVEN", warn.Words("why", why))}
}

// UnprovenTo says that the search for a proof was stopped before the gap was as small.
func UnprovenTo(gap float64) warn.Warning {
	return warn.New("UNPROVEN", warn.Words("why", "the search for a proof was stopped"), warn.Share("gap", gap))
}

// Solution is an admission and what follows from it in the queueing model.
type Solution struct {
	RevenuePerSecond    float64
	UpperBoundPerSecond float64 // null where nothing is proven
	RelativeGap         float64 // null where nothing is proven
	Method              string
	Certified           bool    // the gap asked for is proven
	Tied                bool    // other admissions earn the same
	Load                float64 // offered
	Utilization         float64
	MeanDelay           float64 // s, over admitted jobs; null where there are none
	Classes             []ClassSolution

	binds bool // the optimum lies at the edge of stability
}

// ClassSolution is that of one class.
type ClassSolution struct {
	Name             string
	Pool             string
	Admit            float64
	OfferedRate      float64 // jobs/s
	AdmittedRate     float64 // jobs/s
	Utilization      float64
	MeanWait         float64 // s, of a job that is, or were, admitted
	RevenuePerSecond float64
	*PriceAnswer
}

// PriceAnswer is the price that was chosen for a class and its consequences.
type PriceAnswer struct {
	Price       float64 // $ per job, on average
	Rate        float64 // jobs/s that come at this price
	Externality float64 // $: the cost that one more job imposes on all others
}

// NewSolution evaluates the system at the admission that was found.
func NewSolution(sys model.System, r optimize.Result) (*Solution, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return nil, err
	}
	n := hol.Len()
	waits := hol.Waits(make([]float64, n), r.Admit)
	earns := hol.ClassRevenue(make([]float64, n), r.Admit)
	s := &Solution{
		RevenuePerSecond:    r.Revenue,
		UpperBoundPerSecond: r.UpperBound, RelativeGap: r.Gap,
		Method: string(r.Method), Certified: r.Certified, Tied: r.Tied, binds: r.StabilityBinds,
		Load: sys.Load(), Utilization: hol.Utilization(r.Admit) * sys.Parallel / sys.Slots(),
		Classes: make([]ClassSolution, n),
	}
	var costs []float64
	if sys.Prices {
		costs, err = optimize.Externalities(sys, r)
		if err != nil {
			return nil, err
		}
		s.Load = 0
	}
	for i, c := range sys.Classes {
		admitted := r.Admit[i] * c.Rate
		s.Classes[i] = ClassSolution{
			Name: c.Name, Pool: c.Pool, Admit: r.Admit[i],
			OfferedRate: c.Rate, AdmittedRate: admitted,
			Utilization: admitted * c.Length.Mean() / sys.Slots(),
			MeanWait:    waits[i], RevenuePerSecond: earns[i],
		}
		if sys.Prices {
			sale, k := c.Sale(r.Admit[i]), &s.Classes[i]
			k.Admit, k.OfferedRate = sale.Admit, sale.Rate
			k.PriceAnswer = &PriceAnswer{Price: sale.Price, Rate: sale.Rate, Externality: costs[i]}
			s.Load += sale.Rate * c.Length.Mean() / sys.Slots()
		}
	}
	s.MeanDelay = s.DelayOfAdmitted()
	return s, nil
}

// Best finds the static admission that earns most, with the given convention for delays: by the exact utility where graces
// and largest penalties matter.
func (a *Analysis) Best(ctx context.Context, r model.Residual) (*Solution, error) {
	linear, err := a.bestBy(r, func(sys model.System) (*Solution, error) {
		best, err := optimize.Solve(ctx, sys, optimize.Settings{})
		if err != nil {
			return nil, err
		}
		return NewSolution(sys, best)
	})
	if err != nil {
		return nil, err
	}
	needs, err := a.NeedsExact(r, linear.Admit())
	if err != nil || !needs {
		return linear, err
	}
	return a.bestBy(r, func(sys model.System) (*Solution, error) {
		best, err := optimize.Exact(ctx, sys, optimize.Settings{})
		if err != nil {
			return nil, err
		}
		return NewExactSolution(sys, best)
	})
}

// bestBy finds the best admission to each part.
func (a *Analysis) bestBy(r model.Residual, solve func(model.System) (*Solution, error)) (*Solution, error) {
	list, err := OverParts(a, func(part *Analysis) (*Solution, error) { return solve(part.By(r)) })
	if err != nil {
		return nil, err
	}
	return a.Sum(list), nil
}

// Admit returns the probabilities by class.
func (s *Solution) Admit() []float64 {
	return text.Each(s.Classes, func(c ClassSolution) float64 { return c.Admit })
}

// Rates returns how many jobs arrive and are admitted per second.
func (s *Solution) Rates() (offered, admitted float64) {
	for _, c := range s.Classes {
		offered += c.OfferedRate
		admitted += c.AdmittedRate
	}
	return offered, admitted
}

// DelayOfAdmitted returns the mean wait over admitted jobs, NaN where there are none.
func (s *Solution) DelayOfAdmitted() float64 {
	var sum float64
	for _, c := range s.Classes {
		if c.AdmittedRate > 0 {
			sum += float64(c.AdmittedRate * c.MeanWait)
		}
	}
	_, admitted := s.Rates()
	return sum / admitted
}

// Proven reports whether there is a bound.
func (s *Solution) Proven() bool { return !math.IsInf(s.UpperBoundPerSecond, 0) }

// Doubts returns warnings about a solution, other than that it is unproven.
func (s *Solution) Doubts() []warn.Warning {
	var list []warn.Warning
	warn.AddIf(&list, s.binds, warn.New("EDGE_OF_STABILITY"))
	for _, c := range s.Classes {
		warn.AddIf(&list, c.AdmittedRate > 0 && math.IsInf(c.MeanWait, 0),
			warn.New("ENDLESS_WAIT", warn.Words("classes", c.Name)))
	}
	return list
}
