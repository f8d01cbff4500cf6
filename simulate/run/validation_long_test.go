//go:build long

package run

import "testing"

// TestNoPolicyExceedsABoundLong is TestNoPolicyExceedsABound on many more
// workloads.
func TestNoPolicyExceedsABoundLong(t *testing.T) {
	for seed := range uint64(3) {
		exceeds(t, 100+seed, 100)
	}
}

// TestConservationLong is TestConservation on many more workloads.
func TestConservationLong(t *testing.T) { conserves(t, 100, 1000) }
