package policy_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// TestOrdersByHand works schedules on 4 processors by hand. Job 0 has them all until 10.
//
// At 10 jobs 1 to 4 have waited 8, 6, 5 and 4 s. WFP3 is (8/16)³·2 = 0.25, (6/4)³·1 = 3.4,
// (5/10)³·4 = 0.5 and (4/4)³·2 = 2: jobs 2 and 4 start, then 3 is the head, at 14, and 1 does
// not end by then. At 14 job 3 is first: (9/10)³·4 = 2.9 against (12/16)³·2 = 0.8.
//
// By area 4 (8), 2 (4), 1 (32), 3 (40): 2, 4, then 1 at 14. By estimate 2 and 4 (4), 3, 1.
// F1 is log10(r)·n + 870·log10(s) with s = 2, 4, 5 and 6, so that jobs start by arrival here:
// 1 and 2, then 3 waits for all four, until 26, and 4 ends by then.
func TestOrdersByHand(t *testing.T) {
	jobs := []policytest.Submission{
		{At: 0, Runtime: 10, Estimate: 10, Width: 4}, {At: 2, Runtime: 16, Estimate: 16, Width: 2},
		{At: 4, Runtime: 4, Estimate: 4, Width: 1}, {At: 5, Runtime: 10, Estimate: 10, Width: 4},
		{At: 6, Runtime: 4, Estimate: 4, Width: 2},
	}
	for _, test := range []struct {
		policy, backfill string
		want             []float64 // starts
	}{
		{"wfp3", "", []float64{0, 24, 10, 14, 10}},
		{"wfp3", "none", []float64{0, 24, 10, 14, 10}},
		{"saf-bf", "", []float64{0, 14, 10, 30, 10}},
		{"sjf", "", []float64{0, 24, 10, 14, 10}},
		{"f1", "", []float64{0, 10, 10, 26, 14}},
		{"f1", "none", []float64{0, 10, 10, 26, 36}},
	} {
		given := policy.Settings{}
		if test.backfill != "" {
			given["backfill"] = test.backfill
		}
		for i, got := range policytest.Execute(t, 4, policytest.ByName(t, test.policy, given), jobs) {
			if got.Start != test.want[i] {
				t.Errorf("%s %s: job %d starts at %g, want %g", test.policy, test.backfill, i, got.Start, test.want[i])
			}
		}
	}
}

// TestOrderLikeKey: an order that does not change with time is a key, with outages, with
// predictions, with deadlines and while jobs give up.
func TestOrderLikeKey(t *testing.T) {
	const processors = 8
	key := func(j *simulate.Job, estimate float64) float64 { return estimate * float64(j.Width%3) }
	order := func(j *simulate.Job, estimate, _ float64) float64 { return key(j, estimate) }
	for seed := range uint64(80) {
		rnd := rand.New(rand.NewPCG(seed, 32))
		jobs := make([]policytest.Submission, 60)
		at := 0.0
		for i := range jobs {
			at += float64(rnd.IntN(5))
			run := float64(rnd.IntN(30))
			jobs[i] = policytest.Submission{At: at, Runtime: run, Width: 1 + rnd.IntN(processors)}
			jobs[i].Estimate = max(0, run+float64(rnd.IntN(20)-8))
			if rnd.IntN(3) == 0 {
				jobs[i].Deadline = 20 + float64(rnd.IntN(200))
			}
		}
		var out []simulate.Outage
		if seed%2 == 0 {
			out = drawOutages(rnd, processors, false)
		}
		plain := policy.Backfill{Key: key, Lapse: seed%3 == 0, Latest: seed%4 == 0, InOrder: seed%5 == 0}
		plain.Predict, plain.Kill = seed%7 < 3, seed%7 == 4
		varying := plain
		varying.Key, varying.Order = nil, order
		_, want := down(t, processors, &plain, jobs, out)
		if _, got := down(t, processors, &varying, jobs, out); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
