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
