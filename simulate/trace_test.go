package simulate_test

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// worked is a trace for 4 processors, worked by hand on paper. Job 3 gives up
// when its value is zero, at 3 + 1 + 80/10 = 12; job 6 when it is at its floor,
// at 8 + (40+4)/8 = 13.5; job 7 comes at the instant at which job 0 ends.
func worked() []simulate.Job {
	inf := math.Inf(1)
	return []simulate.Job{
		{Submit: 0, Work: 10, Width: 3, Rank: 0, Value: worth(100, 1, 0, inf, 10), Expire: inf},
		{Submit: 1, Work: 4, Width: 2, Rank: 0, Value: worth(50, 1, 2, 5, 4), Expire: 53},
		{Submit: 2, Work: 3, Width: 1, Rank: 1, Value: worth(30, 2, 0, inf, 3), Expire: inf},
		{Submit: 3, Work: 5, Width: 4, Rank: 1, Value: worth(80, 10, 1, 8, 5), Expire: 12},
		{Submit: 4, Work: 2, Width: 1, Rank: 0, Value: worth(20, 0.5, 0, inf, 2), Expire: inf},
		{Submit: 6, Work: 1, Width: 1, Rank: 1, Value: worth(10, 0, 0, inf, 1), Expire: inf},
		{Submit: 8, Work: 2, Width: 4, Rank: 1, Value: worth(40, 8, 0, 4, 2), Expire: 13.5},
		{Submit: 10, Work: 1, Width: 1, Rank: 0, Value: worth(9, 3, 1, 2, 1), Expire: inf},
		{Submit: 10, Work: 1, Width: 5, Rank: 9, Value: worth(1000, 0, 0, 0, 1), Expire: inf},
	}
}

// fate is what became of a job.
type fate struct {
	start, finish float64 // NaN where it never ran; finish is then the time it left
	revenue       float64
}

// fates is an observer that collects them.
type fates map[int64]fate

func (f fates) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Completed:
		f[e.Job.ID] = fate{e.Job.Start, e.Time, e.Job.Revenue}
	case simulate.Expired, simulate.Rejected:
		f[e.Job.ID] = fate{math.NaN(), e.Time, e.Job.Revenue}
	}
}

func TestWorkedTrace(t *testing.T) {
	never := math.NaN()
	for _, test := range []struct {
		name   string
		policy simulate.Policy
		want   []fate
	}{
		{"hol", policy.NewHOL(false), []fate{
			{0, 10, 100}, {15, 19, 38}, {2, 5, 30}, {10, 15, 20}, {15, 17, 14.5},
			{15, 16, 10}, {never, 13.5, -4}, {16, 17, -2}, {never, 10, 0},
		}},
		{"hol with backfill", policy.NewHOL(true), []fate{
			{0, 10, 100}, {15, 19, 38}, {2, 5, 30}, {10, 15, 20}, {5, 7, 19.5},
			{7, 8, 10}, {never, 13.5, -4}, {15, 16, -2}, {never, 10, 0},
		}},
		{"fcfs", policy.NewFCFS(false), []fate{
			{0, 10, 100}, {10, 14, 43}, {10, 13, 14}, {never, 12, -8}, {12, 14, 16},
			{13, 14, 10}, {never, 13.5, -4}, {14, 15, 0}, {never, 10, 0},
		}},
		{"fcfs with backfill", policy.NewFCFS(true), []fate{
			{0, 10, 100}, {10, 14, 43}, {2, 5, 30}, {never, 12, -8}, {5, 7, 19.5},
			{7, 8, 10}, {never, 13.5, -4}, {10, 11, 9}, {never, 10, 0},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make(fates)
			run(t, simulate.Config{
				Source:    &list{jobs: worked()},
				Sites:     []simulate.Site{{Processors: 4, Policy: test.policy}},
				Charging:  simulate.ByValue,
				Observers: []simulate.Observer{got},
			})
			for id, want := range test.want {
				g := got[int64(id)]
				same := g.start == want.start || math.IsNaN(g.start) && math.IsNaN(want.start)
				if !same || g.finish != want.finish || g.revenue != want.revenue {
					t.Errorf("job %d: got %+v, want %+v", id, g, want)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("%d jobs ended, want %d", len(got), len(test.want))
			}
		})
	}
}
