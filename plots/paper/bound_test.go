package paper

import (
	"slices"
	"testing"

	"revopt/plots"
	"revopt/simulate/subject"
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
		if s.Bound || s.Behind {
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

// labeledEnds checks that a figure can be read in gray: few curves, with their names at their ends.
func labeledEnds(t *testing.T, fig plots.Figure) {
	t.Helper()
	if n := len(fig.Series); n > 9 || !fig.EndLabels {
		t.Errorf("%s: %d curves, names at their ends: %v", fig.Title, n, fig.EndLabels)
	}
}

// TestAllPolicies: behind those of a figure are all others that the jobs allow, each once.
func TestAllPolicies(t *testing.T) {
	p := sp2Plan(Options{Quick: true})
	shown := sp2Policies()
	whole, partial, err := p.rowsFor(t.Context(), Options{AllPolicies: true}, shown)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, r := range slices.Concat(whole, partial) {
		count[r.policy]++
		if among := slices.ContainsFunc(shown, func(s row) bool { return s.name == r.name }); among == r.behind {
			t.Errorf("%s is among those shown: %v, behind: %v", r.name, among, r.behind)
		}
	}
	for _, spec := range subject.Standard() {
		if n := count[spec.Name]; !spec.Needs.Recorded && n != 1 && (n != 2 || spec.Also == nil) {
			t.Errorf("%s: %d times", spec.Name, n)
		}
	}
	few, schemes, err := p.rowsFor(t.Context(), Options{}, shown)
	if err != nil || len(few)+len(schemes) != len(shown) {
		t.Errorf("%d and %d rows, want %d: %v", len(few), len(schemes), len(shown), err)
	}
}
