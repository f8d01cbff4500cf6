package study

import (
	"context"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
)

// Providers returns the further providers. Analytic ones get an admission by chain.
func (s *Subject) Providers() ([]Provider, error) {
	var list []Provider
	for _, p := range s.Scenario.Providers {
		one := Provider{Name: p.Name, Nodes: p.Nodes, Waiting: -1, Admission: Admission{Name: scenario.AdmitAll, Admit: p.Admit}}
		if p.Waiting != nil {
			one.Waiting = *p.Waiting
		}
		if p.Analytic {
			one.Admission.Name = scenario.AdmitAnalytic
		}
		if p.Policy != nil {
			policy, err := NewPolicy(s.specs, p.Policy.Name, p.Policy.Options)
			if err != nil {
				return nil, err
			}
			one.Policy = &policy
		}
		list = append(list, one)
	}
	return list, nil
}

// unforwarded refuses several providers for a command that knows one.
func (s *Subject) unforwarded(what string) error {
	if s.Scenario.Providers == nil {
		return nil
	}
	return s.Document.Blame(what+" knows one provider alone; simulate and solve know several", "providers")
}

// chain gives the providers after the server their admissions. Those that are
// analytic admit what earns most of the jobs that reach them, as if those came by
// Poisson processes: exact where all providers before admit by lot.
func (s *Subject) chain(ctx context.Context, admit []float64, list []Provider) ([]Provider, []*Solution, error) {
	list = slices.Clone(list)
	classes := s.Scenario.Classes
	var solutions []*Solution
	for i := range list {
		left := make([]float64, len(classes)) // jobs/s that those before refuse
		for k, q := range admit {
			left[k] = classes[k].Rate * (1 - q)
		}
		sys := s.Scenario.Providers[i].System(s.Scenario, left)
		a := &list[i].Admission
		r := optimize.Result{Admit: a.Admit}
		if a.Name == scenario.AdmitAnalytic {
			best, err := optimize.Solve(ctx, sys, optimize.Settings{})
			if err != nil {
				return nil, nil, err
			}
			r, a.Admit = best, best.Admit
		} else {
			if r.Admit == nil {
				r.Admit = slices.Repeat([]float64{1}, len(classes))
			}
			hol, err := model.NewHOL(sys)
			if err != nil {
				return nil, nil, err
			}
			r.Revenue = hol.Revenue(r.Admit)
		}
		one, err := newSolution(sys, r)
		if err != nil {
			return nil, nil, err
		}
		solutions = append(solutions, one)
		classes, admit = sys.Classes, r.Admit
	}
	return list, solutions, nil
}

// ProviderAnswer is what a further provider earns in the queueing model.
type ProviderAnswer struct {
	Name string `json:"name"`
	Solution
}

// after solves the further providers in their order.
func (s *Subject) after(ctx context.Context, admit []float64) ([]ProviderAnswer, error) {
	list, err := s.Providers()
	if err != nil {
		return nil, err
	}
	list, solutions, err := s.chain(ctx, admit, list)
	return each(solutions, func(i int, one *Solution) ProviderAnswer { return ProviderAnswer{list[i].Name, *one} }), err
}
