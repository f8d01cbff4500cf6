package analytic

import (
	"context"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/subject"
)

// SolveChain solves the further providers, each with the jobs that those before it refuse. A
// provider that is analytic admits the jobs that earn most of those that reach it, as if
// these came by Poisson processes. That is exact if all providers before admit by lot.
func SolveChain(ctx context.Context, s *subject.Subject, admit []float64) ([]*Solution, error) {
	classes := s.Scenario.Classes
	var solutions []*Solution
	for _, p := range s.Scenario.Providers {
		left := make([]float64, len(classes)) // jobs/s that those before refuse
		for k, q := range admit {
			left[k] = classes[k].Rate * (1 - q)
		}
		sys := p.System(s.Scenario, left)
		r, err := provided(ctx, p, sys)
		if err != nil {
			return nil, err
		}
		one, err := NewSolution(sys, r)
		if err != nil {
			return nil, err
		}
		solutions = append(solutions, one)
		classes = sys.Classes
		admit = r.Admit
	}
	return solutions, nil
}

// provided returns the admission of a further provider and its revenue.
func provided(ctx context.Context, p scenario.Provider, sys model.System) (optimize.Result, error) {
	if p.Analytic {
		return optimize.Solve(ctx, sys, optimize.Settings{})
	}
	r := optimize.Result{Admit: p.Admit}
	if r.Admit == nil {
		r.Admit = slices.Repeat([]float64{1}, len(sys.Classes))
	}
	hol, err := model.NewHOL(sys)
	if err != nil {
		return r, err
	}
	r.Revenue = hol.Revenue(r.Admit)
	return r, nil
}

// ProviderAnswer is what a further provider earns in the queueing model.
type ProviderAnswer struct {
	Name string
	Solution
}

// furtherProviders solves the further providers in their order.
func furtherProviders(ctx context.Context, s *subject.Subject, admit []float64) ([]ProviderAnswer, error) {
	solutions, err := SolveChain(ctx, s, admit)
	if err != nil {
		return nil, err
	}
	return text.EachAt(solutions, func(i int, one *Solution) ProviderAnswer {
		return ProviderAnswer{s.Scenario.Providers[i].Name, *one}
	}), nil
}
