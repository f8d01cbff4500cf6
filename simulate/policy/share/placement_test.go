package share

import (
	"math"
	"slices"
	"testing"
)

// TestChoose: keys that differ by less than the tolerance are equal, directly or
// through others, and of equals the lower nodes are taken.
func TestChoose(t *testing.T) {
	for _, test := range []struct {
		keys []float64
		want []int // the nodes, as many as are asked for
	}{
		{[]float64{3, 1, 2}, []int{1}},
		{[]float64{3, 1, 2}, []int{1, 2}},
		{[]float64{3, 1, 2}, []int{0, 1, 2}},
		{[]float64{1, 1, 1, 1}, []int{0, 1}},
		{[]float64{1 + 1e-13, 1, 1, 0}, []int{0, 3}},
		{[]float64{1 + 3e-10, 1 + 6e-10, 1}, []int{0}},
		{[]float64{1 + 1.8e-9, 1 + 9e-10, 1}, []int{0, 1}}, // through node 1
		{[]float64{1 + 2e-9, 5, 1}, []int{2}},
		{[]float64{-1, math.Inf(1), -2}, []int{0, 2}},
	} {
		p := placement{keys: test.keys}
		for round := range 2 { // the second with arrays that have been used
			got := p.choose(len(test.want), tolerance{difference: 1e-9})
			if !slices.Equal(got, test.want) {
				t.Errorf("round %d, keys %v: took %v, want %v", round, test.keys, got, test.want)
			}
		}
	}
}
