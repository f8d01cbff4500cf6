package workload_test

import (
	"context"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate/workload"
)

// fit is a figure that a generated trace should share with the real one.
type fit struct {
	name      string
	of        func(s *workload.Summary) float64
	real      float64 // of the last 5000 jobs of the SDSC SP2 trace, kept
	tolerance float64 // of the mean of many generated traces, relative
}

// fits are the figures of the table in docs/traces.md.
func fits() []fit {
	quantile := func(d func(s *workload.Summary) *workload.Distribution, p float64) func(*workload.Summary) float64 {
		return func(s *workload.Summary) float64 { return d(s).Quantile(p) }
	}
	gaps := func(s *workload.Summary) *workload.Distribution { return &s.Gaps }
	times := func(s *workload.Summary) *workload.Distribution { return &s.RunTimes }
	widths := func(s *workload.Summary) *workload.Distribution { return &s.Widths }
	estimates := func(s *workload.Summary) *workload.Distribution { return &s.Estimates }
	accuracy := func(s *workload.Summary) *workload.Distribution { return &s.Accuracy }
	mean := func(d func(s *workload.Summary) *workload.Distribution) func(*workload.Summary) float64 {
		return func(s *workload.Summary) float64 { return d(s).Mean() }
	}
	return []fit{
		{"interarrival time, mean (s)", mean(gaps), 1968.876, 0.02},
		{"interarrival time, quartile 1 (s)", quantile(gaps, 0.25), 130, 0.1},
		{"interarrival time, median (s)", quantile(gaps, 0.5), 535, 0.12},
		{"interarrival time, quartile 3 (s)", quantile(gaps, 0.75), 1843, 0.12},
		{"run time, mean (s)", mean(times), 8671.126, 0.02},
		{"run time, quartile 1 (s)", quantile(times, 0.25), 51, 0.05},
		{"run time, median (s)", quantile(times, 0.5), 492, 0.1},
		{"run time, quartile 3 (s)", quantile(times, 0.75), 8406.75, 0.05},
		{"processors, mean", mean(widths), 16.9108, 0.01},
		{"processors, quartile 1", quantile(widths, 0.25), 3, 0.35}, // 24.98 % have at most 2
		{"processors, median", quantile(widths, 0.5), 8, 0.01},
		{"processors, quartile 3", quantile(widths, 0.75), 24, 0.05},
		{"estimate, mean (s)", mean(estimates), 21399.963, 0.02},
		{"estimate, median (s)", quantile(estimates, 0.5), 7200, 0.1},
		{"run time / estimate, median", quantile(accuracy, 0.5), 0.182, 0.1},
		{"widths that are powers of two", func(s *workload.Summary) float64 { return float64(s.PowersOfTwo) / float64(s.Cleaning.Left) }, 0.715, 0.02},
		{"jobs that never ran", func(s *workload.Summary) float64 { return float64(s.Cleaning.NoRunTime) / float64(s.Cleaning.Left) }, 0.0938, 0.05},
		{"submitted from 8 to 16 h", func(s *workload.Summary) float64 {
			var n int64
			for _, h := range s.Hours[8:16] {
				n += h
			}
			return float64(n) / float64(s.Cleaning.Left)
		}, 0.5322, 0.03},
		{"offered load", (*workload.Summary).Load, 0.8874, 0.03},
	}
}

// TestSP2Fit: the table is that of the trace, where the trace is at hand.
func TestSP2Fit(t *testing.T) {
	s := must(workload.Summarize(context.Background(), workload.Selection{File: sp2Trace(t), Subset: workload.Subset{Last: 5000}}, 1))
	for _, f := range fits() {
		if got := f.of(s); math.Abs(got-f.real) > 0.003*f.real {
			t.Errorf("%s: the trace has %g, the table %g", f.name, got, f.real)
		}
	}
}

// TestSP2Like: the mean of 20 generated traces of 5000 jobs comes as close to
// the trace as the table says.
func TestSP2Like(t *testing.T) {
	const traces = 20
	sums := make([]float64, len(fits()))
	for k := range traces {
		s := must(workload.Summarize(context.Background(), workload.Selection{File: model.SP2Like}, uint64(k)))
		if s.Cleaning.Read != 5000 || s.Nodes != 128 || s.Cleaning.Wide > 0 {
			t.Fatalf("%+v on %d nodes", s.Cleaning, s.Nodes)
		}
		for i, f := range fits() {
			sums[i] += f.of(s)
		}
	}
	for i, f := range fits() {
		got := sums[i] / traces
		t.Logf("%-36s %12.4f %12.4f  %+5.1f %%", f.name, f.real, got, 100*(got/f.real-1))
		if math.Abs(got-f.real) > f.tolerance*f.real {
			t.Errorf("%s: generated traces have %g, the real one %g", f.name, got, f.real)
		}
	}
}

// TestSP2Correlation: wide jobs run longer, in about the trace's rank
// correlation of 0.43.
func TestSP2Correlation(t *testing.T) {
	var narrow, wide []float64
	g := workload.NewSP2(20_000, 1, 0)
	var r workload.Record
	for {
		ok := must(g.Next(&r))
		if !ok {
			break
		}
		switch {
		case r[workload.RunTime] <= 0:
		case r[workload.Requested] == 1:
			narrow = append(narrow, r[workload.RunTime])
		case r[workload.Requested] > 32:
			wide = append(wide, r[workload.RunTime])
		}
	}
	a, _ := moments(narrow)
	b, _ := moments(wide)
	if math.Abs(a-1093) > 150 || math.Abs(b-18174) > 1000 { // of the trace
		t.Errorf("jobs of one node run for %g s, of more than 32 for %g s; want about 1093 and 18174", a, b)
	}
}
