package paper

import (
	"context"
	"slices"
	"testing"

	"revopt/plots"
)

// pair returns both parts of a figure.
func pair(t *testing.T, id string, o Options) (a, b plots.Figure) {
	t.Helper()
	return drawn(t, id+"a", o).Picture.(plots.Figure), drawn(t, id+"b", o).Picture.(plots.Figure)
}

// rises fails unless a series rises from point to point, give or take slack.
func rises(t *testing.T, what string, y []float64, slack float64) {
	t.Helper()
	for i := 1; i < len(y); i++ {
		if y[i] < y[i-1]-slack {
			t.Errorf("%s does not rise: %.3g", what, y)
			return
		}
	}
}

// TestWorkedClaims decides the claims of two papers that no figure decides: all
// hold but those on what is not built, and the one whose numbers do not add up.
func TestWorkedClaims(t *testing.T) {
	open := []string{"pricing-iv-optimization", "libra-ray-tracing", "libra-batch2"}
	e, seen := NewEvidence(context.Background(), Options{Seed: 1}), make(map[string]bool)
	for _, c := range slices.Concat(pricingClaims(), libraClaims()) {
		if seen[c.ID] || c.ID == "" || c.Kind == "" || c.Place == "" || c.Says == "" || c.By == "" {
			t.Errorf("%q is not complete, or there twice", c.ID)
		}
		seen[c.ID] = true
		if c.On != "" && c.ID != "libra-guarantee" {
			continue
		}
		v, err := e.Decide(c)
		if want := !slices.Contains(open, c.ID); err != nil || (v.Outcome == Holds) != want || v.Outcome == Fails {
			t.Errorf("%s %v: %s, %v", c.ID, v.Outcome, v.Got, err)
		}
	}
}

// TestPricing decides claims on figures 2, 3 and 6 with generated jobs.
func TestPricing(t *testing.T) {
	decideAll(t, Options{Quick: true, Seed: 1, Replications: 2, Shared: new(Shared)}, pricingClaims(),
		"pricing-02a-below-libra", "pricing-02a-high-load", "pricing-03b-too-high", "pricing-06a-libra", "pricing-06b-libra", "pricing-06b-under")
}

// decideAll fails where one of the named claims does.
func decideAll(t *testing.T, o Options, list []Claim, names ...string) {
	t.Helper()
	e := NewEvidence(context.Background(), o)
	for _, c := range list {
		if !slices.Contains(names, c.ID) {
			continue
		}
		if v, err := e.Decide(c); err != nil || v.Outcome == Fails {
			t.Errorf("%s %v: %s, %v", c.ID, v.Outcome, v.Got, err)
		}
	}
}

// TestLibraClaims decides the claims on Table 1.
func TestLibraClaims(t *testing.T) {
	e := NewEvidence(context.Background(), Options{Seed: 1, Shared: new(Shared)})
	for _, c := range libraClaims() {
		if c.On != "" {
			if v, err := e.Decide(c); err != nil || v.Outcome == Fails {
				t.Errorf("%s %v: %s, %v", c.ID, v.Outcome, v.Got, err)
			} else {
				t.Log(c.ID, v)
			}
		}
	}
}
