package policy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// TestQoPSByHand: one processor. Job 0 runs to 10. Job 1 is planned for 10 to 20
// and may end at 40, job 2 for 20 to 30 and may end at 35. Job 3 would end at 35
// in the room that is left, and is due at 28. Before job 2 it would end at 25,
// and job 2 at 35, so it fits there. Job 4, due at 25, fits nowhere: at the head
// it makes job 2 critical, job 2 at the head makes job 3 critical, and so on.
func TestQoPSByHand(t *testing.T) {
	jobs := []submission{
		{at: 0, runtime: 10, estimate: 10, width: 1, deadline: 10},
		{at: 1, runtime: 10, estimate: 10, width: 1, deadline: 39},
		{at: 2, runtime: 10, estimate: 10, width: 1, deadline: 33},
		{at: 3, runtime: 5, estimate: 5, width: 1, deadline: 25},
		{at: 4, runtime: 6, estimate: 6, width: 1, deadline: 21},
		{at: 5, runtime: 4, estimate: 4, width: 1, deadline: 34},
	}
	want := []float64{0, 10, 25, 20, math.NaN(), 35}
	for i, got := range execute(t, 1, &policy.QoPS{Tries: 5}, jobs) {
		if got.start != want[i] && !(math.IsNaN(want[i]) && got.reason == simulate.Deadline) {
			t.Errorf("job %d starts at %g, %v; want %g", i, got.start, got.reason, want[i])
		}
	}
}

// TestQoPSKeepsDeadlines: with exact estimates no admitted job is late, whatever
// the load; and more tries admit more, or jobs are never moved.
func TestQoPSKeepsDeadlines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 15))
	var admitted [2]int
	rejected, moved := 0, 0
	for round := range 300 {
		jobs := assorted(rnd, 60, 2+30*rnd.Float64())
		for n, tries := range []int{0, 5} {
			for i, got := range under(t, &policy.QoPS{Terms: policy.Terms{Exact: true}, Tries: tries}, 8, jobs) {
				j := &jobs[i]
				late := j.Value.Dated && got.at > j.Submit+j.Value.Due*(1+1e-9)
				switch {
				case got.kind == simulate.Completed && late:
					t.Fatalf("round %d: job %d ends at %g, due at %g", round, i, got.at, j.Submit+j.Value.Due)
				case got.kind == simulate.Completed:
					admitted[n]++
				case got.reason == simulate.Deadline:
					rejected++
				}
			}
		}
		for i, got := range under(t, &policy.QoPS{Tries: 5}, 8, jobs) {
			if got.kind == simulate.Completed && got.start > jobs[i].Submit {
				moved++
			}
		}
	}
	if admitted[1] <= admitted[0] || rejected < 1000 || moved < 1000 {
		t.Errorf("%d jobs run without tries and %d with, %d are rejected, %d wait", admitted[0], admitted[1], rejected, moved)
	}
}
