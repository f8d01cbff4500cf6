package study

import (
	"context"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// Provider is a further provider of an experiment, to which a job goes that the
// one before it refuses when it is submitted. See simulate.Forward.
type Provider struct {
	Name      string
	Nodes     int
	Waiting   int // how many jobs may wait; negative: any number
	Admission Admission
	Policy    *Policy // nil: that of the experiment
}

// Providers returns the further providers of the subject. Those whose admission is
// analytic are to be given one, see chain.
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

// unforwarded refuses a scenario with several providers, which a command does not
// know.
func (s *Subject) unforwarded(what string) error {
	if s.Scenario.Providers == nil {
		return nil
	}
	return s.Document.Blame(what+" knows one provider alone; simulate and solve know several", "providers")
}

// refused returns the rates at which jobs of each class are left that are let in
// by probabilities; nil lets in all.
func refused(classes []model.Class, admit []float64) []float64 {
	rates := make([]float64, len(classes))
	for i, c := range classes {
		if admit != nil {
			rates[i] = c.Rate * (1 - admit[i])
		}
	}
	return rates
}

// chain gives the providers after the server their admissions. Those that are
// analytic admit what earns most of the jobs that reach them, as if those came by
// Poisson processes: exact where all providers before admit by lot.
func (s *Subject) chain(ctx context.Context, admit []float64, list []Provider) ([]Provider, []*Solution, error) {
	list = slices.Clone(list)
	classes := s.Scenario.Classes
	var solutions []*Solution
	for i := range list {
		sys := s.Scenario.Providers[i].System(s.Scenario, refused(classes, admit))
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
	var answers []ProviderAnswer
	for i, one := range solutions {
		answers = append(answers, ProviderAnswer{list[i].Name, *one})
	}
	return answers, err
}

// forward returns the rules of all providers of an experiment, nil where there is
// but one.
func (e *Experiment) forward() *simulate.Forward {
	if e.Providers == nil {
		return nil
	}
	f := &simulate.Forward{Rules: []simulate.Admission{e.rule()}, Lots: [][]float64{e.lots()}}
	for _, p := range e.Providers {
		at := Experiment{Policy: e.policyOf(p), Admission: p.Admission}
		f.Rules, f.Lots = append(f.Rules, at.limited(p.Waiting)), append(f.Lots, at.lots())
	}
	return f
}

// policyOf returns the policy of a further provider.
func (e *Experiment) policyOf(p Provider) Policy {
	if p.Policy != nil {
		return *p.Policy
	}
	return e.Policy
}

// chained returns the tallies of all providers, nil where there is but one.
func (e *Experiment) chained() metric.Chain {
	var list metric.Chain
	for i := range e.count() {
		t := e.tally()
		t.Site = i
		list = append(list, t)
	}
	return list
}

// count returns how many providers there are if there are several, else 0.
func (e *Experiment) count() int {
	if e.Providers == nil {
		return 0
	}
	return 1 + len(e.Providers)
}

// ProviderRow is what one of several providers has done.
type ProviderRow struct {
	Name  string
	Admit []float64 // probability by customer; nil where a rule decides
	Estimates
}

// providerRows estimates what each provider has done.
func (e *Experiment) providerRows(o Outcome) []ProviderRow {
	var list []ProviderRow
	for i := range e.count() {
		row := ProviderRow{Name: scenario.ServerName, Admit: e.lots()}
		if i > 0 {
			row.Name, row.Admit = e.Providers[i-1].Name, e.Providers[i-1].Admission.Admit
		}
		row.Estimates = newEstimates(func(m metric.Measure) metric.Interval {
			x := o.provider(m, i)
			return o.estimate(x, x)
		})
		list = append(list, row)
	}
	return list
}
