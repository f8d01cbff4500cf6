//go:build long

package study

import "testing"

// TestNoPolicyExceedsABoundLong is TestNoPolicyExceedsABound on many more
// workloads.
func TestNoPolicyExceedsABoundLong(t *testing.T) {
	for seed := range uint64(10) {
		exceeds(t, 100+seed, 100)
	}
}
