//go:build long

package run

import "testing"

// TestNoPolicyExceedsABoundLong is TestNoPolicyExceedsABound on more workloads.
func TestNoPolicyExceedsABoundLong(t *testing.T) {
	exceeds(t, 100, 10)
}

// TestConservationLong is TestConservation on many more workloads.
func TestConservationLong(t *testing.T) { conserves(t, 100, 150) }
