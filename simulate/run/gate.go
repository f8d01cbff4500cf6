package run

import (
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/optimize/control"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Gate decides which jobs are let in. It is what an Admission comes to.
type Gate struct {
	Name   string               // all, analytic, ...; probabilities where it has none
	Admit  []float64            // probability by customer; nil admits all
	Rule   simulate.Admission   // in place of Admit; nil: by Admit
	Prices []subject.AskedPrice // that it goes with, where prices were chosen

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

// With returns the admission with all jobs of one of n customers admitted or refused, by a probability of 1 or 0, and
// those of the others as before.
func (a Gate) With(customer, n int, q float64) Gate {
	if a.Rule != nil {
		a.Rule = &exceptRule{a.Rule, customer, q}
		return a
	}
	if a.Admit == nil {
		a.Admit = slices.Repeat([]float64{1}, n)
	}
	a.Admit = slices.Clone(a.Admit)
	a.Admit[customer] = q
	return a
}

// exceptRule admits or refuses all jobs of a customer and leaves the others to another rule.
type exceptRule struct {
	simulate.Admission
	customer int
	q        float64
}

func (r *exceptRule) Admit(j *simulate.Job, sites []*simulate.Cluster) bool {
	if j.Class == r.customer {
		return r.q > 0
	}
	return r.Admission.Admit(j, sites)
}

// alike is the difference below which two probabilities of admission are equal. Optima are not known better: value is
// flat around them.
const alike = 1e-3

// None reports whether no job is let in, by probabilities.
func (a Gate) None() bool {
	return a.Rule == nil && a.Admit != nil && slices.Max(a.Admit) < alike
}

// Same reports whether two admissions by probabilities are equal. Rules are not known to be.
func (a Gate) Same(b Gate) bool {
	n := max(len(a.Admit), len(b.Admit))
	if a.Rule != nil || b.Rule != nil {
		return false
	}
	for i := range n {
		if math.Abs(a.share(i)-b.share(i)) > alike {
			return false
		}
	}
	return true
}

// share returns the probability of a customer.
func (a Gate) share(customer int) float64 {
	if a.Admit == nil {
		return 1
	}
	return a.Admit[customer]
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

// inSections gives customers one probability in all pools, 1 if none is stated.
func inSections(p *workload.Pools, admit []float64) []float64 {
	listed := append(slices.Clone(admit), 1)
	return text.Each(p.Sections, func(s workload.Section) float64 { return listed[min(s.Customer, len(listed)-1)] })
}
