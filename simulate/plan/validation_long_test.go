//go:build long

package plan

import (
	"context"
	"testing"
)

// TestNoPolicyExceedsABoundLong is TestNoPolicyExceedsABound on many more
// workloads.
func TestNoPolicyExceedsABoundLong(t *testing.T) {
	for seed := range uint64(3) {
		exceeds(t, 100+seed, 100)
	}
}

// TestConservationLong is TestConservation on many more workloads.
func TestConservationLong(t *testing.T) { conserves(t, 100, 1000) }

// TestStagedShards is TestStaged with other numbers of shards.
func TestStagedShards(t *testing.T) {
	for _, sweep := range stagedSweeps {
		r, err := runOn(context.Background(), plan(t, sweep), Engine{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, shards := range []int{2, 5} {
			stagedShards(t, sweep, shards, allText(t, r), r.Finished())
		}
	}
}
