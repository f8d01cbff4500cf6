//go:build long

package run

import "testing"

// TestConservationLong is TestConservation on many more workloads.
func TestConservationLong(t *testing.T) { conserves(t, 100, 150) }
