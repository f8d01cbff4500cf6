package paper

import (
	"fmt"
	"slices"
	"strings"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate"
)

// penaltyUtility is figure 1 of Yeo and Buyya (2005): utility by time of completion.
func penaltyUtility() Recipe {
	return sketch("sla-01", "Impact of the penalty function on utility", "function",
		"budget $1000, deadline 1 h, penalty rates of 0.05, 0.1 and 0.25 $/s in (1)-(2), and a hard deadline",
		drawPenalties)
}

func drawPenalties() plots.Picture {
	const budget, deadline, shown = 1000, 3600.0, 3.0
	fig := plots.Figure{
		X:      plots.Axis{Label: "Time from submission to end", Unit: "h", Max: shown},
		Y:      plots.Axis{Label: "Utility", Unit: "$", Min: -1000, Max: 1500},
		HLines: []plots.Rule{{At: 0}},
		VLines: []plots.Rule{{At: deadline / perHour, Text: "deadline"}},
	}
	add := func(name string, kind plots.Kind, v simulate.Value) {
		paid := func(x float64) float64 { return v.At(perHour * x) }
		fig.Series = append(fig.Series, sampled(name, kind, shown, paid))
	}
	for _, rate := range []float64{0.05, 0.1, 0.25} {
		add(fmt.Sprintf("Soft, %g $/s", rate), plots.Line, simulate.ByDeadline(budget, deadline, rate, false))
	}
	add("Hard", plots.Step, simulate.ByDeadline(budget, deadline, 0, true))
	return fig
}

// A setting is one curve of a figure of Yeo and Buyya (2005): LibraSLA and Libra with a field of its own.
type setting struct {
	name string
	set  scenario.Override
}

// slaTitles are what figures 2 to 5 vary.
var slaTitles = []string{"share of hard deadlines", "deadline factor", "budget factor", "penalty factor"}

// slaSettings are the curves of a figure: shares of hard deadlines or, from figure 3 on, means of deadlines, budgets
// or penalties of one to three times those of the scenario.
func slaSettings(o Options, figure int) (list []setting) {
	if figure == 0 {
		for _, share := range []float64{0.2, 0.5, 0.8} {
			name := fmt.Sprintf("%.0f %% hard deadlines", 100*share)
			list = append(list, setting{name, scenario.Set("qos.high_urgency", share)})
		}
		return list
	}
	s, err := o.open("sp2-sla").scenario()
	if err != nil {
		panic("paper: " + err.Error())
	}
	qos, what := s.Trace.QoS, strings.TrimSuffix(slaTitles[figure], " factor")
	mean := []model.Spread{qos.Deadline, qos.Budget, qos.Penalty}[figure-1].LowMean
	for _, k := range []float64{1, 2, 3} {
		name := fmt.Sprintf("%s factor %g", capital(what), k)
		list = append(list, setting{name, scenario.Set("qos."+what+".low_mean", k*mean)})
	}
	return list
}

// slaRecipes are figures 2 to 5 of Yeo and Buyya (2005): scenario sp2-sla (section
// 5.1), 1000 jobs, LibraSLA and Libra (best fit, no spare), arrival delay factors
// from 0.005 to 0.04.
func slaRecipes() []Recipe {
	var list []Recipe
	for k, title := range slaTitles {
		for i, measure := range []string{"jobs_completed", "utility"} {
			list = append(list, Recipe{
				ID:    fmt.Sprintf("sla-%02d%c", k+2, 'a'+i),
				Title: []string{"Jobs completed", "Utility"}[i] + " by " + title + ", LibraSLA over Libra",
				remarks: []string{
					"improvement: the total of LibraSLA over that of Libra on the same jobs, less 100 %; " +
						"jobs that end late count as completed",
				},
				simulated: traceFigure(simulated{
					plan:  func(o Options) plan { return slaPlan(o, slaSettings(o, k)) },
					lines: improvements, measure: measure,
					x:      plots.Axis{Label: "Arrival delay factor", Max: 0.04},
					y:      plots.Axis{Label: "Improvement over Libra", Percent: true},
					finish: func(fig *plots.Figure, _ *table) { fig.HLines = []plots.Rule{{At: 0}} },
				}),
			})
		}
	}
	return list
}

// slaPlan is LibraSLA and Libra, setting by setting.
func slaPlan(o Options, settings []setting) plan {
	var rows []row
	for i, c := range settings {
		for _, r := range slices.Backward(policiesOf("sp2-sla")) {
			r.name, r.set, r.look = c.name, []scenario.Override{c.set}, i+1
			rows = append(rows, r)
		}
	}
	p := tracePlan(o, "sp2-sla", o.replications(20, 8), rows)
	p.values = finer(o.Quick, []float64{0.005, 0.02, 0.04}, grid(1, 8, 200))
	return p
}

// improvements returns what LibraSLA has more than Libra in each setting: over the totals at some values of the
// axis, as a share of what Libra has.
func improvements(t *table, measure string) []line {
	var list []line
	for k := 0; k < len(t.rows); k += 2 {
		improvement := func(at ...int) []float64 {
			return ratio(t.totals(k, measure, at), t.totals(k+1, measure, at))
		}
		list = append(list, line{name: t.rows[k].name, look: t.rows[k].look, x: t.values, over: improvement})
	}
	return list
}

// totals returns the sums of a measure over some values of the axis, by replication.
func (t *table) totals(row int, measure string, at []int) []float64 {
	sums := make([]float64, t.replications)
	for i := range t.values {
		if len(at) == 0 || slices.Contains(at, i) {
			for k, v := range t.numbers(row, i, measure) {
				sums[k] += v
			}
		}
	}
	return sums
}

// ratio returns the sum of a over that of b, less 1, as the mean of values whose
// spread is that of the ratio: r - 1 + (a[k] - r b[k]) / mean b.
func ratio(a, b []float64) []float64 {
	under := estimate(b).Mean
	r := estimate(a).Mean / under
	values := make([]float64, len(b))
	for k := range b {
		values[k] = r - 1 + (a[k]-r*b[k])/under
	}
	return values
}
