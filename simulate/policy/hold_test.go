package policy_test

import (
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// heldJob is a job of a schedule by hand. Its predecessor is a place in the list, from 1.
type heldJob struct {
	submit, work, eligible, expire float64
	due                            float64 // s from the submission; 0 is no deadline
	width                          int
	after                          int32
	think                          float64
}

// TestHeldByHand: schedules of two processors that were worked out by hand. A start of -1 is none.
func TestHeldByHand(t *testing.T) {
	for _, test := range []struct {
		name, policy string
		jobs         []heldJob
		starts       []float64
	}{
		{"a chain of three", "fcfs", []heldJob{
			{submit: 0, work: 10, width: 1},
			{submit: 1, work: 10, width: 1, after: 1},
			{submit: 2, work: 10, width: 1, after: 2},
		}, []float64{0, 10, 20}},
		{"a chain with thinking and another job between", "fcfs", []heldJob{
			{submit: 0, work: 10, width: 2},
			{submit: 1, work: 10, width: 2, after: 1, think: 5},
			{submit: 2, work: 4, width: 2},
			{submit: 3, work: 10, width: 2, after: 2, think: 7},
		}, []float64{0, 15, 10, 32}},
		{"the predecessor has ended", "fcfs", []heldJob{
			{submit: 0, work: 10, width: 1},
			{submit: 12, work: 1, width: 1, after: 1, think: 1},
			{submit: 13, work: 1, width: 1, after: 1, think: 5},
		}, []float64{0, 12, 15}},
		{"the predecessor gives up", "fcfs", []heldJob{
			{submit: 0, work: 100, width: 1},
			{submit: 1, work: 9, width: 2, expire: 20},
			{submit: 2, work: 9, width: 1, after: 2, think: 5},
		}, []float64{0, -1, 25}},
		{"the predecessor is refused", "fcfs", []heldJob{
			{submit: 0, work: 9, width: 3},
			{submit: 0, work: 9, width: 1, after: 1, think: 5},
		}, []float64{-1, 5}},
		{"itself, a later and an unknown predecessor are ignored", "fcfs", []heldJob{
			{submit: 0, work: 9, width: 1, after: 2},
			{submit: 0, work: 9, width: 1, after: 2, think: 5},
			{submit: 1, work: 9, width: 2, after: 77, think: 99},
		}, []float64{0, 0, 9}},
		{"a held job gives up, and frees another", "fcfs", []heldJob{
			{submit: 0, work: 100, width: 1},
			{submit: 1, work: 9, width: 1, eligible: 50, expire: 20},
			{submit: 2, work: 9, width: 1, after: 1, expire: 30},
			{submit: 3, work: 9, width: 1, after: 2, think: 1},
			{submit: 4, work: 9, width: 1, after: 3, think: 1},
		}, []float64{0, -1, -1, 21, 31}},
		{"a held job gives up when it is submitted", "fcfs", []heldJob{
			{submit: 5, work: 9, width: 1, eligible: 50, expire: 4},
			{submit: 6, work: 9, width: 1, after: 1, think: 2},
		}, []float64{-1, 7}},
		{"backfilling past a job that is not there yet", "easy", []heldJob{
			{submit: 0, work: 100, width: 1},
			{submit: 1, work: 10, width: 2, eligible: 50},
			{submit: 2, work: 100, width: 1},
			{submit: 60, work: 50, width: 1},
			{submit: 61, work: 40, width: 1},
		}, []float64{0, 102, 2, 112, 112}},
		// The second is eligible at 20, after its deadline at 16; the third just at its deadline. The last two have the
		// deadlines 33 and 28.
		{"deadlines count from the submission", "edf-bf", []heldJob{
			{submit: 0, work: 9, width: 1, due: 100},
			{submit: 1, work: 5, width: 1, eligible: 20, due: 15},
			{submit: 1, work: 5, width: 1, eligible: 15, due: 14},
			{submit: 3, work: 5, width: 2, eligible: 20, due: 30},
			{submit: 4, work: 5, width: 2, eligible: 20, due: 24},
		}, []float64{0, -1, 15, 25, 20}},
		{"an older job comes before those that wait", "fcfs", []heldJob{
			{submit: 0, work: 20, width: 2},
			{submit: 1, work: 10, width: 2, eligible: 10},
			{submit: 2, work: 10, width: 2},
		}, []float64{0, 20, 30}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var jobs []simulate.Job
			for i, h := range test.jobs {
				j := simulate.Job{Submit: h.submit, Work: h.work, Width: h.width, Eligible: h.eligible, Expire: h.expire,
					Number: int32(i + 1), After: h.after, Think: h.think}
				j.Spec.Details.Estimate = h.work
				if h.due > 0 {
					j.Value = simulate.ByDeadline(1, h.due, 0, true)
				}
				jobs = append(jobs, j)
			}
			sites := []simulate.Site{{Processors: 2, Policy: policytest.ByName(t, test.policy, nil)}}
			for i, got := range policytest.Audited(t, simulate.Config{Sites: sites}, jobs) {
				want := test.starts[i]
				if got.WasAccepted != (want >= 0) || want >= 0 && got.Start != want {
					t.Errorf("job %d: %+v, want a start at %g", i, got, want)
				}
			}
		})
	}
}

// TestEveryPolicyHolds: under the audit no job of any policy starts before it is eligible. With jobs that are eligible when
// they are submitted, every outcome is that of jobs without the field, to the bit.
func TestEveryPolicyHolds(t *testing.T) {
	everywhere(t, func(t *testing.T, spec policy.Spec, sites int) {
		rnd := rand.New(rand.NewPCG(5, 7))
		jobs := policytest.Patient(rnd, policytest.Assorted(rnd, 1000, 20/float64(sites)))
		want := conduct(t, spec, sites, jobs, nil, simulate.ByValue)
		for i := range jobs {
			jobs[i].Eligible, jobs[i].Number = jobs[i].Submit, int32(i+1)
		}
		for i, got := range conduct(t, spec, sites, jobs, nil, simulate.ByValue) {
			if got != want[i] {
				t.Fatalf("job %d: %+v, without a time from which it is eligible %+v", i, got, want[i])
			}
		}
		changed := 0
		for i := range jobs {
			j := &jobs[i]
			if rnd.IntN(3) == 0 {
				j.Eligible += 50 * rnd.ExpFloat64()
			}
			if i > 0 && rnd.IntN(3) == 0 {
				j.After, j.Think = int32(i-rnd.IntN(min(i, 9))), 10*rnd.Float64()
			}
		}
		ends := conduct(t, spec, sites, jobs, nil, simulate.ByValue)
		for i, got := range ends {
			if got != want[i] {
				changed++
			}
			j := &jobs[i]
			if j.After > 0 && got.WasAccepted && got.Start < ends[j.After-1].At+j.Think {
				t.Fatalf("job %d starts at %g, %g s after the end of job %d at %g", i, got.Start, j.Think, j.After-1, ends[j.After-1].At)
			}
		}
		if changed < 100 {
			t.Errorf("%d outcomes changed", changed)
		}
	})
}
