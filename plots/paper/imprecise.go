package paper

import (
	"math"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate"
)

// budgetFunctions is figure 1 of Kim, Buyya and Kim (2007): what an executed length
// of a job pays, lengths in MI, money in $.
func budgetFunctions() Recipe {
	return sketch("ic-01", "Budget function of an imprecise job", "function",
		"m = o = 10⁶ MI, b^m = $1000, b^o(o) = $500, linear, concave with exponent 1/2, "+
			"and in steps at a quarter, a half and all of o", drawBudgets)
}

func drawBudgets() plots.Picture {
	const mandatory, optional, reward, bonus = 1e6, 1e6, 1000, 500
	parts := plots.Figure{
		Title: "(a) optional length",
		X:     plots.Axis{Label: "Executed optional length", Unit: "10⁶ MI", Max: 1},
		Y:     plots.Axis{Label: "Budget", Unit: "$", Max: bonus},
	}
	whole := plots.Figure{
		Title:  "(b) whole job",
		X:      plots.Axis{Label: "Executed length", Unit: "10⁶ MI", Max: 2},
		Y:      plots.Axis{Label: "Budget", Unit: "$", Max: reward + bonus},
		VLines: []plots.Rule{{At: 1, Text: "mandatory length"}},
	}
	steps := simulate.Steps{
		{At: optional / 4, Amount: 200}, {At: optional / 2, Amount: 100}, {At: optional, Amount: 200},
	}
	for _, b := range []struct {
		name  string
		kind  plots.Kind
		bonus simulate.Bonus
	}{
		{"Linear", plots.Line, simulate.Linear(bonus / optional)},
		{"Concave", plots.Line, simulate.Concave{Top: bonus, Length: optional, Exponent: 0.5}},
		{"Steps", plots.Step, steps},
	} {
		job := simulate.Imprecise{Mandatory: mandatory, Optional: optional, Reward: reward, Bonus: b.bonus}
		part := func(x float64) float64 { return b.bonus.Of(1e6 * x) }
		all := func(x float64) float64 {
			if 1e6*x < job.Mandatory {
				return 0
			}
			return job.Worth(1e6*x - job.Mandatory)
		}
		parts.Series = append(parts.Series, sampled(b.name, b.kind, 1, part))
		whole.Series = append(whole.Series, sampled(b.name, b.kind, 2, all))
	}
	return plots.Sheet{Columns: 2, Height: 8, Panels: []plots.Figure{parts, whole}}
}

// impreciseRecipes are figures 5(a), 5(b) and 6 of Kim, Buyya and Kim (2007): the
// schemes on six resources of 144 processors, 1000 applications, one every 300 s on
// average (figure 4).
func impreciseRecipes() []Recipe {
	laxity := plots.Axis{Label: "Deadline laxity", Percent: true}
	profit := plots.Axis{Label: "Total profit", Unit: "million $", Max: math.NaN()}
	accepted := plots.Axis{Label: "Applications accepted", Percent: true, Max: 1}
	recipe := func(id, title, measure string, plan func(Options) plan, x, y plots.Axis) Recipe {
		return Recipe{ID: id, Title: title, simulated: &simulated{
			plan: plan, x: x, y: y, measure: measure,
			notes: func(t *table) []string { return []string{bands(t.replications, " of 1000 applications", "mean")} },
			provenance: func(o Options, t *table) plots.Provenance {
				return o.provenance(t.scenario, t.replications, list(t.path, t.values))
			},
		}}
	}
	return []Recipe{
		recipe("ic-05a", "Applications accepted against laxity", "acceptance", laxityPlan, laxity, accepted),
		recipe("ic-05b", "Profit against laxity", "utility", laxityPlan, laxity, profit),
		recipe("ic-06", "Profit against the optional budget rate", "utility", ratePlan,
			plots.Axis{Label: "Mean optional budget rate"}, profit),
	}
}

// laxityPlan is the experiment of figure 5: laxities of 10 to 80 %, optional budget
// rates uniform from 0.1 to 0.3.
func laxityPlan(o Options) plan {
	return plan{
		scenario: "ic-grid", path: "applications.laxity", values: []float64{0.1, 0.2, 0.4, 0.6, 0.8},
		rows: policiesOf("ic-grid"), replications: o.replications(20, 4),
	}
}

// ratePlan is the experiment of figure 6: mean rates of 0.05 to 0.3, each ±50 %, and
// laxities uniform from 10 to 50 %.
func ratePlan(o Options) plan {
	p := laxityPlan(o)
	p.path, p.values = "applications.rate", []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3}
	p.set = []scenario.Override{{Path: "applications.laxity", Value: "[0.1, 0.5]"}}
	return p
}
