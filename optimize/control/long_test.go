//go:build long

package control_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/optimize"
	"revopt/optimize/control"
)

// TestControlReferenceLong is TestControlReference at the other loads.
func TestControlReferenceLong(t *testing.T) { controlReference(t, 0.95, 1, 2) }

// TestThresholdsBounded holds the best rules, with one mean length and two, between
// static admission and the optimum.
func TestThresholdsBounded(t *testing.T) {
	for _, mean := range []float64{1, 0.5} {
		sys := markov(4, [4]float64{1.5, 1, 2, 0.2}, [4]float64{1 / mean, mean, 3, 0.7}, [4]float64{0.7, 1, 5, 2})
		s := control.Settings{Waiting: -1, Gap: 1e-4}
		best := must(control.Thresholds(context.Background(), sys, s))
		near(t, "static", best.Static, must(optimize.Solve(context.Background(), sys, optimize.Settings{})).Revenue, 1e-6)
		bound := solve(t, sys, s).UpperBound
		if best.Revenue < best.Static || best.Revenue > bound*(1+1e-4) {
			t.Errorf("thresholds earn %g, static admission %g, the bound is %g", best.Revenue, best.Static, bound)
		}
	}
}

// TestThresholdsInOverloadLong holds the best rules in random overloads between static
// admission and what the servers can earn.
func TestThresholdsInOverloadLong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(59, 2))
	for range 12 {
		sys, s := overload(rnd)
		best := must(control.Thresholds(context.Background(), sys, s))
		if fluid := must(optimize.Fluid(sys)); best.Revenue > fluid*(1+1e-12) {
			t.Errorf("load %.3g, %+v: %g $/s of at most %g", sys.Load(), best.Rule, best.Revenue, fluid)
		}
		if best.Revenue < best.Static*(1-1e-9) {
			t.Errorf("load %.3g, %+v: %g $/s, static %g", sys.Load(), best.Rule, best.Revenue, best.Static)
		}
	}
}
