package paper

import (
	"revopt/model/scenario"
	"revopt/plots"
)

// impreciseRecipes are figures 5(a), 5(b) and 6 of Kim, Buyya and Kim (2007): the
// schemes on six resources of 144 processors, 1000 applications, one every 300 s on
// average (figure 4).
func impreciseRecipes() []Recipe {
	laxity, profit := plots.Axis{Label: "Deadline laxity", Percent: true}, plots.Axis{Label: "Total profit", Unit: "million $"}
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
		scenario: "ic-grid", path: "applications.laxity", values: []float64{0.1, 0.2, 0.4, 0.6, 0.8}, replications: o.replications(20, 4),
		rows:     compared("mf-edf", "mf-hbf", "mf-timeshare", "hard-mo", "hard-m"),
		measures: []string{"acceptance", "utility"},
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
