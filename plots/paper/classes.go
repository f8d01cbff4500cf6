package paper

import (
	"context"
	"fmt"

	"revopt/optimize"
	"revopt/plots"
)

// optimaOf returns a recipe of the optima of a built-in scenario along a field.
func optimaOf(id, title, name, path string, quick, full []float64, axes plots.Figure, remarks []string,
	draw func(fig *plots.Figure, x []float64, points []optimize.Point)) Recipe {
	return Recipe{ID: id, Title: title, remarks: remarks, build: func(ctx context.Context, o Options) (Result, error) {
		x := finer(o.Quick, quick, full)
		solved, err := solve(ctx, o, curve{values: x, at: o.open(name).varying(path)})
		if err != nil {
			return Result{}, err
		}
		fig := axes
		draw(&fig, x, solved[0])
		return Result{Picture: fig, Provenance: provenance(name, varied(path, x))}, nil
	}}
}

// admissionAxis and hourlyAxis are those of optima.
var admissionAxis = plots.Axis{Label: "Optimal admission", Percent: true, Max: 1}

func hourlyAxis(most float64) plots.Axis { return plots.Axis{Label: "Revenue", Unit: "$/h", Max: most} }

func drawAdmissions(fig *plots.Figure, x []float64, points []optimize.Point) {
	for i, c := range points[0].System.Classes {
		name := fmt.Sprintf("%s (τ = %s)", className(c.Name), seconds(c.MeanPrice()/c.Decay))
		fig.Series = append(fig.Series, plots.Series{Name: name, X: x, Y: admissions(points, i)})
	}
}

// twoClassRecipes are figures 10 and 11 of the NIST paper: scenario nist-two (n = 30,
// τmin = 13200 s) at a load of 0.8, along the share of high-value jobs.
func twoClassRecipes() []Recipe {
	recipe := func(id, title string, y plots.Axis, draw func(*plots.Figure, []float64, []optimize.Point)) Recipe {
		axes := plots.Figure{X: plots.Axis{Label: "Share of high-value jobs", Percent: true, Max: 1}, Y: y}
		coarse, all := grid(1, 99, 100), grid(1, 499, 500)
		remarks := []string{"30 jobs at a time, lengths of 4400 ± 1500 s, a load of 80 %"}
		return optimaOf(id, title, "nist-two", "classes.high.share", coarse, all, axes, remarks, draw)
	}
	return []Recipe{
		recipe("nist-10", "Optimal admission of two classes at load 80 %", admissionAxis, drawAdmissions),
		recipe("nist-11", "Revenue of two classes at load 80 %", hourlyAxis(350000),
			func(fig *plots.Figure, share []float64, points []optimize.Point) {
				fig.Series = []plots.Series{{Name: "Optimal admission", X: share, Y: revenues(points)}}
				full := lastFull(share, admissions(points, 0))
				fig.VLines = []plots.Rule{{At: full, Text: "high-value jobs begin to be rejected"}}
			}),
	}
}

// fourClassRecipes are figures 13 and 14 of the NIST paper: scenario nist-four
// (n = 25, no grace) along the load.
func fourClassRecipes() []Recipe {
	recipe := func(id, title string, y plots.Axis, draw func(*plots.Figure, []float64, []optimize.Point)) Recipe {
		axes := plots.Figure{X: plots.Axis{Label: "Aggregate load", Percent: true, Max: 1.4}, Y: y}
		remarks := []string{"the paper speaks of 30 jobs at a time; its numbers are those of 25 without grace, as here"}
		return optimaOf(id, title, "nist-four", "load", grid(1, 280, 200), grid(1, 700, 500), axes, remarks, draw)
	}
	return []Recipe{
		recipe("nist-13", "Optimal admission of four classes", admissionAxis, drawAdmissions),
		recipe("nist-14", "Revenue of four classes with optimal admission", hourlyAxis(90000),
			func(fig *plots.Figure, load []float64, points []optimize.Point) {
				fig.Series = []plots.Series{{Name: "Optimal admission", X: load, Y: revenues(points)}}
				for i, c := range points[0].System.Classes {
					fig.VLines = append(fig.VLines, plots.Rule{At: lastFull(load, admissions(points, i)), Text: c.Name})
				}
				fig.Notes = []string{
					"Vertical lines: a class begins to be rejected (H, L: high, low; v: value; u: urgency)",
				}
			}),
	}
}
