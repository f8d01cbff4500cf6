package workload

import (
	"math"
	"slices"
)

// ArrivalFit says how near arrivals are to a Poisson process, of which the
// expected value is given.
type ArrivalFit struct {
	Gaps       FitMoments // s between arrivals
	SCV        float64    // of the gaps: 1
	Lag1       float64    // autocorrelation of neighbouring gaps: 0
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
	Windows int     // that there are
	Index   float64 // NaN of fewer than 2 windows
}

// newArrivalFit looks at the arrivals of jobs, for which a day takes the given
// time.
func newArrivalFit(all []fitJob, day float64) ArrivalFit {
	gaps := make([]float64, 0, len(all))
	for i := 1; i < len(all); i++ {
		gaps = append(gaps, all[i].submit-all[i-1].submit)
	}
	m := momentsOf(gaps)
	a := ArrivalFit{Gaps: m, SCV: m.SCV(), Lag1: lag1(gaps, m)}
	for _, w := range []Dispersion{{Name: "hour", Window: day / 24}, {Name: "day", Window: day}, {Name: "week", Window: 7 * day}} {
		w.Windows, w.Index = dispersion(all, w.Window)
		a.Dispersion = append(a.Dispersion, w)
	}
	a.Daily, a.DailyP = cycle(all, day)
	a.Weekly, a.WeeklyP = cycle(all, 7*day)
	slices.Sort(gaps)
	a.KS, a.Critical, a.P = exponentialTest(gaps, m.Mean)
	return a
}

// lag1 returns the autocorrelation of neighbours, NaN where nothing varies.
func lag1(x []float64, m FitMoments) float64 {
	var sum float64
	for i := 1; i < len(x); i++ {
		sum += (x[i] - m.Mean) * (x[i-1] - m.Mean)
	}
	return sum / (float64(len(x)) * m.SD * m.SD)
}

// maxWindows bounds the windows of which arrivals are counted.
const maxWindows = 1 << 24

// dispersion returns the index of dispersion of the counts in whole windows
// from the first arrival on.
func dispersion(all []fitJob, window float64) (windows int, index float64) {
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
// and the chance of as large an amplitude where there is no cycle, exp(-n A^2/4)
// (Rayleigh). It looks at whole periods only; NaN of fewer than 2.
func cycle(all []fitJob, period float64) (amplitude, p float64) {
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
