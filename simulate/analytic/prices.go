package analytic

import (
	"context"
	"slices"

	"revopt/model"
	"revopt/simulate/subject"
)

// Priced returns the subject at the prices that earn most by the model, see Sell.
func Priced(ctx context.Context, s *subject.Subject) (*subject.Subject, error) {
	a, err := Analyze(ctx, s, 0, 0)
	if err != nil {
		return nil, err
	}
	priced, err := a.Priced()
	if err != nil {
		return nil, err
	}
	best, err := priced.Best(ctx, a.System.Residual)
	if err != nil {
		return nil, err
	}
	return a.Sell(ctx, s, best)
}

// Sell returns the subject at the prices of a solution; its Shares are those to admit of the jobs that come at them. A
// class that sells nothing keeps its price, and none of its jobs come. For a trace the formulas are those of the fitted
// classes; a customer with several classes asks their mean price, weighted by the jobs sold.
func (a *Analysis) Sell(ctx context.Context, s *subject.Subject, best *Solution) (*subject.Subject, error) {
	p := s.Copy()
	n := len(p.Scenario.Classes)
	shares := make([]float64, len(best.Classes))
	dearer := make([]float64, n)
	sold := make([]float64, n)
	for k, class := range best.Classes {
		shares[k] = class.Admit
		if c := a.System.Classes[k]; c.Demand != nil && class.Rate > 0 {
			i := a.Customer[k]
			dearer[i] += class.Rate * class.Price / c.StatedPrice()
			sold[i] += class.Rate
		}
	}
	for i := range p.Scenario.Classes {
		if c := &p.Scenario.Classes[i]; c.Demand != nil && sold[i] > 0 {
			k := dearer[i] / sold[i]
			*c = c.Repriced(k, k*s.PriceOf(*c))
		} else if c.Demand != nil {
			c.Rate = 0
		}
	}
	p.Shares = a.weighted(shares, len(s.Workload.Customers()))
	return p, p.Reopen(ctx)
}

// NoDemandError says that no class states how many jobs come at which price.
type NoDemandError struct {
	File  string
	Trace bool // whose classes without jobs do not count
}

func (e *NoDemandError) Error() string {
	class := "class"
	if e.Trace {
		class = "class with jobs in the trace"
	}
	return e.File + ": no " + class + " states a demand, such as demand: {curve: linear, elasticity: 1.5}, " +
		"so that there is no price to choose"
}

// Priced returns the analysis in which admission chooses prices.
func (a *Analysis) Priced() (*Analysis, error) {
	if a.Pool == "" && !slices.ContainsFunc(a.System.Classes, func(c model.Class) bool { return c.Demand != nil }) {
		return nil, &NoDemandError{a.File, a.Fit != nil}
	}
	p := *a
	p.Pools = slices.Clone(a.Pools)
	if p.Pools == nil {
		p.System = a.System.Priced()
	}
	var err error
	for i, part := range p.Pools { // a class of another pool may be the one with a demand
		p.Pools[i], err = part.Priced()
		if err != nil {
			return nil, err
		}
	}
	return &p, nil
}
