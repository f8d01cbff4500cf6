package paper

import (
	"context"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots"
	"revopt/simulate"
)

// sketch is a figure that a paper only sketches: a function, drawn by the code that pays.
func sketch(id, title, key, parameters string, draw func() plots.Picture) Recipe {
	return Recipe{
		ID: id, Title: title, remarks: []string{"the paper's figure is a sketch without numbers; those drawn are ours"},
		build: func(context.Context, Options) Result {
			return Result{Picture: draw(), Provenance: plots.Provenance{Extra: []plots.Pair{{Key: key, Value: parameters}}}}
		},
	}
}

// sketchedUtility returns the utility drawn in figures 2 and 3 of the NIST paper. The
// numbers are ours, chosen so that both figures have the same base value and slope.
func sketchedUtility() model.Utility {
	return model.Utility{Base: 1000, Decay: 0.1, Grace: 5000, Penalty: 500} // down to -$500 at 20,000 s
}

// utilityShown is the end of their axes, s.
const utilityShown = 25000

// genericUtility is figure 2 of the NIST paper, the utility with two corners.
func genericUtility() Recipe {
	return sketch("nist-02", "Generic utility function", "utility",
		"v+ = $1000, v- = $500, τmin = 5000 s, τmax = 20000 s in (2)-(4); the paper's figure has no numbers",
		func() plots.Picture {
			u := sketchedUtility()
			corners := []float64{u.Grace, u.Corner()}
			fig := utilityAxes(utilityShown, -1000, 1500)
			fig.Series = []plots.Series{
				drawUtility("Willingness to pay v(τ)", u, 0, u.Grace, u.Corner(), utilityShown),
				{Name: "Corners", Kind: plots.Points, X: corners, Y: []float64{u.At(corners[0]), u.At(corners[1])}},
			}
			fig.VLines = []plots.Rule{{At: u.Grace, Text: "τmin"}, {At: u.Corner(), Text: "τmax"}}
			fig.Labels = []plots.Label{
				{X: 2500, Y: 1130, Text: "v+"},
				{X: 22500, Y: -370, Text: "−v−"},
				{X: 15500, Y: 620, Text: fmt.Sprintf("slope −b = −%.1f $/s", u.Decay)},
			}
			return fig
		})
}

// linearUtility is figure 3 of the NIST paper, the utility without grace and bound.
func linearUtility() Recipe {
	return sketch("nist-03", "Linear utility function", "utility",
		"v0 = $1000, v1 = 0.1 $/s in (5), the slope of nist-02; the paper's figure has no numbers",
		func() plots.Picture {
			bounded := sketchedUtility()
			u := model.Linear(bounded.Base, bounded.Decay)
			fig := utilityAxes(utilityShown, -1500, 1500)
			fig.Series = []plots.Series{drawUtility("Willingness to pay v(τ)", u, 0, u.Zero(), utilityShown)}
			fig.VLines = []plots.Rule{{At: u.Zero(), Text: "τ = v0/v1"}}
			fig.Labels = []plots.Label{{X: 17500, Y: 370, Text: fmt.Sprintf("slope −v1 = −%.1f $/s", u.Decay)}}
			return fig
		})
}

// classUtilities draws the linear utilities (5) of two or four classes up to a
// delay, from the negative of the highest value on.
func classUtilities(id, count string, shown, high float64, remark string) Recipe {
	name := "nist-" + count
	return Recipe{
		ID: id, Title: "Linear utility functions of the " + count + " job classes", remarks: []string{remark},
		build: func(_ context.Context, o Options) Result {
			sys := must(o.open(name).system())
			fig := utilityAxes(shown, -high, high)
			for _, c := range sys.Classes {
				u := model.Linear(c.MeanPrice(), c.Decay)
				words := fmt.Sprintf("%s (τ = %s)", className(c.Name), seconds(u.Zero()))
				fig.Series = append(fig.Series, drawUtility(words, u, 0, u.Zero(), shown))
			}
			return Result{Picture: fig, Provenance: provenance(name)}
		},
	}
}

// utilityAxes returns an empty plot of value against delay.
func utilityAxes(shown, low, high float64) plots.Figure {
	return plots.Figure{
		X:      plots.Axis{Label: "Queueing delay τ", Unit: "s", Max: shown},
		Y:      plots.Axis{Label: "Value of the job", Unit: "$", Min: low, Max: high},
		HLines: []plots.Rule{{At: 0}},
	}
}

// drawUtility returns the utility at the given delays; it is linear between them.
func drawUtility(name string, u model.Utility, delays ...float64) plots.Series {
	x := slices.Compact(delays)
	return plots.Series{Name: name, X: x, Y: text.Each(x, u.At)}
}

// sampled returns a function at evenly spaced places.
func sampled(name string, kind plots.Kind, to float64, f func(x float64) float64) plots.Series {
	const pieces = 200
	s := plots.Series{Name: name, Kind: kind}
	for i := range pieces + 1 {
		x := to * float64(i) / pieces
		s.X, s.Y = append(s.X, x), append(s.Y, f(x))
	}
	return s
}

// budgetFunctions is figure 1 of Kim, Buyya and Kim (2007): what an executed length
// of a job pays, lengths in MI, money in $.
func budgetFunctions() Recipe {
	const mandatory, optional, reward, bonus = 1e6, 1e6, 1000, 500
	return sketch("ic-01", "Budget function of an imprecise job", "function",
		"m = o = 10⁶ MI, b^m = $1000, b^o(o) = $500, linear, concave with exponent 1/2, and in steps at a quarter, a half and all of o",
		func() plots.Picture {
			money := func(most float64) plots.Axis { return plots.Axis{Label: "Budget", Unit: "$", Max: most} }
			parts := plots.Figure{
				Title: "(a) optional length", X: plots.Axis{Label: "Executed optional length", Unit: "10⁶ MI", Max: 1}, Y: money(bonus),
			}
			whole := plots.Figure{
				Title: "(b) whole job", X: plots.Axis{Label: "Executed length", Unit: "10⁶ MI", Max: 2}, Y: money(reward + bonus),
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
				parts.Series = append(parts.Series, sampled(b.name, b.kind, 1, func(x float64) float64 { return b.bonus.Of(1e6 * x) }))
				whole.Series = append(whole.Series, sampled(b.name, b.kind, 2, func(x float64) float64 {
					if 1e6*x < job.Mandatory {
						return 0
					}
					return job.Worth(1e6*x - job.Mandatory)
				}))
			}
			whole.VLines = []plots.Rule{{At: 1, Text: "mandatory length"}}
			return plots.Sheet{Columns: 2, Height: 8, Panels: []plots.Figure{parts, whole}}
		})
}

// penaltyUtility is figure 1 of Yeo and Buyya (2005): utility by time of completion.
func penaltyUtility() Recipe {
	return sketch("sla-01", "Impact of the penalty function on utility", "function",
		"budget $1000, deadline 1 h, penalty rates of 0.05, 0.1 and 0.25 $/s in (1)-(2), and a hard deadline",
		func() plots.Picture {
			const budget, deadline, shown = 1000, 3600.0, 3.0
			fig := plots.Figure{
				X: plots.Axis{Label: "Time from submission to end", Unit: "h", Max: shown},
				Y: plots.Axis{Label: "Utility", Unit: "$", Min: -1000, Max: 1500},

				HLines: []plots.Rule{{At: 0}}, VLines: []plots.Rule{{At: deadline / perHour, Text: "deadline"}},
			}
			add := func(name string, kind plots.Kind, v simulate.Value) {
				fig.Series = append(fig.Series, sampled(name, kind, shown, func(x float64) float64 { return v.At(perHour * x) }))
			}
			for _, rate := range []float64{0.05, 0.1, 0.25} {
				add(fmt.Sprintf("Soft, %g $/s", rate), plots.Line, simulate.ByDeadline(budget, deadline, rate, false))
			}
			add("Hard", plots.Step, simulate.ByDeadline(budget, deadline, 0, true))
			return fig
		})
}
