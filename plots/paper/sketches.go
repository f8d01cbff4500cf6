package paper

import (
	"context"
	"fmt"

	"revopt/plots"
	"revopt/simulate"
)

// sketch is a figure that a paper only sketches: a function, drawn by the very code
// that policies are paid by.
func sketch(id, title, source, parameters, claim string, draw func() plots.Picture) Recipe {
	return Recipe{
		ID: id, Title: title, Source: source, Parameters: parameters + "; the paper's figure has no numbers", Claim: claim,
		Build: func(context.Context, Options) (Result, error) {
			return Result{
				Picture:    draw(),
				Provenance: plots.Provenance{Extra: []plots.Pair{{Key: "function", Value: parameters}}},
				Remarks:    []string{"the paper's figure is a sketch without numbers; those drawn are ours"},
			}, nil
		},
	}
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

// The job of figure 1 of Kim, Buyya and Kim: lengths in MI, money in $.
const (
	sketchMandatory = 1e6
	sketchOptional  = 1e6
	sketchReward    = 1000
	sketchBonus     = 500
)

// budgetFunctions is figure 1 of Kim, Buyya and Kim: what an executed length pays.
func budgetFunctions() Recipe {
	return sketch("ic-01", "Budget function of an imprecise job",
		"Kim, Buyya and Kim, Imprecise Computation Grid Application Model for Flexible Market-based Resource Allocation (2007), figure 1",
		"m = o = 10⁶ MI, b^m = $1000, b^o(o) = $500, linear, concave with exponent 1/2, and in steps at a quarter, a half and all of o",
		"the budget of the optional length does not fall as more of it is executed; a job pays nothing before its mandatory length is done, then b^m, and up to b^m + b^o(o)",
		func() plots.Picture {
			parts := plots.Figure{Title: "(a) optional length", X: plots.Axis{Label: "Executed optional length", Unit: "10⁶ MI", Max: 1}, Y: plots.Axis{Label: "Budget", Unit: "$", Max: sketchBonus}}
			whole := plots.Figure{Title: "(b) whole job", X: plots.Axis{Label: "Executed length", Unit: "10⁶ MI", Max: 2}, Y: plots.Axis{Label: "Budget", Unit: "$", Max: sketchReward + sketchBonus}}
			for _, b := range []struct {
				name  string
				kind  plots.Kind
				bonus simulate.Bonus
			}{
				{"Linear", plots.Line, simulate.Linear(sketchBonus / sketchOptional)},
				{"Concave", plots.Line, simulate.Concave{Top: sketchBonus, Length: sketchOptional, Exponent: 0.5}},
				{"Steps", plots.Step, simulate.Steps{{At: sketchOptional / 4, Amount: 200}, {At: sketchOptional / 2, Amount: 100}, {At: sketchOptional, Amount: 200}}},
			} {
				job := simulate.Imprecise{Mandatory: sketchMandatory, Optional: sketchOptional, Reward: sketchReward, Bonus: b.bonus}
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

// penaltyUtility is figure 1 of Yeo and Buyya (2005): the utility of a job by when
// it ends.
func penaltyUtility() Recipe {
	return sketch("sla-01", "Impact of the penalty function on utility",
		"Yeo and Buyya, Service Level Agreement based Allocation of Cluster Resources: Handling Penalty to Enhance Utility (2005), figure 1",
		"budget $1000, deadline 1 h, penalty rates of 0.05, 0.1 and 0.25 $/s in (1)-(2), and a hard deadline",
		"the budget is earned up to the deadline; after it a soft job is worth budget less delay times penalty rate, below zero from budget over penalty rate on and without a bound, a hard one nothing",
		func() plots.Picture {
			const budget, deadline, shown = 1000, 3600.0, 3.0
			fig := plots.Figure{
				X: plots.Axis{Label: "Time from submission to end", Unit: "h", Max: shown}, Y: plots.Axis{Label: "Utility", Unit: "$", Min: -1000, Max: 1500},
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
