package quote

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// TestQuoteLimits: of two processors one is free. A job waits for the running job of its user, who may hold one; with
// two running jobs of the user, which are beyond the limit, it waits for both.
func TestQuoteLimits(t *testing.T) {
	for running := 1; running <= 2; running++ {
		q := server(1)
		q.sites = func() ([]workload.Site, error) {
			return []workload.Site{{Site: simulate.Site{Processors: running + 1, Policy: new(policy.Backfill)}}}, nil
		}
		q.limits = []simulate.Limit{{Owner: simulate.OfUser, ID: 7, Units: 1}}
		q.waiting[0].Spec.Details.User = 7
		for range running - 1 {
			q.running = append(q.running, new(*q.running[0]))
		}
		for i, j := range q.running {
			j.Spec.Details = simulate.Details{User: 7, Estimate: 1e6 * float64(i+1)}
		}
		at, err := q.reservation(t.Context())
		if want := 1e6*float64(running) - 500; err != nil || math.Abs(at-want) > 2 {
			t.Errorf("%d running jobs: a start in %.0f s, want %.0f: %v", running, at, want, err)
		}
	}
}
