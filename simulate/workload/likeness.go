package workload

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// LikeFigure is one figure of how similar generated traces are to the trace.
type LikeFigure struct {
	Name      string
	Trace     float64 // of the trace; NaN for a distance to it
	Mean      float64 // of the generated traces
	Low, High float64 // their 5 and 95 % quantiles
}

// Figures compares generated traces of the given span, the replications of a seed
// from 0 on, with the trace: Kolmogorov-Smirnov distances of widths, of run times and
// of run times over estimates of the jobs that ran, and of interarrival times; the
// shares of jobs of one processor and of powers of two; the autocorrelation of arrivals
// by hour; the daily cycle by the correlation of the 24 shares of the arrivals with
// those of the trace and half the sum of their differences; and the coefficient of
// variation of the work of weeks (of days in traces of less than eight weeks). A figure
// without meaning is NaN.
func (m *Like) Figures(ctx context.Context, span float64, traces int, seed uint64) ([]LikeFigure, error) {
	var list []LikeFigure
	var values []Distribution
	for k := range traces {
		s, err := m.measure(ctx, m.Generate(span, seed, k), span)
		if err != nil {
			return nil, err
		}
		list = m.sample.figures(s)
		values = append(values, make([]Distribution, len(list)-len(values))...)
		for i, f := range list {
			values[i].Add(f.Mean)
		}
	}
	for i := range list {
		v := &values[i]
		list[i].Mean, list[i].Low, list[i].High = v.Mean(), v.Quantile(0.05), v.Quantile(0.95)
	}
	return list, nil
}

// likeSample is the parts of a trace that are compared.
type likeSample struct {
	widths, lengths, accuracies, gaps []float64 // sorted
	serial, powers                    float64   // shares
	jobs, load                        float64   // per day; share of the machine, NaN if its size is unknown
	lag1, lag24                       float64   // autocorrelation of arrivals by hour
	hours                             [24]float64
	work                              float64 // variation
	spread                            float64 // of the work of days, see spread
}

// measure reads jobs of a trace that has the clock of the model.
func (m *Like) measure(ctx context.Context, jobs Records, span float64) (*likeSample, error) {
	s := &likeSample{}
	counts := make([]float64, int(span/hour))
	windows, daily := make([]float64, int(span/m.window)), make([]float64, int(span/day))
	var n, work, last float64
	err := each(ctx, jobs, func(r *Record) error {
		t, width := r[SubmitTime], r[Requested]
		s.widths = append(s.widths, width)
		if n > 0 {
			s.gaps = append(s.gaps, t-last)
		}
		n, last = n+1, t
		if width == 1 {
			s.serial++
		}
		if w := int(width); w&(w-1) == 0 {
			s.powers++
		}
		s.hours[m.hour(t)%24]++
		if k := int(t / hour); k < len(counts) {
			counts[k]++
		}
		if r[RunTime] <= 0 {
			return nil
		}
		s.lengths = append(s.lengths, r[RunTime])
		if r[RequestedTime] > 0 {
			s.accuracies = append(s.accuracies, r[RunTime]/r[RequestedTime])
		}
		work += r[RunTime] * width
		if k := int(t / m.window); k < len(windows) {
			windows[k] += r[RunTime] * width
		}
		if k := int(t / day); k < len(daily) {
			daily[k] += r[RunTime] * width
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, x := range [][]float64{s.widths, s.lengths, s.accuracies, s.gaps} {
		slices.Sort(x)
	}
	s.serial, s.powers, s.jobs = s.serial/n, s.powers/n, n/span*day
	for i := range s.hours {
		s.hours[i] /= n
	}
	s.load = math.NaN()
	if m.Nodes > 0 {
		s.load = work / (float64(m.Nodes) * span)
	}
	s.spread = spread(daily)
	s.lag1, s.lag24, s.work = autocorrelation(counts, 1), autocorrelation(counts, 24), variation(windows)
	return s, nil
}

func (s *likeSample) figures(g *likeSample) []LikeFigure {
	none := math.NaN()
	var distance float64
	for i := range s.hours {
		distance += math.Abs(s.hours[i]-g.hours[i]) / 2
	}
	return []LikeFigure{
		{Name: "ks_widths", Trace: none, Mean: twoSample(s.widths, g.widths)},
		{Name: "ks_run_times", Trace: none, Mean: twoSample(s.lengths, g.lengths)},
		{Name: "ks_run_time_over_estimate", Trace: none, Mean: twoSample(s.accuracies, g.accuracies)},
		{Name: "ks_interarrival_times", Trace: none, Mean: twoSample(s.gaps, g.gaps)},
		{Name: "daily_cycle_correlation", Trace: none, Mean: stat.Correlation(s.hours[:], g.hours[:], nil)},
		{Name: "daily_cycle_distance", Trace: none, Mean: distance},
		{Name: "jobs_per_day", Trace: s.jobs, Mean: g.jobs},
		{Name: "load", Trace: s.load, Mean: g.load},
		{Name: "serial_share", Trace: s.serial, Mean: g.serial},
		{Name: "powers_of_two", Trace: s.powers, Mean: g.powers},
		{Name: "hourly_autocorrelation_1", Trace: s.lag1, Mean: g.lag1},
		{Name: "hourly_autocorrelation_24", Trace: s.lag24, Mean: g.lag24},
		{Name: "weekly_work_variation", Trace: s.work, Mean: g.work},
	}
}

// twoSample returns the largest difference between the distribution functions of two
// sorted samples, NaN if one is empty. Unlike stat.KolmogorovSmirnov it adds no shares,
// so that nothing is lost by rounding.
func twoSample(a, b []float64) (most float64) {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	for i, k := 0, 0; i < len(a) && k < len(b); {
		x := min(a[i], b[k])
		for i < len(a) && a[i] == x {
			i++
		}
		for k < len(b) && b[k] == x {
			k++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(k)/float64(len(b))))
	}
	return most
}

// spread returns the geometric mean of the variations of the sums of one, three and
// seven neighbors, as far as there are enough sums; 0 if there are never enough.
func spread(x []float64) float64 {
	var log, scales float64
	for _, n := range []int{1, 3, 7} {
		sums := make([]float64, len(x)/n)
		for i := range sums {
			for _, v := range x[i*n : (i+1)*n] {
				sums[i] += v
			}
		}
		if len(sums) >= fewScales {
			log, scales = log+math.Log(variation(sums)), scales+1
		}
	}
	if scales == 0 {
		return 0
	}
	return math.Exp(log / scales)
}

// autocorrelation returns the correlation of a series with itself, shifted by the lag.
func autocorrelation(x []float64, lag int) float64 {
	if len(x) < 2*lag+1 {
		return math.NaN()
	}
	return stat.Correlation(x[lag:], x[:len(x)-lag], nil)
}

// variation returns the coefficient of variation, NaN for fewer than two numbers.
func variation(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	mean, sd := stat.PopMeanStdDev(x, nil)
	return sd / mean
}
