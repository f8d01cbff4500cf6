package validate

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/plan"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// policyNow is the policy that the site runs now, which others are judged against: the first of the scenario, else the
// usual one.
type policyNow struct {
	label     string
	groups    []served.Measured
	row       int             // of the plan
	added     bool            // it is not one of the rows, and ran in addition
	contender study.Contender // then
}

// policyNow returns the policy now on the jobs of the scenario's point. It runs in addition if it is not among the
// rows. It is nil if it cannot run.
func (v *Validation) policyNow(ctx context.Context, measured *validated) (*policyNow, error) {
	policies, err := v.Subject.Policies()
	if err != nil || len(policies) == 0 {
		return nil, nil
	}
	chosen := policies[0]
	now := &policyNow{label: chosen.Label()}
	samples, row := measured.Samples, v.rowOf(measured, now.label)
	if row < 0 {
		now.added, row = true, 0
		if chosen.Spec.Check(v.Subject.Workload.Has()) != nil {
			return nil, nil
		}
		samples, err = v.alone(ctx, chosen, measured.n)
		if err != nil || samples == nil {
			return nil, err
		}
		if n, _ := samples.Replications(0); n == 0 {
			return nil, nil
		}
		e, err := samples.Experiment(0, row)
		if err != nil {
			return nil, err
		}
		now.contender = study.Contender{Label: now.label, RunsOn: e.RunsOn(), Now: true, Fallback: true,
			Money: samples.Row(0, row).Stretched(measured.n).Delivered()}
	}
	now.row, now.groups = row, served.Join(v.layout.Groups(), samples.Row(0, row).Stretched(measured.n).Served())
	now.contender.Groups = now.groups
	return now, nil
}

// rowOf returns the finished row of a policy that admits all jobs, else its first one, else -1.
func (v *Validation) rowOf(measured *validated, label string) int {
	first := -1
	for _, i := range measured.Plan().RowsAt(0) {
		row := measured.Plan().Rows[i]
		if row.Policy.Label() != label || measured.Row(0, i).N() == 0 {
			continue
		}
		if row.Admission.Name == "" || row.Admission.Name == scenario.AdmitAll {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// alone runs a policy on the jobs of the scenario's point, without bounds.
func (v *Validation) alone(ctx context.Context, p subject.Policy, replications int) (*plan.Samples, error) {
	rows := plan.NewRows([]subject.Policy{p}, []experiment.Admission{{Name: scenario.AdmitAll}})
	x, err := plan.OpenRows(ctx, v.Subject, rows, func(g *plan.Plan) {
		g.Seed = v.Seed
		g.Replications = replications
		g.Resample = v.Resample
		g.Plain = v.Plain
		g.Bounds = &plan.Bounds{Jobs: v.Jobs, Objective: v.Objective, None: true}
		g.Served = v.layout
	}, nil, &v.Level)
	if err != nil {
		return nil, err
	}
	return v.Runner.Run(ctx, x, "the policy now")
}

// place returns where the policy now stands among contenders, the best first, and gives it their unit of money.
func (n *policyNow) place(list []study.Contender, seconds []float64) int {
	if seconds != nil {
		n.contender.Money = plan.Hourly(n.contender.Money, seconds)
	}
	mine := stat.Mean(n.contender.Money, nil)
	i := slices.IndexFunc(list, func(c study.Contender) bool { return stat.Mean(c.Money, nil) < mine })
	if i < 0 {
		return len(list)
	}
	return i
}

// compareNow sets every row against the policy now.
func (v *Validation) compareNow(r *study.Result, now *policyNow) {
	for i := range r.Policies {
		row := &r.Policies[i]
		row.Validated.Affected, row.Validated.Harm = []served.Affected{}, []served.Affected{}
		if now != nil {
			row.Validated.Affected = served.Between(now.groups, row.Groups)
			row.Validated.Harm = served.Harmed(row.Validated.Affected)
		}
	}
	if now != nil {
		r.Validated.Now = now.label
	}
}

// untried returns how many policies apply and are not compared.
func (v *Validation) untried(r *study.Result) int {
	all, _ := r.Subject.Applying()
	return text.Count(all, func(p subject.Policy) bool {
		return !slices.ContainsFunc(r.Policies, func(row study.Row) bool { return row.Policy.Label == p.Label() })
	})
}
