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
// hold but the one without numbers, and the one whose numbers do not add up.
func TestWorkedClaims(t *testing.T) {
	list := slices.DeleteFunc(slices.Concat(pricingClaims(), libraClaims()), func(c Claim) bool { return c.On != "" })
	decide(t, Options{Seed: 1}, list, map[string]Outcome{"libra-ray-tracing": Undetermined, "libra-batch2": Undetermined})
}

// TestLibraReadings: the claims are decided even where two draws are alike, and the
// guarantee on the jobs of each reading.
func TestLibraReadings(t *testing.T) {
	p, _ := FindPaper("libra")
	m, err := Decide(context.Background(), Options{Seed: 1, Replications: 2}, p)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Claims, func(c Claim) bool { return c.ID == "libra-guarantee" })
	seen := make(map[string]string)
	for k, v := range m.Verdicts[i] {
		if other, ok := seen[v.Got]; ok || v.Outcome != Holds {
			t.Errorf("%s: %v, %s as under %q", m.Readings[k].Name, v.Outcome, v.Got, other)
		}
		seen[v.Got] = m.Readings[k].Name
	}
}

// TestPricing decides claims on figures 2, 3 and 6 with generated jobs.
func TestPricing(t *testing.T) {
	decideAll(t, Options{Quick: true, Seed: 1, Replications: 2, Shared: new(Shared)}, pricingClaims(),
		"pricing-02a-below-libra", "pricing-02a-low-load", "pricing-03b-too-high", "pricing-06a-libra", "pricing-06b-libra", "pricing-06b-under")
}

// TestMeanAlong: a line has the mean of its ends on any axis.
func TestMeanAlong(t *testing.T) {
	for _, x := range [][]float64{{0, 1}, {0, 0.1, 0.2, 1}} {
		s := plots.Series{X: x, Low: make([]float64, len(x)), High: make([]float64, len(x))}
		for i, x := range x {
			s.Y, s.Low[i], s.High[i] = append(s.Y, 3+4*x), 2+4*x, 4+6*x
		}
		got := meanAlong(s)
		near(t, "mean", got.mean, 5, 1e-12)
		near(t, "low", got.low, 4, 1e-12)
		near(t, "high", got.high, 7, 1e-12)
	}
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
	decideAll(t, Options{Seed: 1, Shared: new(Shared)}, libraClaims(), "libra-guarantee", "libra-table1-100-10", "libra-table1-100-20", "libra-table1-200-10", "libra-table1-200-20",
		"libra-table1-ahead", "libra-table1-close", "libra-table1-grows")
}
