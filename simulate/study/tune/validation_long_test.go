//go:build long

package tune

import "testing"

// TestTuneFindsOptimumOften is TestTuneFindsOptimum with more seeds: of their intervals 27 contain the gain with
// probability 0.95, and 24 or fewer with probability 0.003.
func TestTuneFindsOptimumOften(t *testing.T) { findsOptimum(t, 30, 25) }
