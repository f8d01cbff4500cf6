package policy_test

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// Short names of reasons.
const (
	ran       = simulate.NoReason
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
		// At 16 a start of J5 would put J4 off by 2 s, and J4 has 1 s.
		{"first-reward", []float64{10, 15, 16, 25, 21, 24, gone}, []float64{10, 10, 6, 4, 5, 3, 0}, []simulate.Reason{6: resources}},
		// J4 would end at 24 and is due at 22: J3, planned for 15, makes room for it.
	} {
		got := execute(t, 3, named(t, test.policy, nil), seven())
		for i, g := range got {
			same := g.finish == test.finish[i] || math.IsNaN(g.finish) && math.IsNaN(test.finish[i])
			if !same || g.revenue != test.revenue[i] || g.reason != test.why[i] {
				t.Errorf("%s: J%d: finish %g, pays %g, %v; want %g, %g, %v", test.policy, i, g.finish, g.revenue, g.reason, test.finish[i], test.revenue[i], test.why[i])
			}
		}
	}
}

// TestOverrun: job 0 of two processors says 10 s and needs 30. Job 1 needs all
// three. Under extend its reservation is at 10, then now, whenever that is: job
// 3, which is short, may start before it at 5, but not at 12, as it would not
// end by "now". Under kill job 0 is gone at 10.
func TestOverrun(t *testing.T) {
	jobs := []submission{
		{at: 0, runtime: 30, estimate: 10, width: 2, deadline: 100},
		{at: 1, runtime: 10, estimate: 10, width: 3},
		{at: 5, runtime: 5, estimate: 5, width: 1},
		{at: 12, runtime: 1, estimate: 1, width: 1},
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
		got := execute(t, 3, named(t, test.policy, policy.Settings{"overrun": test.overrun}), jobs)
		for i, g := range got {
			if g.start != test.start[i] || g.finish != test.finish[i] {
				t.Errorf("%s, %s: job %d runs from %g to %g, want %g to %g", test.policy, test.overrun, i, g.start, g.finish, test.start[i], test.finish[i])
			}
		}
		if kill := test.overrun == "kill"; got[0].killed != kill || kill != (got[0].revenue == 0) {
			t.Errorf("%s, %s: job 0 is killed: %t, and pays %g", test.policy, test.overrun, got[0].killed, got[0].revenue)
		}
	}
}

// TestLapse: a job that waits at its deadline leaves at that moment, with no
// other event, and lets the next one start; one that starts before its deadline
// stays though it must be late; one without deadline never lapses.
func TestLapse(t *testing.T) {
	jobs := []submission{
		{at: 0, runtime: 100, estimate: 100, width: 2},
		{at: 1, runtime: 10, estimate: 10, width: 3, deadline: 19},            // lapses at 20
		{at: 2, runtime: 200, estimate: 200, width: 1},                        // can start when it has
		{at: 150, runtime: 60, estimate: 60, width: 2, deadline: 61},          // in time
		{at: 151, runtime: 10, estimate: 10, width: 3, deadline: 70},          // starts at 220, due at 221: late
		{at: 152, runtime: 10, estimate: 10, width: 3, deadline: 82},          // starts at 230, ends late at 240
		{at: 152, runtime: 10, estimate: 10, width: 3, deadline: 0},           // no deadline
		{at: 152, runtime: 10, estimate: 10, width: 3, deadline: 88},          // lapses at 240, just when it could start
		{at: 153, runtime: 1, estimate: 1, width: 3, deadline: math.MaxInt32}, // last
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
		for i, g := range execute(t, 3, named(t, "fcfs-bf", policy.Settings{"lapse": test.lapse}), jobs) {
			start := test.start[i]
			if g.start != start && !(math.IsNaN(g.start) && math.IsNaN(start)) {
				t.Errorf("%s: job %d starts at %g, want %g", test.lapse, i, g.start, start)
			}
			if math.IsNaN(start) != (g.reason == lapsed) || g.revenue != test.pays[i] {
				t.Errorf("%s: job %d is rejected for %v and pays %g, want %g", test.lapse, i, g.reason, g.revenue, test.pays[i])
			}
		}
	}
}
