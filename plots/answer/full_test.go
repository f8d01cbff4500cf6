package answer

import (
	"testing"

	"revopt/simulate/metric"
)

// TestAtMostOne: estimates of a share near 1 have intervals that hold it, and say so in words; others stay as they are.
func TestAtMostOne(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
		words     string
	}{
		{[]float64{1, 1, 1}, 0.9999, 1, "≥ 99.99 %"},
		{[]float64{1, 1, 0.99999}, 0.9999, 1, "≥ 99.99 %"},
		{[]float64{0.5, 0.5}, 0.5, 0.5, ""},
	} {
		v := Estimated(Share, metric.Estimate(c.values, 0.95)).AtMostOne()
		if v.Low != c.low || v.High != c.high {
			t.Errorf("%v: from %g to %g, want %g to %g", c.values, v.Low, v.High, c.low, c.high)
		}
		if got := v.Words(); c.words != "" && got != c.words {
			t.Errorf("%v: %s, want %s", c.values, got, c.words)
		}
	}
}
