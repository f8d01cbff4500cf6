package paper

import (
	"fmt"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// The admissions that a study compares, in the order of its figures.
const (
	admitEverybody = iota
	paperOptimum
	simulatorTuned
	admissionCount
)

// admissionNames are what the admissions are called in figures.
var admissionNames = [admissionCount]string{"Admit all", "The paper's optimum, (30)", "Tuned on the simulator"}

// A plan is what a study simulates: three admissions along the load.
type plan struct {
	scenario     string // built in
	policies     []scenario.Policy
	loads        []float64
	replications int // of each admission at each load
	search       scenario.SearchEffort
}

// sweeps returns the one sweep of the plan.
func (p plan) sweeps(o Options) ([]*sweep.Spec, error) {
	return specs(o, design{
		scenario: p.scenario, path: "load", values: p.loads, policies: p.policies, replications: p.replications,
		admissions: []scenario.Admission{
			admitEverybody: {Name: scenario.AdmitAll}, paperOptimum: {Name: scenario.AdmitAnalytic}, simulatorTuned: {Name: scenario.AdmitSimulated, Search: &p.search},
		},
		metrics: []metric.Figure{metric.RevenuePerSecond(), merit("revenue_per_job"), metric.MeanWait(), merit("utilization"), merit("expired_share")},
	})
}

// A study is the outcome of each admission at each load under one policy.
type study struct {
	outcomes // by admission and load
	plan
	policy int // of the plan
	seed   uint64
}

// study returns what the sweep of the plan found under one of its policies.
func (p plan) study(o Options, found []*sweep.Results, policy int) *study {
	s := &study{plan: p, policy: policy, seed: o.Seed, outcomes: outcomes{found: found, spots: make([][]spot, admissionCount)}}
	for a := range s.spots {
		for i := range p.loads {
			s.spots[a] = append(s.spots[a], spot{Case: sweep.Case{Point: i, Admission: a, Policy: policy}})
		}
	}
	return s
}

// series draws a figure of merit of an admission along the load.
func (s *study) series(admission int, f metric.Figure) plots.Series {
	line := s.line(admission, s.loads, f)
	line.Name, line.Look = admissionNames[admission], admission+1
	return line
}

// note says what the bands of a figure are.
func (s *study) note() string {
	if s.replications < 2 {
		return "One replication of half a year"
	}
	return fmt.Sprintf("%d replications of half a year; bands: 95 %% intervals of the mean", s.replications)
}

// provenance says how the numbers of a study were made.
func (s *study) provenance() plots.Provenance {
	p := provenance(s.scenario, varied("load", s.loads))
	p.Seed = &s.seed
	p.Extra = append(p.Extra,
		plots.Pair{Key: "replications", Value: fmt.Sprint(s.replications)},
		plots.Pair{Key: "tuning", Value: searchWords(s.search)})
	return p
}
