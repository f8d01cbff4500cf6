package fit

import (
	"math"
	"slices"
)

// Arrivals is figures of arrivals. Each comment ends with the value of a Poisson
// process.
type Arrivals struct {
	Gaps       Moments // s between arrivals
	SCV        float64 // of the gaps: 1
	Lag1       float64 // autocorrelation of neighboring gaps: 0
	Dispersion []Dispersion
	KS         float64 // distance of the gaps to the exponential of their mean
	Critical   float64 // KS that one Poisson process in 20 exceeds
	P          float64 // chance of such a KS or a larger one in a Poisson process
	Daily      float64 // amplitude of the daily cycle of the rate, as a share of its mean: 0
	DailyP     float64 // chance of such an amplitude
	Weekly     float64
	WeeklyP    float64
}

// Dispersion is the index of dispersion of counts: the variance over the mean
// of the number of arrivals in windows of one length, 1 in a Poisson process.
type Dispersion struct {
	Name    string  // of the window in the time of the trace: hour, day, week
	Window  float64 // s of the workload
	Windows int
	Index   float64 // NaN for fewer than 2 windows
}

// newArrivals computes the figures of arrivals. A day takes the given time.
func newArrivals(all []job, day float64) Arrivals {
	gaps := make([]float64, 0, len(all))
	for i := 1; i < len(all); i++ {
		gaps = append(gaps, all[i].submit-all[i-1].submit)
	}
	m := momentsOf(gaps)
	a := Arrivals{Gaps: m, SCV: m.SCV(), Lag1: lag1(gaps, m)}
	a.Dispersion = []Dispersion{
		{Name: "hour", Window: day / 24}, {Name: "day", Window: day}, {Name: "week", Window: 7 * day},
	}
	for i := range a.Dispersion {
		d := &a.Dispersion[i]
		d.Windows, d.Index = dispersion(all, d.Window)
	}
	a.Daily, a.DailyP = cycle(all, day)
	a.Weekly, a.WeeklyP = cycle(all, 7*day)
	slices.Sort(gaps)
	a.KS, a.Critical, a.P = exponentialTest(gaps, m.Mean)
	return a
}

// lag1 returns the autocorrelation of neighbors, NaN if nothing varies.
func lag1(x []float64, m Moments) float64 {
	var sum float64
	for i := 1; i < len(x); i++ {
		sum += (x[i] - m.Mean) * (x[i-1] - m.Mean)
	}
	return sum / (float64(len(x)) * m.SD * m.SD)
}

// maxWindows bounds the number of windows in which arrivals are counted.
const maxWindows = 1 << 24

// dispersion returns the index of dispersion of the counts in whole windows
// from the first arrival on.
func dispersion(all []job, window float64) (windows int, index float64) {
	first := all[0].submit
	whole := math.Floor((all[len(all)-1].submit - first) / window)
	if whole < 2 || whole > maxWindows {
		return int(min(whole, math.MaxInt32)), math.NaN()
	}
	counts := make([]float64, int(whole))
	for i := range all {
		if w := int((all[i].submit - first) / window); w < len(counts) {
			counts[w]++
		}
	}
	m := momentsOf(counts)
	return len(counts), m.SD * m.SD / m.Mean * whole / (whole - 1)
}

// cycle returns the amplitude of the first harmonic of the rate of arrivals,
// rate (1 + A cos(2 pi t/period + phase)), which is
//
//	A = |2/n sum exp(2 pi i t/period)|,
//
// and the chance of such an amplitude without a cycle, exp(-n A^2/4) (Rayleigh).
// Only whole periods count; both are NaN for fewer than 2.
func cycle(all []job, period float64) (amplitude, p float64) {
	first := all[0].submit
	end := math.Floor((all[len(all)-1].submit-first)/period) * period
	if !(end >= 2*period) {
		return math.NaN(), math.NaN()
	}
	var re, im, n float64
	for i := range all {
		t := all[i].submit - first
		if t >= end {
			break
		}
		sin, cos := math.Sincos(2 * math.Pi * math.Mod(t, period) / period)
		re, im, n = re+cos, im+sin, n+1
	}
	amplitude = 2 * math.Hypot(re, im) / n
	return amplitude, math.Exp(-n * amplitude * amplitude / 4)
}

// lilliefors are the chances with which the distance of exponential gaps to the
// exponential of their sample mean exceeds a value, in the scale of Stephens
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
// 0.0001 means that or less. All are NaN without gaps.
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
