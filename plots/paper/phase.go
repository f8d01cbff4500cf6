package paper

import (
	"context"
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

// The part of the plane that the phase diagram shows, p0/v1 in seconds.
const (
	phaseLow  = 1e4
	phaseHigh = 1e7
)

// phaseDiagram is figure 5 of the NIST paper: where one class needs admission control.
// Scenario nist-one without grace; regions by (26), contours of the optimal admission
// by (27), markers by the optimizer.
func phaseDiagram() Recipe {
	return Recipe{
		ID: "nist-05", Title: "Phase diagram of a single job class", build: buildPhaseDiagram,
		remarks: []string{
			"the paper's figure is a sketch without numbers; those of its section IV are drawn: " +
				"30 jobs at a time, lengths of 4400 ± 1500 s, no grace",
		},
	}
}

func buildPhaseDiagram(ctx context.Context, o Options) (Result, error) {
	f := o.open("nist-one", scenario.Set("classes.all.grace", 0))
	sys, err := f.system()
	if err != nil {
		return Result{}, err
	}
	one := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual)
	levels := []float64{0.9, 0.7, 0.5}
	numerical, err := phaseMarkers(ctx, o, f, sys.Classes[0].MeanPrice(), append([]float64{1}, levels...))
	if err != nil {
		return Result{}, err
	}
	return Result{
		Picture: phaseFigure(one, levels, numerical),
		Provenance: provenance("nist-one",
			plots.Pair{Key: "classes.all.grace", Value: "0"},
			plots.Pair{Key: "classes.all.decay", Value: "price/(p0/v1)"},
			varied("load", phaseLoads(o))),
	}, nil
}

// phaseFigure draws the regions, the contours of the given admissions and the
// points that the optimizer found on them.
func phaseFigure(one model.OneClass, levels []float64, numerical plots.Series) plots.Figure {
	load := grid(1, 300, 200)
	// Beyond the axes instead of infinite, so that the regions extend past load 1.
	threshold := text.Each(load, func(beta float64) float64 { return math.Min(one.Contour(1, beta), 100*phaseHigh) })
	fig := plots.Figure{
		X: plots.Axis{Label: "Offered load β", Percent: true, Max: 1.5},
		Y: plots.Axis{Label: "Price over decay p0/v1", Unit: "s", Log: true, Min: phaseLow, Max: phaseHigh, Clip: true},
		Regions: []plots.Region{
			{Name: "Admit all (26)", X: load, Y: threshold, Side: plots.Above, Tint: 1, Edge: true},
			{Name: "Admission control", X: load, Y: threshold, Side: plots.Below, Tint: 2},
		},
		Labels: []plots.Label{
			{X: 0.3, Y: 2e6, Text: "admit all"},
			{X: 0.8, Y: 2.2e4, Text: "admission control"},
		},
	}
	for _, q := range levels {
		s := plots.Series{Name: fmt.Sprintf("q = %.1f, closed form (27)", q), X: load, Bound: true}
		s.Y = text.Each(load, func(beta float64) float64 { return one.Contour(q, beta) })
		fig.Series = append(fig.Series, s)
	}
	fig.Series = append(fig.Series, numerical)
	return fig
}

// phaseLoads are the offered loads at which the optimizer is asked.
func phaseLoads(o Options) []float64 { return finer(o.Quick, grid(1, 5, 4), grid(1, 14, 10)) }

// phaseMarkers returns the points, one for each load and level, from which on
// the optimizer admits at least that share of the jobs. They are found by
// bisection over p0/v1, without any use of the closed form.
func phaseMarkers(
	ctx context.Context, o Options, f builtin, price float64, levels []float64,
) (plots.Series, error) {
	loads := phaseLoads(o)
	edges, err := computed(ctx, o, len(loads)*len(levels), func(ctx context.Context, i int) (float64, error) {
		return phaseEdge(ctx, f, price, loads[i/len(levels)], levels[i%len(levels)])
	})
	if err != nil {
		return plots.Series{}, err
	}
	s := plots.Series{Name: "Numerical optimum", Kind: plots.Points}
	for i, y := range edges {
		// Bisection ends at an end of the axis where the edge is beyond.
		if y > 1.001*phaseLow && y < phaseHigh/1.001 {
			s.X = append(s.X, loads[i/len(levels)])
			s.Y = append(s.Y, y)
		}
	}
	return s, nil
}

// phaseEdge returns the smallest p0/v1 at which the optimizer admits the share
// q of the jobs at a load, or an end of the axis if it lies beyond.
func phaseEdge(ctx context.Context, f builtin, price, load, q float64) (float64, error) {
	low, high := math.Log(phaseLow), math.Log(phaseHigh)
	for high-low > 1e-6 {
		mid := (low + high) / 2
		sys, err := f.with(scenario.Set("load", load), scenario.Set("classes.all.decay", price/math.Exp(mid))).system()
		if err != nil {
			return 0, err
		}
		// The optimum reaches 1 exactly, its numbers only within rounding.
		r, err := optimize.Solve(ctx, sys, optimize.Settings{Gap: 1e-10})
		if err != nil {
			return 0, err
		}
		if r.Admit[0] < q-1e-7 {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Exp(high), nil
}
