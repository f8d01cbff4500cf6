package paper

import (
	"fmt"
	"math"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// schemes are those of Kim, Buyya and Kim (2007). Remarks rely on their order.
func schemes() []contender {
	return compared("mf-edf", "mf-hbf", "mf-timeshare", "hard-mo", "hard-m")
}

// An impreciseView is a figure drawn from a grid study.
type impreciseView struct {
	id, title, figure, parameters, claim string
	x, y                                 plots.Axis
	measure                              string
	scale                                float64 // of the measure in the unit of the axis
	study                                func(o Options) design
	words                                func([]plots.Series) []string
}

// impreciseRecipes are figures 5(a), 5(b) and 6.
func impreciseRecipes() []Recipe {
	laxity, profit := plots.Axis{Label: "Deadline laxity", Percent: true}, plots.Axis{Label: "Total profit", Unit: "million $"}
	views := []impreciseView{{
		id: "ic-05a", title: "Applications accepted against laxity", figure: "5(a)",
		parameters: "laxity 10 to 80 %, optional budget rate uniform from 0.1 to 0.3",
		claim:      "Hard-M+O accepts less than half of the applications, the mandatory-first schemes about 80 %, Hard-M all",
		x:          laxity, y: plots.Axis{Label: "Applications accepted", Percent: true, Max: 1},
		measure: "acceptance", scale: 1, study: laxityStudy, words: acceptanceRemarks,
	}, {
		id: "ic-05b", title: "Profit against laxity", figure: "5(b)",
		parameters: "laxity 10 to 80 %, optional budget rate uniform from 0.1 to 0.3",
		claim:      "the mandatory-first schemes earn most, above all at a laxity of 10 and 20 %; Hard-M earns least",
		x:          laxity, y: profit, measure: "utility", scale: 1e-6, study: laxityStudy, words: profitRemarks,
	}, {
		id: "ic-06", title: "Profit against the optional budget rate", figure: "6",
		parameters: "laxity uniform from 10 to 50 %, mean optional budget rate from 0.05 to 0.3, each ±50 %",
		claim:      "at low rates Hard-M+O earns less than Hard-M; the mandatory-first schemes earn more than either",
		x:          plots.Axis{Label: "Mean optional budget rate"}, y: profit, measure: "utility", scale: 1e-6, study: rateStudy, words: crossingRemarks,
	}}
	var recipes []Recipe
	for _, v := range views {
		recipes = append(recipes, Recipe{
			ID: v.id, Title: v.title, Claim: v.claim,
			Source:     "Kim, Buyya and Kim, Imprecise Computation Grid Application Model for Flexible Market-based Resource Allocation, figure " + v.figure,
			Parameters: "six resources of 144 processors, 1000 applications, one every 300 s on average (figure 4); " + v.parameters,
			Sweeps:     func(o Options) ([]*study.SweepSpec, error) { return specs(o, v.study(o)) },
			draw: func(o Options, found []*study.SweepResults) Result {
				d := v.study(o)
				fig := plots.Figure{X: v.x, Y: v.y, Series: v.curves(found[0], d.values), Notes: []string{bands(d.replications, " of 1000 applications", "mean")}}
				return Result{Picture: fig, Provenance: o.provenance(d.scenario, d.replications, list(d.path, d.values)), Remarks: v.words(fig.Series)}
			},
		})
	}
	return recipes
}

// curves draws every scheme along the parameter.
func (v impreciseView) curves(found *study.SweepResults, x []float64) []plots.Series {
	var curves []plots.Series
	for i, c := range schemes() {
		line := plots.Series{Name: c.name, X: x, Look: c.look}
		for k := range x {
			values := found.Values(study.Case{Point: k, Policy: i}, v.measure, "")
			addInterval(&line, scaled(metric.Estimate(values, metric.DefaultLevel), v.scale))
		}
		curves = append(curves, line)
	}
	return curves
}

// laxityStudy is the experiment of figure 5.
func laxityStudy(o Options) design {
	return impreciseDesign(o, "applications.laxity", 0.1, 0.2, 0.4, 0.6, 0.8)
}

// rateStudy is the experiment of figure 6.
func rateStudy(o Options) design {
	d := impreciseDesign(o, "applications.rate", 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
	d.set = []scenario.Override{{Path: "applications.laxity", Value: "[0.1, 0.5]"}}
	return d
}

// impreciseDesign is every scheme along a parameter.
func impreciseDesign(o Options, path string, values ...float64) design {
	d := design{scenario: "ic-grid", path: path, values: values, policies: policies(schemes()), replications: o.replications(20, 4)}
	d.metrics = []metric.Measure{measure("acceptance"), measure("utility")}
	return d
}

// acceptanceRemarks says what share each scheme takes.
func acceptanceRemarks(lines []plots.Series) []string {
	words := "accepted, least to most over the laxities:"
	for _, line := range lines {
		least, most := math.Inf(1), math.Inf(-1)
		for _, y := range line.Y {
			least, most = math.Min(least, y), math.Max(most, y)
		}
		words += fmt.Sprintf(" %s %.0f to %.0f %%,", line.Name, 100*least, 100*most)
	}
	return []string{words[:len(words)-1]}
}

// profitRemarks compares the best scheme with Hard-M+O.
func profitRemarks(lines []plots.Series) []string {
	var list []string
	whole := lines[3]
	for i, x := range whole.X {
		best := math.Max(lines[0].Y[i], math.Max(lines[1].Y[i], lines[2].Y[i]))
		list = append(list, fmt.Sprintf("laxity %.0f %%: the best mandatory-first scheme earns %.0f %% more than Hard-M+O", 100*x, 100*(best/whole.Y[i]-1)))
	}
	return list
}

// crossingRemarks says where Hard-M+O overtakes Hard-M.
func crossingRemarks(lines []plots.Series) []string {
	if x, ok := crossing(lines[3], lines[4]); ok {
		return []string{fmt.Sprintf("Hard-M+O earns less than Hard-M below a rate of %.3f and more above", x)}
	}
	return []string{"Hard-M+O and Hard-M do not cross"}
}

// crossing returns where the first line rises above the second, between two
// points by straight lines.
func crossing(a, b plots.Series) (x float64, ok bool) {
	for i := 1; i < len(a.X); i++ {
		before, after := a.Y[i-1]-b.Y[i-1], a.Y[i]-b.Y[i]
		if before < 0 && after >= 0 {
			return a.X[i-1] + (a.X[i]-a.X[i-1])*before/(before-after), true
		}
	}
	return 0, false
}
