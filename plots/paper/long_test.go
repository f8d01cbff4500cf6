//go:build long

package paper

import (
	"os"
	"testing"
)

// TestWholeSectionVI checks the figures at every load 0.25, 0.5, ..., 5.
func TestWholeSectionVI(t *testing.T) {
	checkSectionVI(t, Options{Seed: 1, Replications: 10, Shared: new(Shared)})
}

// TestWholePricing and TestWholeSLA check the full figures on generated jobs and
// on the trace of the papers.
func TestWholePricing(t *testing.T) {
	onBoth(t, func(t *testing.T, o Options) {
		decideAll(t, o, pricingClaims(), "pricing-02a-rises", "pricing-02b-rises", "pricing-02a-below-libra", "pricing-02a-high-load", "pricing-03b-rises", "pricing-03b-too-high",
			"pricing-04a-below-libra", "pricing-05b-many", "pricing-05b-few", "pricing-06a-libra", "pricing-06b-libra", "pricing-06b-under")
	})
}

func TestWholeSLA(t *testing.T) { onBoth(t, checkSLA) }

func onBoth(t *testing.T, check func(*testing.T, Options)) {
	t.Run("sp2-like", func(t *testing.T) { check(t, Options{Seed: 1, Shared: new(Shared)}) })
	t.Run("trace", func(t *testing.T) {
		if _, err := os.Stat(sp2File); err != nil {
			t.Skipf("the SP2 trace is not at %s", sp2File)
		}
		check(t, Options{Seed: 1, Trace: sp2File, Shared: new(Shared)})
	})
}
