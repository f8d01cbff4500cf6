package validate

import (
	"cmp"

	"revopt/internal/text"
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

func setBest(v *study.ValidationResult, r *study.Result, p *plan.BoundedPoint, order []int) {
	list := text.EachAt(order, func(k, i int) study.Contender {
		c := study.Contender{Label: r.Policies[k].Label, RunsOn: r.Policies[k].Policy.RunsOn,
			Money: p.Rows[i].Delivered}
		if p.Seconds != nil {
			c.Money = plan.Hourly(c.Money, p.Seconds)
		}
		return c
	})
	v.Best = study.NewBest(list, p.Seconds != nil, p.Estimate)
	v.Best.Unit = cmp.Or(plan.ObjectiveUnit(v.Objective), v.Best.Unit)
	v.Best.SetPartial(r.Subject, text.EachAt(r.Policies, func(_ int, row study.Row) string { return row.Policy.Label }))
}
