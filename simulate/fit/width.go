package fit

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"revopt/model"
)

const (
	maxWidths   = 16  // widths that a class lists one by one
	weightUnits = 1e5 // the weights of widths are whole multiples of one over this
)

// weightedWidths returns the widths of jobs, each weighted by its length: the widths
// of running jobs at a random time. Their mean is E[L W] / E[L], so that independent
// widths and lengths have the right work. If there are more than sixteen, those in
// (2^i, 2^(i+1)] are replaced by the two whole numbers next to their mean, in the
// proportion that preserves it. Weights have five digits and sum to 1.
func weightedWidths(jobs []job) model.Width {
	count := map[int32]float64{}
	var seconds float64
	for i := range jobs {
		count[jobs[i].width] += jobs[i].length
		seconds += jobs[i].length
	}
	if len(count) > maxWidths {
		count = joinedWidths(count)
	}
	var w model.Width
	for _, v := range slices.Sorted(maps.Keys(count)) {
		w.Values = append(w.Values, float64(v))
		w.Weights = append(w.Weights, count[v]/seconds)
	}
	return roundWeights(w)
}

// joinedWidths joins widths up to the next power of two.
func joinedWidths(count map[int32]float64) map[int32]float64 {
	var jobs, nodes [33]float64
	for v, n := range count {
		size := bits.Len32(uint32(v - 1))
		jobs[size] += n
		nodes[size] += n * float64(v)
	}
	joined := map[int32]float64{}
	for size, n := range jobs {
		if n == 0 {
			continue
		}
		mean := nodes[size] / n
		low := math.Floor(mean)
		if up := n * (mean - low); up > 0 {
			joined[int32(low)+1] += up
		}
		joined[int32(low)] += n * (low + 1 - mean)
	}
	return joined
}

// roundWeights rounds weights so that they still sum to 1: the largest
// remainders are rounded up. A width that is left with no weight is dropped.
func roundWeights(w model.Width) model.Width {
	units, order, left := make([]float64, len(w.Values)), make([]int, len(w.Values)), weightUnits
	for i, x := range w.Weights {
		order[i], units[i] = i, math.Floor(x*weightUnits)
		left -= units[i]
	}
	remainder := func(i int) float64 { return w.Weights[i]*weightUnits - units[i] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	for i := 0; left >= 0.5; i++ {
		units[order[i%len(order)]]++
		left--
	}
	var rounded model.Width
	for i, n := range units {
		if n > 0 {
			rounded.Values = append(rounded.Values, w.Values[i])
			rounded.Weights = append(rounded.Weights, n/weightUnits)
		}
	}
	return rounded
}
