package workload

import "math"

// lilliefors are the chances with which the distance of exponential gaps to the
// exponential of their own mean exceeds a value, in the scale of Stephens
// (1974),
//
//	D* = (D - 0.2/n) (sqrt n + 0.26 + 0.5/sqrt n),
//
// in which they hardly depend on n. The values are quantiles of simulated
// samples (of 20, 100 and 1000 gaps; they differ by at most 0.02), within 0.01
// of those that Stephens prints.
func lilliefors() [][2]float64 {
	return [][2]float64{
		{0.38, 0.99}, {0.489, 0.9}, {0.573, 0.75}, {0.69, 0.5}, {0.835, 0.25}, {0.924, 0.15}, {0.988, 0.1},
		{1.088, 0.05}, {1.18, 0.025}, {1.292, 0.01}, {1.37, 0.005}, {1.535, 0.001}, {1.74, 0.0001},
	}
}

// exponentialTest compares sorted gaps with the exponential of their mean. As
// the mean is that of the sample, the limits are those of Lilliefors (1969),
// below those of Kolmogorov and Smirnov. It returns the distance, the distance
// that one sample in 20 exceeds, and the chance of the distance or more;
// 0.0001 means that or less. All are NaN of no gaps.
func exponentialTest(sorted []float64, mean float64) (distance, critical, p float64) {
	if len(sorted) == 0 || !(mean > 0) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	n := float64(len(sorted))
	for i, x := range sorted {
		f := -math.Expm1(-x / mean)
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	table := lilliefors()
	scale := math.Sqrt(n) + 0.26 + 0.5/math.Sqrt(n)
	at := func(d float64) float64 { return interpolate(table, (d-0.2/n)*scale) }
	return distance, 1.088/scale + 0.2/n, at(distance)
}

// interpolate returns the chance at x, its logarithm linear between entries.
func interpolate(table [][2]float64, x float64) float64 {
	last := len(table) - 1
	switch {
	case x <= table[0][0]:
		return 1 - (1-table[0][1])*max(x, 0)/table[0][0]
	case x >= table[last][0]:
		return table[last][1]
	}
	i := 1
	for x > table[i][0] {
		i++
	}
	a, b := table[i-1], table[i]
	share := (x - a[0]) / (b[0] - a[0])
	return math.Exp((1-share)*math.Log(a[1]) + share*math.Log(b[1]))
}
