package share

import (
	"math"
	"testing"
)

// TestReturns: the returns of one node at time 0, worked by hand. A is (runtime
// 100, deadline 200, budget 400, penalty 1), B' (100, 200, 200, p), C (100, 250,
// 300, 0.1).
func TestReturns(t *testing.T) {
	job := func(deadline, budget, penalty float64, hard bool) claim {
		return claim{
			terms: terms{worth: budget / 100 / deadline, fine: penalty / 100 / deadline, hard: hard},
			share: 100 / deadline, reach: deadline, ahead: deadline,
		}
	}
	a := job(200, 400, 1, false)
	rival := func(p float64) claim { return job(200, 200, p, false) }
	soft, hard := job(250, 300, 0.1, false), job(250, 300, 0.1, true)
	for _, test := range []struct {
		name   string
		claims []claim
		want   float64
	}{
		{"empty", nil, 0},
		{"A", []claim{a}, 0.02},
		{"A, B'", []claim{a, rival(0.5)}, 0.03},
		{"A, B', soft C, p = 0.5", []claim{a, rival(0.5), soft}, 0.0372},
		{"A, B', soft C, p = 2", []claim{a, rival(2), soft}, 0.0252},
		{"A, B', hard C, p = 0.5", []claim{a, rival(0.5), hard}, 0.022},
		{"A, B', hard C, p = 0.1", []claim{a, rival(0.1), hard}, 0.038},
		// The order does not matter.
		{"C, B', A, p = 0.5", []claim{soft, rival(0.5), a}, 0.0372},
		// Hard shares of 0.8 leave A 0.2: it ends at 500, 300 late, and is
		// worth 100; A, best or not, is the only one to give way.
		{"A, two hard C", []claim{a, hard, hard}, 0.005 + 2*0.012},
		// Nothing is left for B'.
		{"B', hard C and A", []claim{job(250, 300, 0.1, true), job(250, 300, 0.1, true), a, rival(0)}, math.Inf(-1)},
	} {
		var s nodeSum
		for i := range test.claims {
			s.add(&test.claims[i])
		}
		if got := s.value(); !(math.Abs(got-test.want) < 1e-12) && got != test.want {
			t.Errorf("%s: return %.6f, want %.6f", test.name, got, test.want)
		}
	}
}
