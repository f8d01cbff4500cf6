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
		share, points, err := twoClassOptimum(ctx, o)
		if err != nil {
			return Result{}, err
		}
		fig := twoClassAxes(r, plots.Axis{Label: "Optimal admission", Percent: true, Max: 1})
		high, low := admissions(points, 0), admissions(points, 1)
		fig.Series = []plots.Series{
			{Name: className("high") + " (τ = 3·10⁵ s)", X: share, Y: high},
			{Name: className("low") + " (τ = 6·10⁵ s)", X: share, Y: low},
		}
		full := lastFull(share, high)
		gone, _ := firstGone(share, low)
		return Result{Picture: fig, Provenance: twoClassProvenance(share), Remarks: []string{
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
		share, points, err := twoClassOptimum(ctx, o)
		if err != nil {
			return Result{}, err
		}
		fig := twoClassAxes(r, plots.Axis{Label: "Revenue", Unit: "$/h", Max: 350000})
		fig.Series = []plots.Series{{Name: "Optimal admission", X: share, Y: revenues(points)}}
		full := lastFull(share, admissions(points, 0))
		fig.VLines = []plots.Rule{{At: full, Text: "high-value jobs begin to be rejected"}}
		return Result{Picture: fig, Provenance: twoClassProvenance(share), Remarks: []string{
			fmt.Sprintf("the maximum of $%.0f per hour is reached at a share of %.1f %% (paper: 75 %%)", fig.Series[0].Y[len(share)-1], 100*full),
		}}, nil
	}
	return r
}

// twoClassOptimum solves the two classes for shares of high-value jobs.
func twoClassOptimum(ctx context.Context, o Options) (share []float64, points []optimize.Point, err error) {
	f, err := open("nist-two")
	if err != nil {
		return nil, nil, err
	}
	per := 500
	if o.Quick {
		per = 100
	}
	share = grid(1, per-1, per)
	solved, err := solve(ctx, o, curve{values: share, at: f.along(sharePath)})
	if err != nil {
		return nil, nil, err
	}
	return share, solved[0], nil
}

func twoClassAxes(r Recipe, y plots.Axis) plots.Figure {
	return plots.Figure{
		ID: r.ID, Title: r.Title,
		X: plots.Axis{Label: "Share of high-value jobs", Percent: true, Max: 1}, Y: y,
		Notes: []string{twoClassNote},
	}
}

func twoClassProvenance(share []float64) plots.Provenance {
	return provenance("nist-two", varied(sharePath, share))
}
