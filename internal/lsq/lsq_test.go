package lsq_test

import (
	"math"
	"testing"

	"revopt/internal/lsq"
)

// TestSolve solves a system of three columns, of which the second repeats the first.
func TestSolve(t *testing.T) {
	columns := [][]float64{{1, 2, 3}, {2, 4, 6}, {1, 0, -1}}
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	target := []float64{5, 4, 3} // twice the first and three times the last are {5, 4, 3}
	right := make([]float64, len(columns))
	for i, c := range columns {
		right[i] = dot(c, target)
	}
	got := lsq.Solve(func(i, j int) float64 { return dot(columns[i], columns[j]) }, right, 1e-12)
	for i, want := range []float64{2, 0, 3} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("coefficient %d is %g, want %g", i, got[i], want)
		}
	}
}
