//go:build long

package study

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

// TestTuneFindsOptimumOften is TestTuneFindsOptimum with more seeds: of their intervals 27 contain the gain with
// probability 0.95, and 24 or fewer with probability 0.003.
func TestTuneFindsOptimumOften(t *testing.T) { findsOptimum(t, 30, 25) }

// TestStagedShards is TestStagedTables with other numbers of shards.
func TestStagedShards(t *testing.T) { stagedTables(t, 2, 5) }
