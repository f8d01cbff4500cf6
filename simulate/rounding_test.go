package simulate

import "testing"

// TestRounding: work left to a relative 1e-12 is none, and an estimate is spent
// only while more than that is left.
func TestRounding(t *testing.T) {
	task := Task{work: 1e6, Estimate: 1e6, Rate: 1}
	for _, test := range []struct {
		left float64
		over bool
	}{{0, true}, {-1e-9, true}, {0.99e-6, true}, {1.01e-6, false}, {1, false}} {
		if task.over(test.left) != test.over {
			t.Errorf("%g s of 1e6 left: over is %t", test.left, !test.over)
		}
		if task.spent(test.left, 0) {
			t.Errorf("%g s of 1e6 left: an exact estimate is spent", test.left)
		}
	}
	short := Task{work: 10, Estimate: 4, Rate: 0.5}
	for _, test := range []struct {
		left  float64
		spent bool
	}{{10, false}, {6.001, false}, {6 + 1e-13, true}, {6, true}, {3, true}, {1e-12, false}, {0, false}} {
		if short.spent(test.left, 0) != test.spent {
			t.Errorf("%g s left of 10, said 4: spent is %t", test.left, !test.spent)
		}
	}
}
