package tune

import (
	"cmp"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// setStanding sets where the site stands, on the numbers of the test: today's settings, those that are recommended, the
// best of the other policies that harm nobody, and the bound if it is on these numbers.
func (x *trial) setStanding(chosen *candidate) {
	r := x.out
	list := []study.Contender{x.contender(chosen.policy)} // which may harm, if that was asked for
	for _, v := range r.Versus {
		if !v.Fewer {
			c := x.contender(x.rows[v.Label].policy)
			c.Harm = v.Harm
			list = append(list, c)
		}
	}
	merit := func(c study.Contender) float64 { return plan.Merit(x.Objective, float64(c.Amount.Mean)) }
	slices.SortStableFunc(list, func(a, b study.Contender) int { return cmp.Compare(merit(b), merit(a)) })
	estimate := func(values []float64) metric.Interval { return x.row(chosen).outcome.Estimate(values, values) }
	best := study.NewBest(list, x.Objective == "", estimate)
	today := x.contender(x.Policy)
	today.Now = true
	best.SetPartial(x.Subject, text.Each(append(list, today), func(c study.Contender) string { return c.Label }))
	r.Standing = study.Contest{Best: best, Contenders: append(list, today), Quantity: x.Objective,
		Unit: cmp.Or(r.Unit, "$/h"), Bound: x.boundMark(), Estimate: estimate}.Standing()
	r.Standing.Unsure = best.Runnable != "" && best.Runnable != chosen.policy.Label() && best.Runnable != x.Policy.Label()
}

// contender returns a policy of the report: what it delivers in $/h, or its mean of another objective.
func (x *trial) contender(p subject.Policy) study.Contender {
	row, size := x.rows[p.Label()], float64(metric.Hour)
	if x.Objective != "" {
		size = 1
	}
	amount := study.NewEstimate(x.value(row).Interval().Times(size))
	values := row.outcome.Values(plan.ObjectiveMeasure(x.Objective), -1)
	return study.Contender{Label: p.Label(), RunsOn: p.Spec.RunsOn(p.Settings).Key(), Amount: &amount,
		Money: text.Each(values, func(v float64) float64 { return v * size })}
}

// boundMark returns the mark of the bound, nil if it is not on the numbers of the report.
func (x *trial) boundMark() *study.Mark {
	if x.drawn {
		return nil
	}
	bounds, name := x.point.Best(), plan.ClairvoyantBound
	if x.Objective != "" {
		name = plan.BusyTimeBound
	} else if x.point.Seconds != nil {
		bounds = plan.Hourly(bounds, x.point.Seconds)
	}
	return study.NewBoundMark(name, bounds)
}
