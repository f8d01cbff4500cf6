package whatif

import (
	"cmp"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/served"
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
		return c.contender(n, c == r.Before)
	})
	estimate := func(x []float64) metric.Interval { return w.estimate(x).Interval() }
	r.Best = study.NewBest(list, w.Objective == "", estimate)
	r.Best.Unit = cmp.Or(plan.ObjectiveUnit(w.Objective), r.Best.Unit)
	r.Best.SetPartial(w.Subject, text.Each(rows, func(c *ChangeResult) string { return c.Policy }))
	w.setStanding(r, list, n)
}

// contender returns the policy of a change, in n replications.
func (r *ChangeResult) contender(n int, now bool) study.Contender {
	return study.Contender{Label: r.Policy, RunsOn: r.RunsOn, Money: study.Stretched(r.Money, n),
		Groups: served.After(r.Affected), Harm: r.Harm, Now: now}
}

// setStanding sets where the site stands: the best policies if there is a change of policy, and the best of the changes
// of more than that.
func (w *WhatIf) setStanding(r *Result, list []study.Contender, n int) {
	if r.Recorded != nil {
		log := r.Recorded.contender(n, false)
		log.RunsOn = ""
		list = append(list, log)
	}
	estimate := func(x []float64) metric.Interval { return w.estimate(x).Interval() }
	before := r.Before.Bound
	bound := &study.Mark{Label: before.Name, Amount: study.Estimate{Mean: before.After}}
	contest := study.Contest{Best: r.Best, Contenders: list, Quantity: w.Objective, Unit: r.Unit, Bound: bound,
		Estimate: estimate}
	r.Standing = contest.Standing()
	if !slices.ContainsFunc(r.Changes, func(c ChangeResult) bool { return c.Choice == ChoicePolicy }) {
		r.Standing.Runnable, r.Standing.Overall, r.Standing.Partial = nil, nil, false
	}
	var best *ChangeResult
	for i := range r.Changes {
		switch c := &r.Changes[i]; {
		case c.Unlike, c.Choice == ChoicePolicy:
		case len(c.Harm) > 0:
			r.Standing.HarmfulChanges++
		case best == nil || c.betterThan(best):
			best = c
		}
	}
	if best != nil {
		setChange(r.Standing, best)
	}
}

// setChange names the best change, and what its costs are.
func setChange(s *study.Standing, c *ChangeResult) {
	s.Change = &study.Mark{Label: c.Name, RunsOn: c.RunsOn, Amount: c.Simulation.After,
		MeanWait: study.MeanWait(served.After(c.Affected))}
	gain := c.Gain()
	s.NoGain, s.ChangeTied = !(gain.Mean > 0), !c.Beyond(gain)
	s.BeforeCosts = !c.Small && c.Unpriced()
	if c.Net != nil {
		after := *c.Net
		after.Mean += c.Simulation.Before.Mean
		s.AfterCosts = &after
	}
}
