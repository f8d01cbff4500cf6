package metric_test

import (
	"math"
	"testing"

	"revopt/simulate/metric"
)

// TestSignRisk: by counting all outcomes of up to 12 trials, as unequal ones or more so.
func TestSignRisk(t *testing.T) {
	for n := range 13 {
		heads := make([]int, n+1) // outcomes by the number of events
		for outcome := range 1 << n {
			ones := 0
			for b := range n {
				ones += outcome >> b & 1
			}
			heads[ones]++
		}
		for k := range n + 1 {
			count := 0
			for i, ways := range heads {
				if math.Abs(2*float64(i)-float64(n)) >= math.Abs(2*float64(k)-float64(n)) {
					count += ways
				}
			}
			want := float64(count) / math.Exp2(float64(n))
			if got := metric.SignRisk(k, n); math.Abs(got-want) > 1e-12 {
				t.Errorf("%d of %d: %g, want %g", k, n, got, want)
			}
		}
	}
}
