package study

import (
	"context"
	"slices"
)

// Priced returns the subject at the prices that Solve finds with
// SolveOptions.Prices, for job classes. Of the jobs that come at them Shares are to
// be admitted. A class of which nothing is sold keeps its price, and no job comes.
func (s *Subject) Priced(ctx context.Context) (*Subject, error) {
	if s.Kind != "classes" {
		return nil, &NoDemandError{s.Document.File()}
	}
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
	for i, found := range best.Classes {
		p.Shares = append(p.Shares, float64(found.Admit))
		if c := &sc.Classes[i]; c.Demand != nil && found.Rate > 0 {
			*c = c.At(float64(found.Price))
		} else if c.Demand != nil {
			c.Rate = 0
		}
	}
	p.Scenario = &sc
	return &p, p.classes()
}
