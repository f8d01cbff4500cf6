package workload

import (
	"cmp"
	"math"
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
func tryLengths(m FitMoments, sorted []float64) (tries []FittedTry, nearest model.Distribution, err error) {
	for _, kind := range lengthKinds(m.Mean, m.SD) {
		d, err := model.New(kind, m.Mean, m.SD, 0)
		if err != nil {
			return nil, nil, err
		}
		tries = append(tries, FittedTry{kind, distance(sorted, d.CDF)})
	}
	slices.SortStableFunc(tries, func(a, b FittedTry) int { return cmp.Compare(a.KS, b.KS) })
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

// maxCompared is how many order statistics of a sample are compared.
const maxCompared = 5000

// distance returns the Kolmogorov-Smirnov distance of a sorted sample of
// positive numbers to a distribution, the largest difference |F_n(x) - F(x)| on
// either side of the steps of F_n. Sides are a relative 1e-9 away, so that the
// atoms of a distribution may differ by rounding. Of large samples it looks at
// every so many order statistics only, which misses at most their spacing.
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
