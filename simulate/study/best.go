package study

import (
	"cmp"
	"slices"

	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// Best names the policies that deliver most: of those that Slurm can run by its settings
// alone, and of all. The schedule of a log is not among them.
type Best struct {
	Runnable   string    `json:"runnable,omitempty"`   // a label; absent if Slurm runs none of them
	Overall    string    `json:"overall"`              // likewise
	Difference *Estimate `json:"difference,omitempty"` // overall less runnable, in Unit, paired
	Unit       string    `json:"unit"`                 // $/month, or $ if all jobs come at one instant
	Partial    bool      `json:"partial,omitempty"`    // Slurm can run other policies that apply
}

// HoursPerMonth are those of a twelfth of 365 days.
const HoursPerMonth = 730

// contender is one of the policies that a Best compares.
type contender struct {
	label, runsOn string
	money         []float64 // by replication, in $/h or $
}

// newBest compares contenders, the best first. The estimate is of a difference of money.
func newBest(list []contender, perHour bool, estimate func([]float64) metric.Interval) Best {
	b, scale := Best{Unit: "$"}, 1.0
	if perHour {
		b.Unit, scale = "$/month", HoursPerMonth
	}
	list = slices.DeleteFunc(list, func(c contender) bool { return c.runsOn == "" })
	if len(list) == 0 {
		return b
	}
	b.Overall = list[0].label
	slurm := func(c contender) bool { return c.runsOn == policy.Slurm.Key() }
	if i := slices.IndexFunc(list, slurm); i >= 0 {
		d := NewEstimate(estimate(less(list[0].money, list[i].money)).Times(scale))
		b.Runnable, b.Difference = list[i].label, &d
	}
	return b
}

// setPartial notes whether policies were left out that apply by default and run on Slurm.
func (b *Best) setPartial(s *Subject, tried []string) {
	list, _ := s.Applying()
	b.Partial = slices.ContainsFunc(list, func(p Policy) bool {
		return p.Spec.RunsOn(p.Settings) == policy.Slurm && !slices.Contains(tried, p.Label())
	})
}

// runsOn returns where the policies of all pools run; "" if they repeat a log.
func (e *Experiment) runsOn() string {
	if e.Policy.recorded() {
		return ""
	}
	where := policy.Slurm
	for pool := range max(1, len(e.Pooled)) {
		own := e.policyIn(pool)
		where = min(where, own.Spec.RunsOn(own.Settings))
	}
	return where.Key()
}

func setBest(v *ValidationResult, r *Result, p *BoundedPoint, order []int) {
	list := each(order, func(k, i int) contender {
		c := contender{r.Policies[k].Label, r.Policies[k].Policy.RunsOn, p.Rows[i].Delivered}
		if p.Seconds != nil {
			c.money = hourly(c.money, p.Seconds)
		}
		return c
	})
	v.Best = newBest(list, p.Seconds != nil, p.estimate)
	v.Best.Unit = cmp.Or(ObjectiveUnit(v.Objective), v.Best.Unit)
	v.Best.setPartial(r.subject, each(r.Policies, func(_ int, row Row) string { return row.Policy.Label }))
}

// ChoicePolicy is the choice of changes that run another policy.
const ChoicePolicy = "policy"

// setBest compares the policy of the scenario as it is with those of changes of policy alone.
func (w *WhatIf) setBest(r *WhatIfResult) {
	rows, n := []*ChangeResult{r.Before}, len(r.Before.Money)
	for i, c := range r.Changes {
		if c.Choice == ChoicePolicy {
			rows, n = append(rows, &r.Changes[i]), max(n, len(c.Money))
		}
	}
	slices.SortStableFunc(rows, func(a, b *ChangeResult) int {
		return cmp.Compare(b.Simulation.After.Mean, a.Simulation.After.Mean)
	})
	list := each(rows, func(_ int, c *ChangeResult) contender {
		return contender{c.Policy, c.RunsOn, stretched(c.Money, n)}
	})
	r.Best = newBest(list, true, func(x []float64) metric.Interval { return w.estimate(x).Interval() })
	r.Best.setPartial(w.Subject, each(rows, func(_ int, c *ChangeResult) string { return c.Policy }))
}
