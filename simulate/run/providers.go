package run

import (
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// Provider is a further provider of an experiment, to which a job goes that the
// one before it refuses when it is submitted. See agent.Providers.
type Provider struct {
	Name      string
	Nodes     int
	Waiting   int // how many jobs may wait; negative: any number
	Admission Gate
	Policy    *subject.Policy // nil: that of the experiment
}

// providers returns the rules of all providers.
func (e *Experiment) providers() *agent.Providers {
	f := &agent.Providers{Rules: []simulate.Admission{e.rule()}, Lots: [][]float64{e.Admission.Admit}}
	for _, p := range e.Providers {
		at := Experiment{Policy: e.policyOf(p), Admission: p.Admission}
		f.Rules = append(f.Rules, at.limited(p.Waiting))
		f.Lots = append(f.Lots, p.Admission.Admit)
	}
	return f
}

func (e *Experiment) policyOf(p Provider) subject.Policy {
	if p.Policy != nil {
		return *p.Policy
	}
	return e.Policy
}

// chained returns the tallies of all providers, nil where there is but one.
func (e *Experiment) chained() metric.Chain {
	var list metric.Chain
	for i := range e.ProviderCount() {
		t := e.tally()
		t.Site = i
		list = append(list, t)
	}
	return list
}

// ProviderCount returns how many providers there are if there are several, else 0.
func (e *Experiment) ProviderCount() int {
	if e.Providers == nil {
		return 0
	}
	return 1 + len(e.Providers)
}

// Providers returns the further providers. Analytic ones get an admission by chain.
func Providers(s *subject.Subject) ([]Provider, error) {
	var list []Provider
	for _, p := range s.Scenario.Providers {
		one := Provider{Name: p.Name, Nodes: p.Nodes, Waiting: -1,
			Admission: Gate{Name: scenario.AdmitAll, Admit: p.Admit}}
		if p.Waiting != nil {
			one.Waiting = *p.Waiting
		}
		if p.Analytic {
			one.Admission.Name = scenario.AdmitAnalytic
		}
		if p.Policy != nil {
			policy, err := subject.NewPolicy(s.Specs, p.Policy.Name, p.Policy.Options)
			if err != nil {
				return nil, err
			}
			one.Policy = &policy
		}
		list = append(list, one)
	}
	return list, nil
}
