package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/plots"
)

// tracePlan is rows on the jobs of a scenario with a trace, generated or of the options.
func tracePlan(o Options, name string, replications int, rows []row) plan {
	return plan{
		scenario: name, trace: o.Trace, path: delayFactor, rows: rows, replications: replications,
	}
}

// delayFactor is the field of the arrival delay factor.
const delayFactor = "trace.arrival_delay_factor"

// workload names the jobs of a plan. A trace may have fewer than are asked for.
func (t *table) workload() string { return jobsOf(t.trace, int(t.numbers(0, 0, "jobs_submitted")[0])) }

// traceFigure completes a figure that is drawn from a trace.
func traceFigure(s simulated) *simulated {
	s.notes = func(t *table) []string {
		return []string{capital(t.workload()), bands(t.replications, "", "mean")}
	}
	s.remark = func(t *table) string { return "workload: " + t.workload() + drawnAnew(t.trace) }
	s.provenance = func(o Options, t *table) plots.Provenance {
		var fields []plots.Pair
		if t.trace != "" {
			fields = append(fields, plots.Pair{Key: "trace.file", Value: t.trace})
		}
		path := t.path
		for _, r := range t.rows {
			if r.option != "" {
				path = "policies." + r.policy + "." + r.option
			}
		}
		p := o.provenance(t.scenario, t.replications, append(fields, varied(path, t.values))...)
		p.Extra = append(p.Extra, plots.Pair{Key: "workload", Value: t.workload()})
		for _, r := range t.rows {
			p.Extra = append(p.Extra, plots.Pair{Key: "policy", Value: r.String()})
		}
		return p
	}
	return &s
}

// fivePolicies are those of Yeo and Buyya (2007), Libra+$ with the defaults of its Table I.
func fivePolicies() []row { return policiesOf("sp2-like") }

// byFactor are Libra, and Libra+$ with pricing factors β.
func byFactor() []row {
	list := fivePolicies()[3:]
	priced := list[1]
	list = list[:1]
	for i, beta := range []float64{0.1, 0.3, 0.5, 1} {
		r := priced
		r.name, r.look = fmt.Sprintf("Libra+$, β = %g", beta), 5+i
		r.options = maps.Clone(priced.options)
		r.options["beta"] = fmt.Sprint(beta)
		list = append(list, r)
	}
	return list
}

// pricingPlan is an experiment of the paper along an axis.
func pricingPlan(o Options, path string, coarse, values []float64, rows []row) plan {
	p := tracePlan(o, "sp2-like", o.replications(10, 3), rows)
	p.path, p.values = path, finer(o.Quick, coarse, values)
	return p
}

// workloadPlan is rows along the arrival delay factor, from 0.02 on as in the paper:
// the heaviest workloads are those where backfilling is ahead of Libra.
func workloadPlan(o Options, rows []row) plan {
	coarse := []float64{0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 1}
	all := append([]float64{0.02}, grid(1, 20, 20)...)
	return pricingPlan(o, delayFactor, coarse, all, rows)
}

// pricingRecipes are figures 2 to 6 of Yeo and Buyya (2007): scenario sp2-like
// (Table I), 5000 jobs, an arrival delay factor of 0.5 where it does not vary.
// Part (a) is Job QoS Satisfaction, part (b) Cluster Profitability.
func pricingRecipes() []Recipe {
	factor := plots.Axis{Label: "Arrival delay factor", Max: 1}
	share := func(label string, most float64) plots.Axis { return plots.Axis{Label: label, Percent: true, Max: most} }
	var list []Recipe
	for _, f := range []struct {
		figure int
		title  string // of what varies
		x      plots.Axis
		plan   func(o Options) plan
	}{
		{2, "workload", factor, func(o Options) plan { return workloadPlan(o, fivePolicies()) }},
		{3, "pricing factor", plots.Axis{Label: "Dynamic pricing factor β", Max: 1}, func(o Options) plan {
			rows := fivePolicies()
			rows[4].option = "beta"
			return pricingPlan(o, "", []float64{0.1, 0.3, 0.5, 0.7, 1}, grid(1, 10, 10), rows)
		}},
		{4, "workload and pricing factor", factor, func(o Options) plan { return workloadPlan(o, byFactor()) }},
		{5, "urgency and pricing factor", share("Jobs of high urgency", 1), func(o Options) plan {
			return pricingPlan(o, "qos.high_urgency", []float64{0, 0.2, 0.5, 0.8, 1}, grid(0, 10, 10), byFactor())
		}},
		{6, "under-estimates and pricing factor", share("Run times under-estimated by", 0.8), func(o Options) plan {
			return pricingPlan(o, "qos.inaccuracy", []float64{0, 0.2, 0.4, 0.6, 0.8}, grid(0, 8, 10), byFactor())
		}},
	} {
		for i, y := range []plots.Axis{share("Job QoS Satisfaction", 0), share("Cluster Profitability", 0)} {
			list = append(list, Recipe{
				ID: fmt.Sprintf("pricing-%02d%c", f.figure, 'a'+i), Title: y.Label + " against " + f.title,
				simulated: traceFigure(simulated{
					plan: f.plan, x: f.x, y: y, measure: []string{"job_qos_satisfaction", "cluster_profitability"}[i],
					finish: finishShares,
				}),
			})
		}
	}
	return list
}

// finishShares ends the axis of shares at a multiple of a tenth, and intervals at 0.
func finishShares(fig *plots.Figure, _ *table) {
	var top float64
	for _, s := range fig.Series {
		top = max(top, slices.Max(slices.Concat(s.Y, s.High)))
		for i, low := range s.Low {
			s.Low[i] = max(0, low)
		}
	}
	fig.Y.Max = min(1, max(0.1, math.Ceil(10*top-1e-9)/10))
}

// traced returns the override that takes the jobs of a trace, none if they are generated.
func traced(trace string) []scenario.Override {
	if trace == "" {
		return nil
	}
	return []scenario.Override{{Path: "trace.file", Value: yamlText(trace)}}
}
