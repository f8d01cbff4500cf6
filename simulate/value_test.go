package simulate_test

import (
	"math"
	"testing"

	"revopt/simulate"
)

// TestValue: values by the time from submission to end, worked by hand.
func TestValue(t *testing.T) {
	inf := math.Inf(1)
	type point struct{ response, want float64 }
	for _, test := range []struct {
		name   string
		value  simulate.Value
		points []point
	}{
		{"nothing", simulate.Value{}, []point{{0, 0}, {9, 0}}},
		{"soft", simulate.Value{Price: 100, Due: 20, Decay: 2, Floor: 30, Dated: true},
			[]point{{0, 100}, {20, 100}, {21, 98}, {70, 0}, {80, -20}, {85, -30}, {86, -30}, {1e9, -30}}},
		{"soft, without a floor", simulate.ByDeadline(100, 20, 2, false), []point{{20, 100}, {21, 98}, {120, -100}, {1020, -1900}}},
		{"soft, floor at 0", simulate.Value{Price: 100, Due: 20, Decay: 2}, []point{{69, 2}, {70, 0}, {71, 0}}},
		{"without decay", simulate.Value{Price: 100, Due: 20, Floor: 5, Dated: true}, []point{{20, 100}, {1e9, 100}}},
		{"hard", simulate.ByDeadline(100, 20, 2, true), []point{{20, 100}, {20.5, 0}, {1e9, 0}}},
		{"hard, with a floor", simulate.Value{Price: 100, Due: 20, Decay: 2, Floor: 7, Hard: true, Dated: true}, []point{{20, 100}, {20.5, -7}, {1e9, -7}}},
		{"undated", simulate.Value{Price: 100, Due: 20, Decay: 2, Floor: inf}, []point{{20, 100}, {21, 98}, {120, -100}}},
		{"due at once", simulate.Value{Price: 10, Decay: 1, Floor: inf}, []point{{0, 10}, {3, 7}}},
	} {
		for _, p := range test.points {
			if got := test.value.At(p.response); got != p.want {
				t.Errorf("%s: after %g s worth %g, want %g", test.name, p.response, got, p.want)
			}
			// Submitted at 1000, the same. A killed job is worth nothing.
			j := simulate.Job{Submit: 1000, Value: test.value}
			if got := j.Worth(1000 + p.response); got != p.want {
				t.Errorf("%s: at %g worth %g, want %g", test.name, 1000+p.response, got, p.want)
			}
			j.Killed = true
			if got := j.Worth(1000 + p.response); got != 0 {
				t.Errorf("%s: killed at %g and worth %g", test.name, 1000+p.response, got)
			}
		}
	}
}

// TestWorth: the worth of a result by its time, with a price of 100 and a decay
// of 2 a second from 30 s on, submitted at 10. Lateness within rounding is none.
func TestWorth(t *testing.T) {
	j := simulate.Job{Submit: 10, Value: simulate.ByDeadline(100, 20, 2, false)}
	hard := j
	hard.Value.Hard = true
	none := j
	none.Value.Dated = false
	for _, test := range []struct{ at, lateness, soft, hard float64 }{
		{20, 0, 100, 100}, {30, 0, 100, 100}, {30 + 1e-9, 0, 100, 100}, {31, 1, 98, 0}, {90, 60, -20, 0},
	} {
		if j.Lateness(test.at) != test.lateness || j.Worth(test.at) != test.soft || hard.Worth(test.at) != test.hard {
			t.Errorf("at %g: late by %g, soft %g, hard %g, want %+v", test.at, j.Lateness(test.at), j.Worth(test.at), hard.Worth(test.at), test)
		}
		// Undated, the value falls all the same, but nothing is late.
		if none.Lateness(test.at) != 0 || none.Worth(test.at) != test.soft {
			t.Errorf("at %g: without deadline late by %g, worth %g", test.at, none.Lateness(test.at), none.Worth(test.at))
		}
	}
	if j.Deadline() != 30 || hard.Deadline() != 30 || !math.IsInf(none.Deadline(), 1) {
		t.Errorf("deadlines %g, %g, %g, want 30, 30 and none", j.Deadline(), hard.Deadline(), none.Deadline())
	}
}
