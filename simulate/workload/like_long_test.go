//go:build long

package workload

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestLikeKnown fits a model to a known process and compares the parameters.
func TestLikeKnown(t *testing.T) {
	const users, weeks, repeat, rho = 6, 20., 0.7, 0.6
	path, hours := site(t, users, 60, weeks, 6, repeat, rho, 1)
	m := fitLike(t, path)
	if m.By != "user" || m.Users != users || m.Kinds != 3*users || m.Nodes != 64 {
		t.Errorf("%d %ss, %d kinds, %d nodes", m.Users, m.By, m.Kinds, m.Nodes)
	}
	if n := users * weeks * 6; math.Abs(float64(m.Sessions)-n) > sure*math.Sqrt(n)+0.03*n { // some touch
		t.Errorf("%d sessions, want %g", m.Sessions, n)
	}
	if math.Abs(m.Repeat-repeat) > 0.05 || math.Abs(m.Chain.Lengths-rho) > 0.05 {
		t.Errorf("repetition %g, want %g; correlation %g, want %g", m.Repeat, repeat, m.Chain.Lengths, rho)
	}
	if c := stat.Correlation(m.Hours[:], hours, nil); c < 0.95 {
		t.Errorf("the hours of the week correlate by %g with the true ones", c)
	}
	var sum float64
	for _, h := range m.Hours {
		sum += h / 168
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("mean of the hours %g", sum)
	}
}

// TestLikeMeans: without damping, generated traces have the jobs and the work of the
// trace on average, and damping makes the work of weeks vary as it does there.
func TestLikeMeans(t *testing.T) {
	path, _ := site(t, 20, 6, 26, 4, 0.8, 0.5, 2)
	m := fitLike(t, path)
	const traces = 24
	means := func() (jobs, work, variation, jobsError, workError float64) {
		var n, w []float64
		for k := range traces {
			s := must(m.measure(t.Context(), m.Generate(m.Span, 3, k), m.Span))
			n, w, variation = append(n, s.jobs), append(w, s.load), variation+s.work/traces
		}
		mean := func(x []float64) (m, e float64) {
			m, sd := stat.MeanStdDev(x, nil)
			return m, sure * stat.StdErr(sd, traces)
		}
		jobs, jobsError = mean(n)
		work, workError = mean(w)
		return
	}
	_, _, varied, _, _ := means()
	if varied > m.sample.work*1.15 || m.Damping > 0 && varied < m.sample.work*0.85 {
		t.Errorf("damping %g: the work of weeks varies by %g, in the trace by %g", m.Damping, varied, m.sample.work)
	}
	m.Damping = 0
	jobs, work, _, jobsError, workError := means()
	if math.Abs(jobs-m.sample.jobs) > jobsError || math.Abs(work-m.sample.load) > workError {
		t.Errorf("%g jobs a day and load %g (within %g, %g), in the trace %g and %g",
			jobs, work, jobsError, workError, m.sample.jobs, m.sample.load)
	}
}
