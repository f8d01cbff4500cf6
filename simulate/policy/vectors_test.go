package policy_test

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// Short names of reasons.
const (
	resources = simulate.Resources
	lapsed    = simulate.Lapsed
)

// TestSevenJobs: finish times worked by hand, exactly. A job that ends in time
// pays its estimate; J4 of FCFS-BF is late.
func TestSevenJobs(t *testing.T) {
	gone := math.NaN()
	for _, test := range []struct {
		policy  string
		finish  []float64
		revenue []float64
		why     []simulate.Reason
	}{
		{"fcfs-bf", []float64{10, 15, 16, 19, 24, 19, gone}, []float64{10, 10, 6, 4, 0, 3, 0}, []simulate.Reason{6: resources}},
		{"sjf-bf", []float64{10, 15, gone, 14, 22, 17, gone}, []float64{10, 10, 0, 4, 5, 3, 0}, []simulate.Reason{2: lapsed, 6: resources}},
		{"edf-bf", []float64{10, 15, 16, 25, 21, 24, gone}, []float64{10, 10, 6, 4, 5, 3, 0}, []simulate.Reason{6: resources}},
		// Without backfilling: J3 and J4 wait behind J2, J5 behind J4.
		{"fcfs", []float64{10, 15, 16, 19, 24, 27, gone}, []float64{10, 10, 6, 4, 0, 0, 0}, []simulate.Reason{6: resources}},
		// By arrival as well: J5 may run while J4 must wait for 19.
		{"easy", []float64{10, 15, 16, 19, 24, 19, gone}, []float64{10, 10, 6, 4, 0, 3, 0}, []simulate.Reason{6: resources}},
		{"conservative", []float64{10, 15, 16, 19, 24, 19, gone}, []float64{10, 10, 6, 4, 0, 3, 0}, []simulate.Reason{6: resources}},
		// By value per processor-second J4 is before J5 and J3, none of which lose.
		{"value-bf", []float64{10, 15, 16, 25, 21, 24, gone}, []float64{10, 10, 6, 4, 5, 3, 0}, []simulate.Reason{6: resources}},
		{"first-price", []float64{10, 15, 16, 25, 21, 24, gone}, []float64{10, 10, 6, 4, 5, 3, 0}, []simulate.Reason{6: resources}},
	} {
		got := policytest.Execute(t, 3, policytest.ByName(t, test.policy, nil), policytest.Seven())
		for i, g := range got {
			same := g.Finish == test.finish[i] || math.IsNaN(g.Finish) && math.IsNaN(test.finish[i])
			if !same || g.Revenue != test.revenue[i] || g.Reason != test.why[i] {
				t.Errorf("%s: J%d: finish %g, pays %g, %v; want %g, %g, %v", test.policy, i, g.Finish, g.Revenue, g.Reason, test.finish[i], test.revenue[i], test.why[i])
			}
		}
	}
}

// TestOverrun: job 0 of two processors says 10 s and needs 30. Job 1 needs all
// three. Under extend its reservation is at 10, then now, whenever that is: job
// 3, which is short, may start before it at 5, but not at 12, as it would not
// end by "now". Under kill job 0 is gone at 10.
func TestOverrun(t *testing.T) {
	jobs := []policytest.Submission{
		{At: 0, Runtime: 30, Estimate: 10, Width: 2, Deadline: 100},
		{At: 1, Runtime: 10, Estimate: 10, Width: 3},
		{At: 5, Runtime: 5, Estimate: 5, Width: 1},
		{At: 12, Runtime: 1, Estimate: 1, Width: 1},
	}
	for _, test := range []struct {
		policy, overrun string
		start, finish   []float64
	}{
		{"easy", "extend", []float64{0, 30, 5, 40}, []float64{30, 40, 10, 41}},
		{"easy", "kill", []float64{0, 10, 5, 20}, []float64{10, 20, 10, 21}},
		{"conservative", "extend", []float64{0, 30, 5, 40}, []float64{30, 40, 10, 41}},
		{"conservative", "kill", []float64{0, 10, 5, 20}, []float64{10, 20, 10, 21}},
	} {
		got := policytest.Execute(t, 3, policytest.ByName(t, test.policy, policy.Settings{"overrun": test.overrun}), jobs)
		for i, g := range got {
			if g.Start != test.start[i] || g.Finish != test.finish[i] {
				t.Errorf("%s, %s: job %d runs from %g to %g, want %g to %g", test.policy, test.overrun, i, g.Start, g.Finish, test.start[i], test.finish[i])
			}
		}
		if kill := test.overrun == "kill"; got[0].Killed != kill || kill != (got[0].Revenue == 0) {
			t.Errorf("%s, %s: job 0 is killed: %t, and pays %g", test.policy, test.overrun, got[0].Killed, got[0].Revenue)
		}
	}
}

// TestLapse: a job that waits at its deadline leaves at that moment, with no
// other event, and lets the next one start; one that starts before its deadline
// stays though it must be late; one without deadline never lapses.
func TestLapse(t *testing.T) {
	jobs := []policytest.Submission{
		{At: 0, Runtime: 100, Estimate: 100, Width: 2},
		{At: 1, Runtime: 10, Estimate: 10, Width: 3, Deadline: 19},            // lapses at 20
		{At: 2, Runtime: 200, Estimate: 200, Width: 1},                        // can start when it has
		{At: 150, Runtime: 60, Estimate: 60, Width: 2, Deadline: 61},          // in time
		{At: 151, Runtime: 10, Estimate: 10, Width: 3, Deadline: 70},          // starts at 220, due at 221: late
		{At: 152, Runtime: 10, Estimate: 10, Width: 3, Deadline: 82},          // starts at 230, ends late at 240
		{At: 152, Runtime: 10, Estimate: 10, Width: 3, Deadline: 0},           // no deadline
		{At: 152, Runtime: 10, Estimate: 10, Width: 3, Deadline: 88},          // lapses at 240, just when it could start
		{At: 153, Runtime: 1, Estimate: 1, Width: 3, Deadline: math.MaxInt32}, // last
	}
	gone := math.NaN()
	for _, test := range []struct {
		lapse       string
		start, pays []float64
	}{
		{"deadline", []float64{0, gone, 20, 150, 220, 230, 240, gone, 250}, []float64{0, 0, 0, 60, 0, 0, 0, 0, 1}},
		// Job 1 leaves at 10, when its 10 s must start, and job 7 at 230, when
		// job 6 does; the others start earlier, as job 2 does.
		{"latest", []float64{0, gone, 10, 150, 210, 220, 230, gone, 240}, []float64{0, 0, 0, 60, 10, 10, 0, 0, 1}},
	} {
		for i, g := range policytest.Execute(t, 3, policytest.ByName(t, "fcfs-bf", policy.Settings{"lapse": test.lapse}), jobs) {
			start := test.start[i]
			if g.Start != start && !(math.IsNaN(g.Start) && math.IsNaN(start)) {
				t.Errorf("%s: job %d starts at %g, want %g", test.lapse, i, g.Start, start)
			}
			if math.IsNaN(start) != (g.Reason == lapsed) || g.Revenue != test.pays[i] {
				t.Errorf("%s: job %d is rejected for %v and pays %g, want %g", test.lapse, i, g.Reason, g.Revenue, test.pays[i])
			}
		}
	}
}
