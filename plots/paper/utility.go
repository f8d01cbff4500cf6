package paper

import (
	"context"
	"fmt"
	"slices"

	"revopt/model"
	"revopt/plots"
)

// The utility drawn in figures 2 and 3. The paper gives no numbers: they are
// ours, chosen so that both figures have the same base value and slope.
const (
	utilityBase    = 1000  // v+, $
	utilityPenalty = 500   // v-, $
	utilityGrace   = 5000  // tau_min, s
	utilityCorner  = 20000 // tau_max, s
	utilityShown   = 25000 // end of the axis, s
)

// sketched is a figure of utilities that the paper only sketches.
func sketched(figure int, title, parameters, claim string, draw func(u model.Utility) plots.Figure) Recipe {
	return Recipe{
		ID: fmt.Sprintf("nist-%02d", figure), Title: title, Source: nist(figure), Parameters: parameters + "; the paper's figure has no numbers", Claim: claim,
		Build: func(context.Context, Options) (Result, error) {
			u, err := model.UtilityFromCorners(utilityBase, utilityPenalty, utilityGrace, utilityCorner)
			if err != nil {
				return Result{}, err
			}
			return Result{
				Picture:    draw(u),
				Provenance: plots.Provenance{Extra: []plots.Pair{{Key: "utility", Value: parameters + "; the paper's figure has no numbers"}}},
				Remarks:    []string{"the paper's figure is a sketch without numbers; those drawn are ours"},
			}, nil
		},
	}
}

// genericUtility is figure 2, the utility with two corners.
func genericUtility() Recipe {
	return sketched(2, "Generic utility function", "v+ = $1000, v- = $500, τmin = 5000 s, τmax = 20000 s in (2)-(4)",
		"the base value is paid up to τmin, the value then falls linearly with slope (v+ + v-)/(τmax - τmin), and stays at the bound -v- from τmax on",
		func(u model.Utility) plots.Figure {
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

// linearUtility is figure 3, the utility without grace and bound.
func linearUtility() Recipe {
	return sketched(3, "Linear utility function", "v0 = $1000, v1 = 0.1 $/s in (5), the slope of nist-02",
		"the value falls from v0 with slope v1 from the first second on, through zero at v0/v1, without a bound",
		func(bounded model.Utility) plots.Figure {
			u := model.Linear(bounded.Base, bounded.Decay)
			fig := utilityAxes(utilityShown, -1500, 1500)
			fig.Series = []plots.Series{drawUtility("Willingness to pay v(τ)", u, 0, u.Zero(), utilityShown)}
			fig.VLines = []plots.Rule{{At: u.Zero(), Text: "τ = v0/v1"}}
			fig.Labels = []plots.Label{{X: 17500, Y: 370, Text: fmt.Sprintf("slope −v1 = −%.1f $/s", u.Decay)}}
			return fig
		})
}

// twoUtilities is figure 9, the utilities of the two classes.
func twoUtilities() Recipe {
	return classUtilities(9, "two", "prices $30000 and $6000, decays 0.1 and 0.01 $/s",
		"high-value jobs are worthless after τ = 3·10⁵ s and low-value jobs after 6·10⁵ s", 6e5, 30000,
		"drawn without the grace of 13200 s, as the figure's caption says; (28) counts it")
}

// fourUtilities is figure 12, the utilities of the four classes.
func fourUtilities() Recipe {
	return classUtilities(12, "four", "prices $60000, $40000, $20000, $10000, decays 4, 4/3, 1, 0.25 $/s",
		"jobs are worthless after τ = 1.5, 3, 2 and 4·10⁴ s (HvHu, HvLu, LvHu, LvLu)", 4e4, 60000,
		"the decay of HvLu is printed as 1.33 $/s; its τ of 3·10⁴ s makes it 4/3")
}

// classUtilities draws the linear utilities (5) of two or four classes up to a
// delay, from the negative of the highest value on.
func classUtilities(figure int, count, parameters, claim string, shown, high float64, remark string) Recipe {
	name := "nist-" + count
	return Recipe{
		ID: fmt.Sprintf("nist-%02d", figure), Title: "Linear utility functions of the " + count + " job classes", Source: nist(figure),
		Parameters: "scenario " + name + ": " + parameters, Claim: claim,
		Build: func(_ context.Context, o Options) (Result, error) {
			sys, err := o.open(name).system()
			if err != nil {
				return Result{}, err
			}
			fig := utilityAxes(shown, -high, high)
			for _, c := range sys.Classes {
				u := model.Linear(c.MeanPrice(), c.Decay)
				fig.Series = append(fig.Series, drawUtility(fmt.Sprintf("%s (τ = %s)", className(c.Name), seconds(u.Zero())), u, 0, u.Zero(), shown))
			}
			return Result{Picture: fig, Provenance: provenance(name), Remarks: []string{remark}}, nil
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

// drawUtility returns the utility at the given delays, between which it must be
// linear.
func drawUtility(name string, u model.Utility, delays ...float64) plots.Series {
	s := plots.Series{Name: name, X: slices.Compact(delays)}
	for _, tau := range s.X {
		s.Y = append(s.Y, u.At(tau))
	}
	return s
}
