package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHistogram compares quantiles with those of the sorted numbers, of one
// histogram and of two that are merged.
func TestHistogram(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"exponential": func() float64 { return 300 * rnd.ExpFloat64() },
		"uniform":     rnd.Float64,
		"wide":        func() float64 { return math.Exp(12 * rnd.NormFloat64()) },
		"half zero":   func() float64 { return max(0, rnd.NormFloat64()) },
		"equal":       func() float64 { return 17 },
		"powers":      func() float64 { return math.Ldexp(1, rnd.IntN(40)-10) },
	} {
		for _, n := range []int{1, 2, 10, 1001, 20_000} {
			var all, left, right Histogram
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
				all.Add(x[i])
				if half := &left; rnd.IntN(2) == 0 {
					half.Add(x[i])
				} else {
					right.Add(x[i])
				}
			}
			left.merge(&right)
			slices.Sort(x)
			for _, p := range []float64{0, 0.01, 0.5, 0.9, 0.99, 1} {
				want := x[max(int(math.Ceil(p*float64(n))), 1)-1] // the least that a share p do not exceed
				got := all.Quantile(p)
				if math.Abs(got-want) > 0.004*want && !(got == 0 && want < 1e-4) {
					t.Errorf("%s, %d numbers: quantile %g is %g, want %g", name, n, p, got, want)
				}
				if merged := left.Quantile(p); merged != got {
					t.Errorf("%s, %d numbers: quantile %g is %g, merged %g", name, n, p, got, merged)
				}
			}
		}
	}
	var none Histogram
	if !math.IsNaN(none.Quantile(0.5)) {
		t.Errorf("median of nothing: %g", none.Quantile(0.5))
	}
}
