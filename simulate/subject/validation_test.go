package subject_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/bound"
	"revopt/simulate/workload"
)

// constant is one class of jobs of 10 s and $100, which lose $1 per second of
// wait, on one node.
const constant = `
server: {parallel: 1}
load: 0.8
simulation: {jobs: 2000, warmup: 50%, replications: 3}
classes:
  - {name: only, share: 1, length: {dist: deterministic, mean: 10}, price: 100, decay: 1}
`

// Long streams are cut, and short ones are not.
func TestDrained(t *testing.T) {
	for _, c := range []struct {
		simulation string
		jobs       int
		want       float64
		horizon    float64
	}{
		{"{jobs: 100000}", 0, workload.DrainedJobs, 0}, {"{jobs: 70}", 0, 70, 0}, {"{jobs: 70}", 9000, 9000, 0},
		{"{horizon: 1000}", 0, 80, 1000}, {"{horizon: 1000000}", 0, workload.DrainedJobs, 62500}, {"{horizon: 1000}", 30, 30, 0},
	} {
		jobs := fixture.Opened(t, strings.Replace(constant, "{jobs: 2000, warmup: 50%, replications: 3}", c.simulation, 1)).Workload.Drained(c.jobs)
		if math.Abs(jobs.Size()-c.want) > 1e-9*c.want || math.Abs(jobs.Window().Horizon-c.horizon) > 1e-6 {
			t.Errorf("%s: %g jobs to %g s, want %g to %g", c.simulation, jobs.Size(), jobs.Window().Horizon, c.want, c.horizon)
		}
		source, err := jobs.Jobs(1, 3)
		if err != nil {
			t.Fatal(err)
		}
		list, err := bound.Collect(context.Background(), source, bound.Whole)
		if err != nil || c.horizon > 0 && list[len(list)-1].Release > c.horizon || c.horizon == 0 && len(list) != int(c.want) {
			t.Errorf("%s: %d jobs, %v", c.simulation, len(list), err)
		}
	}
}
