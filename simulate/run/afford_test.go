package run

import (
	"context"
	"runtime"
	"testing"

	"revopt/internal/budget"
	"revopt/internal/fixture"
	"revopt/model/scenario"
)

// TestSideBySide counts the runs at a time by hand.
func TestSideBySide(t *testing.T) {
	all := float64(runtime.GOMAXPROCS(0))
	for _, c := range []struct {
		workers, runs int
		want          float64
	}{{1, 1, 1}, {1, 1000, 1}, {2, 1000, 2}, {8, 3, 3}, {4, 0, 1}, {0, 1000, all}, {-1, 1000, all}} {
		if got := sideBySide(c.workers, c.runs); got != c.want {
			t.Errorf("%d runs with %d workers: %g at a time, want %g", c.runs, c.workers, got, c.want)
		}
	}
}

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
