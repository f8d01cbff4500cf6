package paper

import (
	"context"
	"errors"
	"testing"

	"revopt/plots"
	"revopt/simulate/study"
)

// underCeiling checks that no series of a figure passes its proven bound, band
// included, and that every bound has something near it.
func underCeiling(t *testing.T, fig plots.Figure, near float64) {
	t.Helper()
	if len(fig.Regions) != 1 || !fig.Regions[0].Hatch || !fig.Regions[0].Edge {
		t.Fatalf("%s: %d regions, want a ceiling", fig.Title, len(fig.Regions))
	}
	top := fig.Regions[0]
	const slack = 1 + 1e-6
	var best float64
	for _, s := range fig.Series {
		if s.Bound {
			continue
		}
		for i, y := range s.Y {
			low, high := y, y
			if s.High != nil {
				low, high = s.Low[i], s.High[i]
			}
			if y > top.Y[i]*slack || high > top.Y[i]*slack {
				t.Errorf("%s, %s: %g, up to %g, at %g, above the bound %g", fig.Title, s.Name, y, high, s.X[i], top.Y[i])
			}
			if low > y || high < y {
				t.Errorf("%s, %s: band from %g to %g about %g", fig.Title, s.Name, low, high, y)
			}
			best = max(best, y/top.Y[i])
		}
	}
	if best < near {
		t.Errorf("%s: the best policy reaches %g of the bound, want %g", fig.Title, best, near)
	}
}

func TestBoundNIST(t *testing.T) {
	res := drawn(t, "bound-nist", Options{Quick: true, Replications: 2})
	panels := res.Picture.(plots.Sheet).Panels
	for _, fig := range panels {
		underCeiling(t, fig, 0.95)
	}
	fig := panels[0]
	// Claims of section VI: admission pays under overload, the more so without
	// priorities; tuning does not lose to the formula.
	for _, policy := range []string{"HOL", "FCFS"} {
		all, tuned, formula := named(t, fig, policy+", admit all"), named(t, fig, policy+", tuned"), named(t, fig, policy+", optimum")
		if at(t, tuned, 5) < 1.5*at(t, all, 5) || at(t, tuned, 5) < 0.98*at(t, formula, 5) {
			t.Errorf("%s at load 5: tuned %g, admit all %g, formula %g", policy, at(t, tuned, 5), at(t, all, 5), at(t, formula, 5))
		}
	}
	model := named(t, fig, "Model")
	if !model.Bound || at(t, model, 5) <= at(t, model, 1) {
		t.Errorf("model bound %+v", model)
	}
	says(t, "bound-nist", res, "5: ", "load 1", "fluid")
}

func TestBoundSP2(t *testing.T) {
	res := drawn(t, "bound-sp2", Options{Quick: true, Replications: 2})
	sheet := res.Picture.(plots.Sheet)
	// Every policy runs on jobs with deadlines and optional parts. The best policy
	// for whole jobs is drawn beside the partial results as well.
	count := [2]int{0, 1}
	for _, spec := range study.Standard() {
		panel := 0
		if spec.Needs.Optional {
			panel = 1
		}
		count[panel]++
		named(t, sheet.Panels[panel], spec.Title)
		if spec.Also != nil {
			count[panel]++
		}
	}
	if len(sheet.Panels) != 2 || len(sheet.Panels[0].Series) != count[0] || len(sheet.Panels[1].Series) != count[1] {
		t.Fatalf("%d panels", len(sheet.Panels))
	}
	for _, fig := range sheet.Panels {
		underCeiling(t, fig, 0.85)
		bound := fig.Regions[0].Y
		for i := 1; i < len(bound); i++ {
			if bound[i] < bound[i-1]*(1-0.005) { // but for the gap
				t.Errorf("%s: with more time between jobs the bound falls from %g to %g", fig.Title, bound[i-1], bound[i])
			}
		}
	}
	// A policy that may return whole jobs or partial results can do no worse.
	whole, partial := sheet.Panels[0].Regions[0].Y, sheet.Panels[1].Regions[0].Y
	for i := range whole {
		if partial[i] < whole[i]*(1-0.006) {
			t.Errorf("bound %g for both kinds, %g for whole jobs alone", partial[i], whole[i])
		}
	}
	says(t, "bound-sp2", res, "whole jobs, closest", "whole jobs or partial results, closest", "0.1: ", "in light load")
}

func TestEarning(t *testing.T) {
	res := drawn(t, "earning", Options{Quick: true, Replications: 2})
	panels := res.Picture.(plots.Sheet).Panels
	for _, fig := range panels {
		underCeiling(t, fig, 0.9)
		// Under load an order by value beats one by arrival.
		if value, easy := named(t, fig, "Value-BF"), named(t, fig, "EASY"); at(t, value, 0.1) < at(t, easy, 0.1)+0.1 {
			t.Errorf("%s at 0.1: Value-BF %g, EASY %g", fig.Title, at(t, value, 0.1), at(t, easy, 0.1))
		}
		for _, spec := range study.Standard() {
			if !spec.Needs.Optional {
				named(t, fig, spec.Title)
			}
		}
	}
	says(t, "earning", res, "exact estimates, closest", "estimates of users, closest", "with knowledge of the future", "0.1: ")
}

func TestCanceledBoundsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range []Recipe{nistBounds(), sp2Bounds(), earning()} {
		if _, err := r.Build(ctx, Options{Quick: true}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", r.ID, err, context.Canceled)
		}
	}
}
