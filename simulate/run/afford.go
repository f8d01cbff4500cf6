package run

import (
	"context"
	"math"
	"runtime"
	"slices"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/model"
)

// jobBytes is what a job needs that waits or runs, in the kernel and its policy, about.
const jobBytes = 700

// AffordRuns refuses replications that do not fit into memory.
func (e *Experiment) AffordRuns(ctx context.Context, replications, workers int) error {
	side, active := sideBySide(workers, replications), e.Active()
	size := text.Fixed(e.Workload.Size(), 0)
	return budget.Memory(ctx, active*jobBytes*side, "%s of %s jobs that wait at a time ask for",
		text.Fixed(active, 0), size)
}

// sideBySide returns how many runs are simulated at a time; 0 workers: one per processor.
func sideBySide(workers, runs int) float64 {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return float64(max(1, min(runs, workers)))
}

// Active estimates how many jobs wait or run at a time at most: the part of them that
// is more than the machine can serve, where jobs do not give up, and all of them where
// they are submitted at once.
func (e *Experiment) Active() float64 {
	jobs, load := e.Workload.Size(), e.Workload.Load()
	givesUp := func(c model.Class) bool { return c.Expire != model.ExpireNever || c.Patience > 0 }
	switch {
	case e.Workload.Stream() > 0 && !e.Overloaded(), e.Policy.Spec.Needs.Deadlines:
		return 0
	case math.IsInf(load, 1): // all are submitted at once, before any gives up
		return jobs
	case !(load > 1), slices.ContainsFunc(e.Workload.Customers(), givesUp):
		return 0
	}
	return jobs * (1 - 1/load)
}
