package paper

import (
	"context"
	"fmt"

	"revopt/optimize"
	"revopt/plots"
)

// A classSweep is the optimum of the classes of a built-in scenario along a
// parameter, which figures show from several sides.
type classSweep struct {
	scenario, path string // of the parameter
	quick, full    []float64
	parameters     string
	x              plots.Axis
	note           string
}

// recipe returns a figure of the paper that shows the sweep.
func (c classSweep) recipe(figure int, title, claim string, y plots.Axis, draw func(fig *plots.Figure, x []float64, points []optimize.Point) (remarks []string)) Recipe {
	return Recipe{
		ID: fmt.Sprintf("nist-%d", figure), Title: title, Source: nist(figure), Parameters: c.parameters, Claim: claim,
		Build: func(ctx context.Context, o Options) (Result, error) {
			x := finer(o.Quick, c.quick, c.full)
			solved, err := solve(ctx, o, curve{values: x, at: o.open(c.scenario).along(c.path)})
			if err != nil {
				return Result{}, err
			}
			fig := plots.Figure{X: c.x, Y: y, Notes: []string{c.note}}
			remarks := draw(&fig, x, solved[0])
			return Result{Picture: fig, Provenance: provenance(c.scenario, varied(c.path, x)), Remarks: remarks}, nil
		},
	}
}

// classRecipes are figures 10, 11, 13 and 14: which jobs of two and of four
// classes to admit, and what that earns.
func classRecipes() (two, four []Recipe) {
	admission := plots.Axis{Label: "Optimal admission", Percent: true, Max: 1}
	revenue := func(most float64) plots.Axis { return plots.Axis{Label: "Revenue", Unit: "$/h", Max: most} }
	pair := classSweep{
		scenario: "nist-two", path: "classes.high.share", quick: grid(1, 99, 100), full: grid(1, 499, 500),
		parameters: "scenario nist-two (n = 30, τmin = 13200 s, prices $30000 and $6000, decays 0.1 and 0.01 $/s), load 0.8, share of high-value jobs from 0 to 1",
		x:          plots.Axis{Label: "Share of high-value jobs", Percent: true, Max: 1},
		note:       "30 jobs at a time, lengths of 4400 ± 1500 s, load 80 %, grace of 13200 s",
	}
	quad := classSweep{
		scenario: "nist-four", path: "load", quick: grid(1, 280, 200), full: grid(1, 700, 500),
		parameters: "scenario nist-four (n = 25, no grace), load from 0.005 to 1.4",
		x:          plots.Axis{Label: "Aggregate load", Percent: true, Max: 1.4},
		note:       "25 jobs at a time, lengths of 4400 ± 1500 s, no grace",
	}
	return []Recipe{
			pair.recipe(10, "Optimal admission of two classes at load 80 %",
				"all high-value jobs are admitted up to a share of 75 %, no low-value job from 60 % on", admission, drawTwoAdmissions),
			pair.recipe(11, "Revenue of two classes at load 80 %",
				"revenue rises with the share of high-value jobs and reaches its maximum where they begin to be rejected, at 75 %", revenue(350000), drawTwoRevenues),
		}, []Recipe{
			quad.recipe(13, "Optimal admission of four classes",
				"low-value low-urgency jobs are shut out between loads of 15 and 21 %, low-value high-urgency jobs between 28 and 40 %, "+
					"high-value high-urgency jobs between 60 and 80 %, and high-value low-urgency jobs are rejected from 90 % on", admission, drawFourAdmissions),
			quad.recipe(14, "Revenue of four classes with optimal admission",
				"the slope of revenue changes where each class becomes subject to admission control", revenue(90000), drawFourRevenues),
		}
}

func drawTwoAdmissions(fig *plots.Figure, share []float64, points []optimize.Point) []string {
	high, low := admissions(points, 0), admissions(points, 1)
	fig.Series = []plots.Series{
		{Name: className("high") + " (τ = 3·10⁵ s)", X: share, Y: high},
		{Name: className("low") + " (τ = 6·10⁵ s)", X: share, Y: low},
	}
	gone, _ := firstGone(share, low)
	return []string{
		fmt.Sprintf("all high-value jobs are admitted up to a share of %.1f %% (paper: 75 %%), no low-value job from %.1f %% on "+
			"(paper: 60 %%, where it is true too)", 100*lastFull(share, high), 100*gone),
		fmt.Sprintf("the paper's \"cannot admit more than 70%% of the low-value jobs\" if there are any high-value jobs is not so with its "+
			"numbers: the share admitted falls from %.0f %%, and is still 84 %% at 10 %% of high-value jobs with n = 25 and no grace", 100*low[0]),
	}
}

func drawTwoRevenues(fig *plots.Figure, share []float64, points []optimize.Point) []string {
	fig.Series = []plots.Series{{Name: "Optimal admission", X: share, Y: revenues(points)}}
	full := lastFull(share, admissions(points, 0))
	fig.VLines = []plots.Rule{{At: full, Text: "high-value jobs begin to be rejected"}}
	return []string{fmt.Sprintf("the maximum of $%.0f per hour is reached at a share of %.1f %% (paper: 75 %%)", fig.Series[0].Y[len(share)-1], 100*full)}
}

const fourClassServer = "the paper speaks of 30 jobs at a time; its numbers are those of 25 without grace, as here"

func drawFourAdmissions(fig *plots.Figure, load []float64, points []optimize.Point) []string {
	remarks := []string{
		fourClassServer,
		"the loads at which a class is gone are the paper's; low-value low-urgency jobs begin to be rejected one point before the 15 % of the text " +
			"(80 % of them are admitted there), high-value high-urgency jobs two points before its 60 % (87 %)",
	}
	for i, c := range points[0].System.Classes {
		q := admissions(points, i)
		tau := seconds(c.MeanPrice() / c.Decay)
		fig.Series = append(fig.Series, plots.Series{Name: fmt.Sprintf("%s (τ = %s)", className(c.Name), tau), X: load, Y: q})
		remark := fmt.Sprintf("%s: all admitted up to a load of %.1f %%", c.Name, 100*lastFull(load, q))
		if gone, ok := firstGone(load, q); ok {
			remark += fmt.Sprintf(", none from %.1f %% on", 100*gone)
		}
		remarks = append(remarks, remark)
	}
	return remarks
}

func drawFourRevenues(fig *plots.Figure, load []float64, points []optimize.Point) []string {
	fig.Series = []plots.Series{{Name: "Optimal admission", X: load, Y: revenues(points)}}
	for i, c := range points[0].System.Classes {
		fig.VLines = append(fig.VLines, plots.Rule{At: lastFull(load, admissions(points, i)), Text: c.Name})
	}
	fig.Notes = append(fig.Notes, "Vertical lines: a class begins to be rejected (H, L: high, low; v: value; u: urgency)")
	return []string{
		fourClassServer,
		"the text speaks of four linear regions; revenue is nearly linear only while a class is being squeezed out, and the slope does not " +
			"jump where a class begins to be rejected: it stops falling there",
	}
}
