package simulate_test

import (
	"testing"

	"revopt/simulate"
)

// both is a policy that shares nodes itself.
type both struct {
	everywhere
	equal
}

// TestMachines: a job of 6 s runs for 3 s on a node of speed 2 and for 12 on
// one of speed 0.5. The policy is its own sharing.
func TestMachines(t *testing.T) {
	got := make(fates)
	run(t, simulate.Config{
		Source:    &list{jobs: []simulate.Job{job(0, 6, 1), job(3, 6, 2)}},
		Sites:     []simulate.Site{{Processors: 2, Policy: new(both), Machines: []simulate.Machine{{Speed: 2}, {Speed: 0.5}}}},
		Observers: []simulate.Observer{got},
	})
	for id, want := range []float64{3, 15} {
		if got[int64(id)].finish != want {
			t.Errorf("job %d ends at %g, want %g", id, got[int64(id)].finish, want)
		}
	}
}

// TestRounding: work left to a relative 1e-12 is none, and an estimate is spent
// only while more than that is left.
func TestRounding(t *testing.T) {
	task := simulate.Task{Work: 1e6, Estimate: 1e6, Rate: 1}
	for _, test := range []struct {
		left float64
		over bool
	}{{0, true}, {-1e-9, true}, {0.99e-6, true}, {1.01e-6, false}, {1, false}} {
		if task.Over(test.left) != test.over {
			t.Errorf("%g s of 1e6 left: over is %t", test.left, !test.over)
		}
		if task.Spent(test.left, 0) {
			t.Errorf("%g s of 1e6 left: an exact estimate is spent", test.left)
		}
	}
	short := simulate.Task{Work: 10, Estimate: 4, Rate: 0.5}
	for _, test := range []struct {
		left  float64
		spent bool
	}{{10, false}, {6.001, false}, {6 + 1e-13, true}, {6, true}, {3, true}, {1e-12, false}, {0, false}} {
		if short.Spent(test.left, 0) != test.spent {
			t.Errorf("%g s left of 10, said 4: spent is %t", test.left, !test.spent)
		}
	}
}
