package study

import (
	"context"
	"slices"
)

// Priced returns the subject at the prices that Solve finds with
// SolveOptions.Prices. Of the jobs that come at them Shares are to be admitted. A
// class of which nothing is sold keeps its price, and no job comes. Of a trace the
// formulas are those of the classes fitted to it; a customer with several of them
// asks their mean price, by the jobs sold.
func (s *Subject) Priced(ctx context.Context) (*Subject, error) {
	a, err := s.Analyze(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	best, err := Solve(ctx, a, SolveOptions{Prices: true})
	if err != nil {
		return nil, err
	}
	sc, p := *s.Scenario, *s
	sc.Classes, sc.Load = slices.Clone(sc.Classes), float64(best.Load)
	p.Scenario = &sc
	shares, dearer, sold := make([]float64, len(best.Classes)), make([]float64, len(sc.Classes)), make([]float64, len(sc.Classes))
	for k, found := range best.Classes {
		shares[k] = float64(found.Admit)
		if c := a.System.Classes[k]; c.Demand != nil && found.Rate > 0 {
			i := a.Customer[k]
			dearer[i] += float64(found.Rate) * float64(found.Price) / c.Price.Of(c.Length.Mean(), c.Width.Mean())
			sold[i] += float64(found.Rate)
		}
	}
	for i := range sc.Classes {
		switch c := &sc.Classes[i]; {
		case c.Demand == nil:
		case sold[i] > 0:
			k := dearer[i] / sold[i]
			if s.Trace != nil {
				*c = c.Dearer(k, k*c.Price.Of(1, 1))
			} else {
				*c = c.At(k * c.Price.Of(c.Length.Mean(), c.Width.Mean()))
			}
		default:
			c.Rate = 0
		}
	}
	p.Shares = a.ByCustomer(shares, len(s.Workload.Customers()))
	if s.Trace != nil {
		return &p, p.laid(ctx)
	}
	return &p, p.classes()
}
