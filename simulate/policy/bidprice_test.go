package policy_test

import (
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// TestBidPrice: on one processor a job comes at 0 and ends at 1, where the price is
// taken: one job in 1 s was worth it. The second job, 30 s for $60, would use the
// processor for 29 s that others would have had. At $5 a second they are worth
// more, and it is held, until it can only be late; at $2 it starts. The third is
// worth its 4 s.
func TestBidPrice(t *testing.T) {
	jobs := []simulate.Job{hardJob(0, 1, 100, 100), hardJob(10, 30, 60, 100), hardJob(50, 5, 50, 100)}
	for _, test := range []struct {
		price float64
		held  bool
	}{{5, true}, {2, false}} {
		p := &policy.ValueBF{Future: 0.98, Reservations: 1, BidPrice: &policy.BidPrice{
			Price: func(jobs []simulate.Job, processors int, span float64) float64 {
				if processors != 1 || !(span > 0) || len(jobs) == 0 {
					t.Errorf("%d jobs, %d processors, %g s", len(jobs), processors, span)
				}
				return test.price
			},
		}}
		got := serve(t, p, jobs)
		if held := got[1].Reason == simulate.Lapsed; held != test.held || !held && got[1].Start != 10 || got[0].Start != 0 || got[2].Start != 50 {
			t.Errorf("price %g: %+v", test.price, got)
		}
	}
}
