package fit

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"revopt/model"
)

// mostNormal is the coefficient of variation up to which a normal truncated at
// 0 is tried; its limit, at 1, is the exponential.
const mostNormal = 0.95

// lengthKinds returns the families that can have the two moments.
func lengthKinds(mean, sd float64) []model.Kind {
	if sd == 0 {
		return []model.Kind{model.Deterministic}
	}
	kinds := []model.Kind{model.Gamma, model.LogNormal}
	if sd < mostNormal*mean {
		kinds = append(kinds, model.Normal)
	}
	if sd > mean*(1+1e-9) {
		kinds = append(kinds, model.HyperExponential)
	}
	return kinds
}

// tryLengths returns the families with the two moments by the distance to a
// sample of lengths, the nearest first, and the distribution of that one.
func tryLengths(m Moments, sorted []float64) (tries []Try, nearest model.Distribution, err error) {
	for _, kind := range lengthKinds(m.Mean, m.SD) {
		d, err := model.New(kind, m.Mean, m.SD, 0)
		if err != nil {
			return nil, nil, err
		}
		tries = append(tries, Try{kind, distance(sorted, d.CDF)})
	}
	slices.SortStableFunc(tries, func(a, b Try) int { return cmp.Compare(a.KS, b.KS) })
	nearest, err = model.New(tries[0].Kind, m.Mean, m.SD, 0)
	return tries, nearest, err
}

// workCDF returns the distribution of length times an independent width.
func workCDF(length func(float64) float64, width model.Width) func(float64) float64 {
	return func(x float64) float64 {
		var p float64
		for i, v := range width.Values {
			p += width.Weights[i] * length(x/v)
		}
		return p
	}
}

// maxCompared is the number of order statistics that are compared.
const maxCompared = 5000

// distance returns the Kolmogorov-Smirnov distance of a sorted sample of positive
// numbers to a distribution, the largest difference |F_n(x) - F(x)| on both sides of
// the steps of F_n. The sides are a relative 1e-9 away, so that the atoms of a
// distribution may differ by rounding. In large samples only some order statistics
// are compared, which misses at most their spacing.
func distance(sorted []float64, cdf func(float64) float64) float64 {
	n := len(sorted)
	step := (n + maxCompared - 1) / maxCompared
	var most float64
	for i := 0; i < n; i += step {
		x := sorted[i]
		from, _ := slices.BinarySearch(sorted, x)
		to := i + 1 // equal numbers are one step
		for to < n && sorted[to] == x {
			to++
		}
		below, above := cdf(x*(1-1e-9)), cdf(x*(1+1e-9))
		most = max(most, math.Abs(below-float64(from)/float64(n)), math.Abs(above-float64(to)/float64(n)))
		i = max(i, to-step)
	}
	return most
}

const (
	maxWidths   = 16  // widths that a class lists one by one
	weightUnits = 1e5 // the weights of widths are whole multiples of one over this
)

// weightedWidths returns the widths of jobs, each weighted by its length: the widths
// of running jobs at a random time. Their mean is E[L W] / E[L], so that independent
// widths and lengths have the right work. If there are more than sixteen, those in
// (2^i, 2^(i+1)] are replaced by the two whole numbers next to their mean, in the
// proportion that preserves it. Weights have five digits and sum to 1.
func weightedWidths(all []job, jobs []int32) model.Width {
	count := map[int32]float64{}
	var seconds float64
	for _, i := range jobs {
		count[all[i].width] += all[i].length
		seconds += all[i].length
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
