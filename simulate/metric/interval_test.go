package metric_test

import (
	"fmt"
	"math"
	"testing"

	"revopt/simulate/metric"
)

func TestEstimate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		name  string
		x     []float64
		level float64
		want  metric.Interval
	}{
		// Mean 3, sd sqrt(2.5), t(0.975, 4) = 2.776445.
		{"five", []float64{1, 2, 3, 4, 5}, 0.95, metric.Interval{Mean: 3, HalfWidth: 2.776445 * math.Sqrt(0.5), Level: 0.95, N: 5}},
		// t(0.995, 1) = 63.656741, sd 1/sqrt 2.
		{"two", []float64{0, 1}, 0.99, metric.Interval{Mean: 0.5, HalfWidth: 63.656741 / 2, Level: 0.99, N: 2}},
		{"undefined left out", []float64{nan, 0, nan, 1}, 0.99, metric.Interval{Mean: 0.5, HalfWidth: 63.656741 / 2, Level: 0.99, N: 2}},
		{"one", []float64{7}, 0.95, metric.Interval{Mean: 7, HalfWidth: inf, Level: 0.95, N: 1}},
		{"none", nil, 0.95, metric.Interval{Mean: nan, HalfWidth: inf, Level: 0.95}},
		{"offset", []float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, 0.95, metric.Interval{Mean: 1e9 + 2, HalfWidth: 4.302653 / math.Sqrt(3), Level: 0.95, N: 3}},
	} {
		got := metric.Estimate(test.x, test.level)
		same := func(a, b float64) bool {
			return a == b || math.Abs(a-b) <= 1e-6*math.Abs(b) || math.IsNaN(a) && math.IsNaN(b)
		}
		if !same(got.Mean, test.want.Mean) || !same(got.HalfWidth, test.want.HalfWidth) || got.Level != test.want.Level || got.N != test.want.N {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
}

// Two policies on the same luck: the difference is known far better than
// either of the two.
func ExampleDifference() {
	a := []float64{10.2, 14.1, 7.3, 12.2}
	b := []float64{9.1, 13.2, 6.2, 11.3}
	i := metric.Difference(a, b, 0.95)
	fmt.Printf("%.2f +- %.2f\n", i.Mean, i.HalfWidth)
	// Output: 1.00 +- 0.18
}

// TestSpread checks the range against order statistics counted by hand.
func TestSpread(t *testing.T) {
	upTo := func(n int) []float64 {
		x := []float64{math.NaN()}
		for i := range n {
			x = append(x, float64((i*7+3)%n+1)) // 1 to n, as n is no multiple of 7
		}
		return x
	}
	for _, tt := range []struct {
		n         int
		level     float64
		low, high float64
	}{
		{10, 0.95, 1, 10}, {39, 0.95, 1, 39}, {79, 0.95, 2, 78}, {99, 0.95, 2.5, 97.5}, {19, 0.5, 5, 15}, {2, 0.5, 1, 2},
	} {
		i := metric.Spread(upTo(tt.n), tt.level)
		if !i.Range || math.Abs(i.Low-tt.low) > 1e-9 || math.Abs(i.High-tt.high) > 1e-9 || i.N != tt.n || math.Abs(i.Mean-float64(tt.n+1)/2) > 1e-9 || math.Abs(i.HalfWidth-(i.High-i.Low)/2) > 1e-12 {
			t.Errorf("%d numbers at %g: %+v", tt.n, tt.level, i)
		}
		if i.Contains(tt.low-0.01) || !i.Contains(tt.low+0.01) || i.Contains(tt.high+0.01) {
			t.Errorf("%+v does not know what it contains", i)
		}
	}
	if i := metric.Spread([]float64{3}, 0.95); i.Range || !math.IsInf(i.HalfWidth, 1) || i.Mean != 3 {
		t.Errorf("one number: %+v", i)
	}
	if a, b := metric.SpreadLeast(0.95), metric.SpreadLeast(0.9); a != 39 || b != 19 {
		t.Errorf("%d and %d replications", a, b)
	}
	if i := metric.Spread([]float64{1, 5, 2}, 0.5).Times(2); i.Low != 2 || i.High != 10 || i.HalfWidth != 4 {
		t.Errorf("%+v", i)
	}
}
