package simulate_test

import (
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
)

// TestRunning counts the jobs of a class that run when others come.
func TestRunning(t *testing.T) {
	jobs := []simulate.Job{job(0, 10, 1), job(1, 5, 2), job(2, 3, 1), job(7, 1, 1), job(20, 1, 1)}
	jobs[1].Class = 1
	jobs[3].Class = 1
	var got [][2]int
	run(t, simulate.Config{
		Source: &list{jobs: jobs},
		Sites:  []simulate.Site{{Processors: 3, Policy: policy.NewFCFS(false)}},
		Admission: agent.AdmitFunc(func(_ *simulate.Job, sites []*simulate.Cluster) bool {
			got = append(got, [2]int{sites[0].Running(0), sites[0].Running(1)})
			return true
		}),
	})
	// The third waits for the second, until 6.
	if want := [][2]int{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {0, 0}}; !slices.Equal(got, want) {
		t.Errorf("running: %v, want %v", got, want)
	}
}
