//go:build long

package optimize_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// TestRandomInstancesLong is TestRandomInstances on six thousand instances.
func TestRandomInstancesLong(t *testing.T) {
	for _, f := range families() {
		t.Run(f.String(), func(t *testing.T) { certify(t, f, 500, 4, 1234) })
	}
}

// TestExactOptimumLong is TestExactOptimum in all cases and with more tries.
func TestExactOptimumLong(t *testing.T) { exactOptimum(t, 600, 1) }

// TestPromiseRelaxedLong is TestPromiseRelaxed on more systems.
func TestPromiseRelaxedLong(t *testing.T) { promiseRelaxed(t, 4) }

// TestExactPricesLong is TestExactPrices with floors and promises.
func TestExactPricesLong(t *testing.T) {
	exactPrices(t, map[string]func(int, *model.Class){"floor": graceAndFloor, "promise": promise(600, 0.9, 3)})
}

// TestControlReferenceLong is TestControlReference at the other loads.
func TestControlReferenceLong(t *testing.T) { controlReference(t, 0.95, 1, 2) }

// TestThresholdsBounded holds the best rules, with one mean length and two, between
// static admission and the optimum.
func TestThresholdsBounded(t *testing.T) {
	for _, mean := range []float64{1, 0.5} {
		sys := markov(4, [4]float64{1.5, 1, 2, 0.2}, [4]float64{1 / mean, mean, 3, 0.7}, [4]float64{0.7, 1, 5, 2})
		s := optimize.ControlSettings{Waiting: -1, Gap: 1e-4}
		best := must(optimize.Thresholds(context.Background(), sys, s))
		near(t, "static", best.Static, solved(t, sys).Revenue, 1e-6)
		bound := control(t, sys, s).UpperBound
		if best.Revenue < best.Static || best.Revenue > bound*(1+1e-4) {
			t.Errorf("thresholds earn %g, static admission %g, the bound is %g", best.Revenue, best.Static, bound)
		}
	}
}

// TestPricesLarge solves 200 instances of 2 to 12 classes. If graces differ and the
// server is full, a proof may need more nodes than are allowed; it is close then.
func TestPricesLarge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 9))
	open := 0
	for k := range 200 {
		f := families()[k%len(families())]
		got := certified(t, withDemand(rnd, wideSystem(rnd, f)))
		if got.Certified {
			continue
		}
		open++
		if got.Gap > 1e-3 || f.graces != "unequal" || !got.StabilityBinds {
			t.Errorf("instance %d, %v: gap %g, full server %v", k, f, got.Gap, got.StabilityBinds)
		}
	}
	if open > 6 {
		t.Errorf("%d proofs of 200 do not close", open)
	}
}
