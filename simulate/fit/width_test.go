package fit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWidths: weights sum to 1, and joined widths keep their mean.
func TestWidths(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, most := range []int{1, 3, 16, 17, 128, 100_000} {
		var all []job
		var nodes, seconds float64
		for range 4000 {
			j := job{width: int32(1 + rnd.IntN(most)), length: rnd.ExpFloat64() * 100}
			all = append(all, j)
			nodes, seconds = nodes+j.work(), seconds+j.length
		}
		w := weightedWidths(all)
		var sum float64
		for i, x := range w.Weights {
			sum += x
			if v := w.Values[i]; v != math.Trunc(v) || v < 1 || v > float64(most) || x <= 0 {
				t.Errorf("up to %d: width %g of weight %g", most, v, x)
			}
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(w.Mean()/(nodes/seconds)-1) > 1e-4 || len(w.Values) > 34 {
			t.Errorf("up to %d: weights sum to %g, mean %g, want %g, %d values", most, sum, w.Mean(), nodes/seconds, len(w.Values))
		}
	}
}
