package run

import (
	"cmp"
	"context"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/optimize/control"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Priced reports whether an admission goes with prices that are chosen.
func (a Gate) Priced() bool { return a.Name == scenario.AdmitPrices }

// Gate decides which jobs are let in.
type Gate struct {
	Name   string               // all, analytic, ...; probabilities where it has none
	Admit  []float64            // probability by customer; nil admits all
	Rule   simulate.Admission   // in place of Admit; nil: by Admit
	Prices []subject.AskedPrice // that it goes with, where prices were chosen

	Searched bool // on the simulator

	Limits []analytic.ClassThreshold // of a rule that was found, as far as a journal has it
}

// rule returns the admission as the kernel takes it, nil where all are let in.
func (a Gate) rule() simulate.Admission {
	switch {
	case a.Rule != nil:
		return a.Rule
	case a.Admit == nil:
		return nil
	}
	return agent.Lottery(a.Admit)
}

// Random reports whether lots decide, as they may in a rule that is not known.
func (a Gate) Random() bool {
	lots := a.Admit
	switch r := a.Rule.(type) {
	case nil, *tableRule:
	case agent.Thresholds:
		lots = r.Share
	case agent.Lottery:
		lots = r
	default:
		return true
	}
	return slices.ContainsFunc(lots, func(q float64) bool { return q > 0 && q < 1 })
}

// tableRule lets a table of decisions admit jobs at a single site, or one for each pool.
type tableRule struct {
	tables  []*control.Table
	classes [][]int                   // of jobs, that each table is about
	limits  []analytic.ClassThreshold // read off the tables
	States  int                       // of all tables
}

func (t *tableRule) Admit(j *simulate.Job, sites []*simulate.Cluster) bool {
	index := -1
	table := slices.IndexFunc(t.classes, func(classes []int) bool {
		index = slices.Index(classes, j.Class)
		return index >= 0
	})
	n := len(t.classes[table])
	counts := make([]int, 2*n)
	waiting, running := counts[:n], counts[n:]
	for k, class := range t.classes[table] {
		waiting[k], running[k] = sites[0].WaitingOf(class), sites[0].Running(class)
	}
	return t.tables[table].Admit(index, waiting, running)
}

// ThresholdRule is the inverse of analytic.ClassThresholds.
func ThresholdRule(limits []analytic.ClassThreshold) agent.Thresholds {
	var r agent.Thresholds
	for _, t := range limits {
		k := -1
		if t.Waiting != nil {
			k = *t.Waiting
		}
		r.Share, r.Waiting = append(r.Share, metric.Float(t.Admit)), append(r.Waiting, k)
	}
	return r
}

// Thresholds returns the limits of an admission that looks at the queue; nil for others.
func (a Gate) Thresholds(names []string) []analytic.ClassThreshold {
	switch rule := a.Rule.(type) {
	case nil:
		return a.Limits
	case agent.Thresholds:
		return analytic.ClassThresholds(names, rule)
	case *tableRule:
		return rule.limits
	}
	return nil
}

// Admitted is an admission whose numbers were computed, and their origin.
type Admitted struct {
	Gate
	Policy    subject.Policy
	Fitted    int     // job classes that were fitted to a trace for the model; 0 without a fit
	Certified bool    // proven to be the best of the model
	Gap       float64 // of the proof, as a share of the revenue
}

// Admit computes an admission that is given by name, under a policy, or that of the
// scenario for nil. An admission with probabilities or a rule stays as it is.
func Admit(
	ctx context.Context, s *subject.Subject, a Gate, under *subject.Policy, seed uint64, workers int,
	progress Progress,
) (Admitted, error) {
	policies, err := s.Policies()
	if err != nil {
		return Admitted{}, err
	}
	got := Admitted{Gate: a, Policy: *cmp.Or(under, &policies[0])}
	if a.Admit != nil || a.Rule != nil {
		if p := s.Workload.Pools(); p != nil {
			got.Gate.Admit = inSections(p, a.Admit)
		}
		return got, nil
	}
	m := &Models{Subject: s, Seed: seed}
	e := &Experiment{Workload: s.Workload, Policy: got.Policy, Admission: a, Seed: seed}
	got.Gate, err = m.Compute(ctx, e, &scenario.SearchEffort{}, max(1, workers), progress)
	if err == nil && m.best != nil {
		got.Certified, got.Gap = m.best.Certified, float64(m.best.RelativeGap)
	}
	if err == nil && m.cached != nil && m.cached.Fit != nil {
		got.Fitted = len(m.cached.System.Classes)
	}
	return got, err
}

// inSections gives customers one probability in all pools, 1 if none is stated.
func inSections(p *workload.Pools, admit []float64) []float64 {
	listed := append(slices.Clone(admit), 1)
	return text.Each(p.Sections, func(s workload.Section) float64 { return listed[min(s.Customer, len(listed)-1)] })
}
