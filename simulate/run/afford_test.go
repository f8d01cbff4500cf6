package run

import (
	"context"
	"testing"

	"revopt/internal/budget"
	"revopt/internal/fixture"
	"revopt/model/scenario"
)

// TestAffordRuns: runs that are simulated side by side take more memory at a time.
func TestAffordRuns(t *testing.T) {
	busy := fixture.Builtin(t, "nist-four", scenario.Set("load", 5), scenario.Set("simulation.jobs", 20000))
	e := under(t, busy.Workload, "hol", nil, nil, 1)
	one := e.Active() * jobBytes
	for _, workers := range []int{1, 4} {
		b := &budget.Budget{Memory: one * float64(workers)}
		if err := e.AffordRuns(b.Context(context.Background()), 4, workers); err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
		b = &budget.Budget{Memory: one * float64(workers) * 0.99}
		if e.AffordRuns(b.Context(context.Background()), 4, workers) == nil {
			t.Errorf("%d workers may use less memory than they need", workers)
		}
	}
}
