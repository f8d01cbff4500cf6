//go:build long

package optimize_test

import (
	"math/rand/v2"
	"testing"

	"revopt/model"
)

// TestRandomInstancesLong is TestRandomInstances on six thousand instances.
func TestRandomInstancesLong(t *testing.T) {
	for _, f := range families() {
		t.Run(f.String(), func(t *testing.T) { certify(t, f, 500, 4, 1234) })
	}
}

// TestExactOptimumLong is TestExactOptimum in all cases and with more tries.
func TestExactOptimumLong(t *testing.T) { exactOptimum(t, 600, 1) }

// TestExactPricesLong is TestExactPrices with floors.
func TestExactPricesLong(t *testing.T) {
	exactPrices(t, map[string]func(int, *model.Class){"floor": graceAndFloor})
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
