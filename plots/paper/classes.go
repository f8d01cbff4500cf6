package paper

import (
	"context"
	"fmt"

	"revopt/optimize"
	"revopt/plots"
)

const (
	twoClassParameters = "scenario nist-two (n = 30, τmin = 13200 s, prices $30000 and $6000, decays 0.1 and 0.01 $/s), load 0.8, " +
		"share of high-value jobs from 0 to 1"
	twoClassNote = "30 jobs at a time, lengths of 4400 ± 1500 s, load 80 %, grace of 13200 s"
	sharePath    = "classes.high.share"
)

// twoClassAdmission is figure 10: whom to admit as the mix of two classes
// varies.
func twoClassAdmission() Recipe {
	r := Recipe{
		ID:         "nist-10",
		Title:      "Optimal admission of two classes at load 80 %",
		Source:     nist(10),
		Parameters: twoClassParameters,
		Claim:      "all high-value jobs are admitted up to a share of 75 %, no low-value job from 60 % on",
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		share := twoClassShares(o)
		points, err := classOptima(ctx, o, "nist-two", sharePath, share)
		if err != nil {
			return Result{}, err
		}
		fig := twoClassFigure(r, plots.Axis{Label: "Optimal admission", Percent: true, Max: 1})
		high, low := admissions(points, 0), admissions(points, 1)
		fig.Series = []plots.Series{
			{Name: className("high") + " (τ = 3·10⁵ s)", X: share, Y: high},
			{Name: className("low") + " (τ = 6·10⁵ s)", X: share, Y: low},
		}
		full := lastFull(share, high)
		gone, _ := firstGone(share, low)
		return Result{Picture: fig, Provenance: provenance("nist-two", varied(sharePath, share)), Remarks: []string{
			fmt.Sprintf("all high-value jobs are admitted up to a share of %.1f %% (paper: 75 %%), no low-value job from %.1f %% on "+
				"(paper: 60 %%, where it is true too)", 100*full, 100*gone),
			fmt.Sprintf("the paper's \"cannot admit more than 70%% of the low-value jobs\" if there are any high-value jobs is not so with its "+
				"numbers: the share admitted falls from %.0f %%, and is still 84 %% at 10 %% of high-value jobs with n = 25 and no grace", 100*low[0]),
		}}, nil
	}
	return r
}

// twoClassRevenue is figure 11: what the optimal admission of figure 10 earns.
func twoClassRevenue() Recipe {
	r := Recipe{
		ID:         "nist-11",
		Title:      "Revenue of two classes at load 80 %",
		Source:     nist(11),
		Parameters: twoClassParameters,
		Claim:      "revenue rises with the share of high-value jobs and reaches its maximum where they begin to be rejected, at 75 %",
	}
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		share := twoClassShares(o)
		points, err := classOptima(ctx, o, "nist-two", sharePath, share)
		if err != nil {
			return Result{}, err
		}
		fig := twoClassFigure(r, plots.Axis{Label: "Revenue", Unit: "$/h", Max: 350000})
		fig.Series = []plots.Series{{Name: "Optimal admission", X: share, Y: revenues(points)}}
		full := lastFull(share, admissions(points, 0))
		fig.VLines = []plots.Rule{{At: full, Text: "high-value jobs begin to be rejected"}}
		return Result{Picture: fig, Provenance: provenance("nist-two", varied(sharePath, share)), Remarks: []string{
			fmt.Sprintf("the maximum of $%.0f per hour is reached at a share of %.1f %% (paper: 75 %%)", fig.Series[0].Y[len(share)-1], 100*full),
		}}, nil
	}
	return r
}

// twoClassShares are the shares of high-value jobs.
func twoClassShares(o Options) []float64 {
	per := 500
	if o.Quick {
		per = 100
	}
	return grid(1, per-1, per)
}

func twoClassFigure(r Recipe, y plots.Axis) plots.Figure {
	x := plots.Axis{Label: "Share of high-value jobs", Percent: true, Max: 1}
	return plots.Figure{ID: r.ID, Title: r.Title, X: x, Y: y, Notes: []string{twoClassNote}}
}

// classOptima solves the classes of a built-in scenario along a parameter.
func classOptima(ctx context.Context, o Options, name, path string, values []float64) ([]optimize.Point, error) {
	f := open(name)
	solved, err := solve(ctx, o, curve{values: values, at: f.along(path)})
	return solved[0], err
}

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
		load := fourClassLoads(o)
		points, err := classOptima(ctx, o, "nist-four", "load", load)
		if err != nil {
			return Result{}, err
		}
		fig := fourClassFigure(r, plots.Axis{Label: "Optimal admission", Percent: true, Max: 1})
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
		load := fourClassLoads(o)
		points, err := classOptima(ctx, o, "nist-four", "load", load)
		if err != nil {
			return Result{}, err
		}
		fig := fourClassFigure(r, plots.Axis{Label: "Revenue", Unit: "$/h", Max: 90000})
		fig.Series = []plots.Series{{Name: "Optimal admission", X: load, Y: revenues(points)}}
		for i, c := range points[0].System.Classes {
			fig.VLines = append(fig.VLines, plots.Rule{At: lastFull(load, admissions(points, i)), Text: c.Name})
		}
		fig.Notes = append(fig.Notes, "Vertical lines: a class begins to be rejected (H, L: high, low; v: value; u: urgency)")
		return Result{Picture: fig, Provenance: provenance("nist-four", varied("load", load)), Remarks: []string{fourClassServer, fourClassShape}}, nil
	}
	return r
}

// fourClassLoads are loads up to 140 %.
func fourClassLoads(o Options) []float64 {
	per := 500
	if o.Quick {
		per = 200
	}
	return grid(1, 7*per/5, per)
}

func fourClassFigure(r Recipe, y plots.Axis) plots.Figure {
	x := plots.Axis{Label: "Aggregate load", Percent: true, Max: 1.4}
	return plots.Figure{ID: r.ID, Title: r.Title, X: x, Y: y, Notes: []string{fourClassNote}}
}
