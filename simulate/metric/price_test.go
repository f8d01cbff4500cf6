package metric_test

import (
	"math"
	"slices"
	"testing"

	"revopt/simulate/metric"
)

// TestThinnedPrices: means over equal times keep the integral of the price.
func TestThinnedPrices(t *testing.T) {
	path := metric.PricePath{Time: []float64{0, 1, 4, 5, 5.5, 8}, Price: []float64{2, 0, 6, 1, 3, 0}}
	got := path.Thinned(4) // 0-2, 2-4, 4-6, 6-8
	if want := []float64{1, 0, (6 + 0.5 + 1.5) / 2, 3, 0}; !slices.Equal(got.Price, want) ||
		!slices.Equal(got.Time, []float64{0, 2, 4, 6, 8}) {
		t.Errorf("got %v, want %v", got, want)
	}
	if same := path.Thinned(5); len(same.Time) != 6 || math.IsNaN(same.Price[0]) {
		t.Errorf("%v", same)
	}
}
