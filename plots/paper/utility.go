package paper

import (
	"context"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots"
)

// sketch is a figure that a paper only sketches: a function, drawn by the code that pays.
func sketch(id, title, key, parameters string, draw func() plots.Picture) Recipe {
	return Recipe{
		ID: id, Title: title, remarks: []string{"the paper's figure is a sketch without numbers; those drawn are ours"},
		build: func(context.Context, Options) (Result, error) {
			prov := plots.Provenance{Extra: []plots.Pair{{Key: key, Value: parameters}}}
			return Result{Picture: draw(), Provenance: prov}, nil
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

// twoUtilities is figure 9 of the NIST paper.
func twoUtilities() Recipe {
	return classUtilities("nist-09", "two", 6e5, 30000,
		"drawn without the grace of 13200 s, as the figure's caption says; (28) counts it")
}

// fourUtilities is figure 12 of the NIST paper.
func fourUtilities() Recipe {
	return classUtilities("nist-12", "four", 4e4, 60000,
		"the decay of HvLu is printed as 1.33 $/s; its τ of 3·10⁴ s makes it 4/3")
}

// classUtilities draws the linear utilities (5) of two or four classes up to a
// delay, from the negative of the highest value on.
func classUtilities(id, count string, shown, high float64, remark string) Recipe {
	name := "nist-" + count
	return Recipe{
		ID: id, Title: "Linear utility functions of the " + count + " job classes", remarks: []string{remark},
		build: func(_ context.Context, o Options) (Result, error) {
			sys, err := o.open(name).system()
			if err != nil {
				return Result{}, err
			}
			fig := utilityAxes(shown, -high, high)
			for _, c := range sys.Classes {
				u := model.Linear(c.MeanPrice(), c.Decay)
				words := fmt.Sprintf("%s (τ = %s)", className(c.Name), seconds(u.Zero()))
				fig.Series = append(fig.Series, drawUtility(words, u, 0, u.Zero(), shown))
			}
			return Result{Picture: fig, Provenance: provenance(name)}, nil
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
