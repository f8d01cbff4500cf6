package paper

import (
	"context"
	"fmt"

	"revopt/optimize"
	"revopt/plots"
)

const (
	fourClassParameters = "scenario nist-four (n = 25, no grace), load from 0.005 to 1.4"
	fourClassNote       = "25 jobs at a time, lengths of 4400 ± 1500 s, no grace"
	fourClassOnset      = "the loads at which a class is gone are the paper's; low-value low-urgency jobs begin to be rejected one point before the 15 % of the text " +
		"(80 % of them are admitted there), high-value high-urgency jobs two points before its 60 % (87 %)"
	fourClassShape = "the text speaks of four linear regions; revenue is nearly linear only while a class is being squeezed out, and the slope does not " +
		"jump where a class begins to be rejected: it stops falling there"
	fourClassServer = "the paper speaks of 30 jobs at a time; its numbers are those of 25 without grace, as here"
)

// fourClassAdmission is figure 13: whom to admit as load grows.
func fourClassAdmission() Recipe {
	r := Recipe{
		ID:         "nist-13",
		Title:      "Optimal admission of four classes",
		Source:     nist(13),
		Parameters: fourClassParameters,
		Claim: "low-value low-urgency jobs are shut out between loads of 15 and 21 %, low-value high-urgency jobs between 28 and 40 %, " +
			"high-value high-urgency jobs between 60 and 80 %, and high-value low-urgency jobs are rejected from 90 % on",
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		load, points, err := fourClassOptimum(ctx, o)
		if err != nil {
			return Result{}, err
		}
		fig := fourClassAxes(r, plots.Axis{Label: "Optimal admission", Percent: true, Max: 1})
		remarks := []string{fourClassServer, fourClassOnset}
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
		return Result{Picture: fig, Provenance: provenance("nist-four", varied("load", load)), Remarks: remarks}, nil
	}
	return r
}

// fourClassRevenue is figure 14: what the optimal admission of figure 13 earns.
func fourClassRevenue() Recipe {
	r := Recipe{
		ID:         "nist-14",
		Title:      "Revenue of four classes with optimal admission",
		Source:     nist(14),
		Parameters: fourClassParameters,
		Claim:      "the slope of revenue changes where each class becomes subject to admission control",
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		load, points, err := fourClassOptimum(ctx, o)
		if err != nil {
			return Result{}, err
		}
		fig := fourClassAxes(r, plots.Axis{Label: "Revenue", Unit: "$/h", Max: 90000})
		fig.Series = []plots.Series{{Name: "Optimal admission", X: load, Y: revenues(points)}}
		for i, c := range points[0].System.Classes {
			fig.VLines = append(fig.VLines, plots.Rule{At: lastFull(load, admissions(points, i)), Text: c.Name})
		}
		fig.Notes = append(fig.Notes, "Vertical lines: a class begins to be rejected (H, L: high, low; v: value; u: urgency)")
		return Result{Picture: fig, Provenance: provenance("nist-four", varied("load", load)), Remarks: []string{fourClassServer, fourClassShape}}, nil
	}
	return r
}

// fourClassOptimum solves the four classes for loads up to 140 %.
func fourClassOptimum(ctx context.Context, o Options) (load []float64, points []optimize.Point, err error) {
	f, err := open("nist-four")
	if err != nil {
		return nil, nil, err
	}
	per := 500
	if o.Quick {
		per = 200
	}
	load = grid(1, 7*per/5, per)
	solved, err := solve(ctx, o, curve{values: load, at: f.along("load")})
	if err != nil {
		return nil, nil, err
	}
	return load, solved[0], nil
}

func fourClassAxes(r Recipe, y plots.Axis) plots.Figure {
	return plots.Figure{
		ID: r.ID, Title: r.Title,
		X: plots.Axis{Label: "Aggregate load", Percent: true, Max: 1.4}, Y: y,
		Notes: []string{fourClassNote},
	}
}
