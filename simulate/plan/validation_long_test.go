//go:build long

package plan

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

// TestStagedShards is TestStagedTables with other numbers of shards.
func TestStagedShards(t *testing.T) { stagedTables(t, 2, 5) }
