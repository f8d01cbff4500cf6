package fit

import (
	"math"
)

// Arrivals is figures of arrivals. Comments end with the value of a Poisson process.
type Arrivals struct {
	Gaps       Moments // s between arrivals
	SCV        float64 // of the gaps: 1
	Dispersion []Dispersion
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
	a := Arrivals{Gaps: m, SCV: m.SCV()}
	a.Dispersion = []Dispersion{
		{Name: "hour", Window: day / 24}, {Name: "day", Window: day}, {Name: "week", Window: 7 * day},
	}
	for i := range a.Dispersion {
		d := &a.Dispersion[i]
		d.Windows, d.Index = dispersion(all, d.Window)
	}
	a.Daily, a.DailyP = cycle(all, day)
	a.Weekly, a.WeeklyP = cycle(all, 7*day)
	return a
}

// maxWindows bounds the number of windows in which arrivals are counted.
const maxWindows = 1 << 24

// dispersion returns the index of dispersion of counts in windows from the first arrival on.
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
