package paper

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/optimize"
)

// searchEffort is how long the admission that earns most on the simulator is
// searched for.
func searchEffort(o Options) scenario.SearchEffort {
	if o.Quick {
		return scenario.SearchEffort{Jobs: 5000, Replications: 8, Step: 1.0 / 32}
	}
	return scenario.SearchEffort{Jobs: 20000, Replications: 8, Step: 1.0 / 64}
}

// searchWords says how an admission is searched for; see package tune.
func searchWords(e scenario.SearchEffort) string {
	return fmt.Sprintf("compass search to steps of %.2g on %d replications of %d jobs, best of it and its starts on %d others",
		e.Step, e.Replications, e.Jobs, 2*e.Replications)
}

// analyticAdmission returns the admission that is best by the model.
func analyticAdmission(ctx context.Context, sc *scenario.Scenario) ([]float64, error) {
	best, err := optimize.Solve(ctx, sc.System(), optimize.Settings{})
	return best.Admit, err
}

// searchStarts returns the admissions from which the search for the tuned one
// starts.
func searchStarts(ctx context.Context, sc *scenario.Scenario) ([][]float64, error) {
	return optimize.Candidates(ctx, sc.System())
}
