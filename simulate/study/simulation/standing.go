package simulation

import (
	"cmp"
	"context"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/served"
	"revopt/simulate/study"
)

// standing returns where the site stands by the rows of a result; nil for one row alone, and if no job pays. Rows are
// judged against the policy now if it is one of them.
func (s *Simulation) standing(ctx context.Context, r *study.Result, samples *plan.Samples, n int) (
	*study.Standing, error) {
	value := func(row study.Row) metric.Number { return row.Total.Get(metric.ValuePerSecond().Name).Mean }
	if len(r.Policies) < 2 || !slices.ContainsFunc(r.Policies, func(row study.Row) bool { return value(row) != 0 }) {
		return nil, nil
	}
	now := s.policyNow(r)
	order := samples.Plan().RowsAt(0)
	var list []study.Contender
	for i, row := range r.Policies {
		o := samples.Row(0, order[i]).Stretched(n)
		amount := study.NewEstimate(row.Total.Get(metric.ValuePerSecond().Name).Interval().Times(metric.Hour))
		c := study.Contender{Label: row.Label, RunsOn: row.Policy.RunsOn, Groups: row.Groups, Now: i == now,
			Money: o.Values(metric.ValuePerSecond(), -1), Amount: &amount}
		for k := range c.Money {
			c.Money[k] *= metric.Hour
		}
		if now >= 0 && row.Groups != nil {
			c.Harm = served.Harmed(served.Between(r.Policies[now].Groups, row.Groups))
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b study.Contender) int { return cmp.Compare(b.Amount.Mean, a.Amount.Mean) })
	estimate := func(x []float64) metric.Interval { return r.Outcome().Estimate(x, x) }
	best := study.NewBest(list, true, estimate)
	best.SetPartial(r.Subject, policyLabels(r))
	bounds, err := samples.Fluid(context.WithoutCancel(ctx), 0, n)
	if err != nil {
		return nil, err
	}
	name := plan.FluidBound
	if r.Stream {
		name = plan.FluidRateBound
	}
	bound := study.NewBoundMark(name, bounds)
	return study.Contest{Best: best, Contenders: list, Unit: "$/h", Estimate: estimate, Bound: bound}.Standing(), nil
}

func policyLabels(r *study.Result) (list []string) {
	for _, row := range r.Policies {
		list = append(list, row.Policy.Label)
	}
	return list
}

// policyNow returns the row of the policy that the site runs now, the first of the scenario; -1 if it is not there.
func (s *Simulation) policyNow(r *study.Result) int {
	policies, err := s.Subject.Policies()
	if err != nil || len(policies) == 0 {
		return -1
	}
	return slices.IndexFunc(r.Policies, func(row study.Row) bool {
		return row.Policy.Label == policies[0].Label() && row.Admission.Name == scenario.AdmitAll
	})
}
