//go:build long

package optimize_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/optimize"
)

// TestPricesLarge solves 200 instances of 2 to 12 classes. Where graces differ and
// the server is full a proof may need more nodes than are allowed; it is close then.
func TestPricesLarge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 9))
	open := 0
	for k := range 200 {
		f := families()[k%len(families())]
		got, err := optimize.Certified(context.Background(), withDemand(rnd, wideSystem(rnd, f)), optimize.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Certified {
			continue
		}
		open++
		if t.Logf("instance %d, %v: gap %.2g", k, f, got.Gap); got.Gap > 1e-3 || f.graces != "unequal" || !got.StabilityBinds {
			t.Errorf("instance %d, %v: gap %g, full server %v", k, f, got.Gap, got.StabilityBinds)
		}
	}
	if open > 6 {
		t.Errorf("%d proofs of 200 do not close", open)
	}
}
