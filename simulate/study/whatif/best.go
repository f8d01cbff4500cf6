package whatif

import (
	"cmp"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

// ChoicePolicy is the choice of changes that run another policy.
const ChoicePolicy = "policy"

// setBest compares the policy of the scenario as it is with those of changes of policy alone.
func (w *WhatIf) setBest(r *Result) {
	rows, unlike := []*ChangeResult{r.Before}, 0
	n := len(r.Before.Money)
	for i, c := range r.Changes {
		if c.Choice == ChoicePolicy && c.Unlike {
			unlike++
		} else if c.Choice == ChoicePolicy {
			rows, n = append(rows, &r.Changes[i]), max(n, len(c.Money))
		}
	}
	if unlike > 0 && len(rows) == 1 { // nothing is compared
		rows = nil
	}
	slices.SortStableFunc(rows, func(a, b *ChangeResult) int {
		if a.Small {
			a, b = b, a
		}
		return cmp.Compare(b.Simulation.After.Mean, a.Simulation.After.Mean)
	})
	list := text.Each(rows, func(c *ChangeResult) study.Contender {
		return study.Contender{Label: c.Policy, RunsOn: c.RunsOn, Money: study.Stretched(c.Money, n), Harm: c.Harm}
	})
	estimate := func(x []float64) metric.Interval { return w.estimate(x).Interval() }
	r.Best = study.NewBest(list, w.Objective == "", estimate)
	r.Best.Unit = cmp.Or(plan.ObjectiveUnit(w.Objective), r.Best.Unit)
	r.Best.SetPartial(w.Subject, text.Each(rows, func(c *ChangeResult) string { return c.Policy }))
}
