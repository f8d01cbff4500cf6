package plan

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// three are three policies on a workload of four classes.
func three(t *testing.T) []Row {
	return []Row{
		beside(t, "hol", nil, nil), beside(t, "hol", policy.Settings{"backfill": "true"}, nil), beside(t, "fcfs", nil, []float64{0.5, 1, 1, 0}),
	}
}

// Side by side or alone, a row gives the same, and every row sees the same jobs.
func TestCompare(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster-widths", scenario.Set("load", 2))
	got := sampled(t, s, func(p *Plan) { p.Replications, p.Seed = 6, 3 }, three(t)...)
	if n, once := got.Replications(0); n != 6 || once || !got.Met(0) {
		t.Fatalf("%d replications, once %v", n, once)
	}
	offered, _ := metric.Lookup("price_total")
	for i, row := range three(t) {
		e := &experiment.Experiment{Workload: s.Workload, Policy: row.Policy, Admission: row.Admission, Seed: 3}
		alone, err := Replicate(context.Background(), e, 6, 1)
		if err != nil || fmt.Sprint(alone.numbers) != fmt.Sprint(got.Row(0, i).numbers) { // NaN is not equal to itself
			t.Errorf("row %d differs from itself alone, %v", i, err)
		}
		if !slices.Equal(alone.Plain(offered, -1), got.Row(0, 0).Plain(offered, -1)) {
			t.Errorf("row %d sees other jobs", i)
		}
	}
	f := metric.RevenuePerSecond()
	a, b := got.Row(0, 0), got.Row(0, 1)
	d := b.Difference(a, f, -1)
	if want := b.Interval(f, -1).Mean - a.Interval(f, -1).Mean; math.Abs(d.Mean-want) > 1e-9*math.Abs(want) {
		t.Errorf("difference %g, want %g", d.Mean, want)
	}
	alone := math.Hypot(a.Interval(f, -1).HalfWidth, b.Interval(f, -1).HalfWidth)
	if !(d.HalfWidth < alone) || !(d.Reduced > 1) || d.Level != metric.DefaultLevel {
		t.Errorf("paired %+v, not paired %g", d, alone)
	}
}

func TestStop(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster")
	for _, test := range []struct {
		relative float64
		max, n   int
		met      bool
		plain    bool
	}{{0.5, 1280, 10, true, true}, {0.5, 1280, 4, true, false}, {0.5, 3, 3, true, false}, {1e-9, 25, 25, false, false}} {
		got := sampled(t, s, func(p *Plan) {
			p.Plain, p.Replications, p.Seed = test.plain, test.max, 3
			p.Stop = &StopRule{Metric: "revenue_per_second", Relative: test.relative, Level: 0.95}
		}, three(t)...)
		if n, _ := got.Replications(0); got.Met(0) != test.met || n != test.n {
			t.Errorf("%+v: met %v, %d replications", test, got.Met(0), n)
		}
	}
}

// Nothing is random in a trace with fixed customers: it runs once, unless lots
// decide who is let in.
func TestOnce(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	for _, test := range []struct {
		admission experiment.Admission
		n         int
	}{
		{experiment.Admission{}, 1}, {experiment.Admission{Admit: []float64{1, 0, 1}}, 1}, {experiment.Admission{Admit: []float64{1, 0.5, 1}}, 4},
		{experiment.Admission{Rule: agent.Thresholds{Waiting: []int{3, 3, 3}}}, 1}, {experiment.Admission{Rule: agent.Thresholds{Share: []float64{1, 0.5, 1}}}, 4},
		{experiment.Admission{Rule: agent.AdmitFunc(func(j *simulate.Job, _ []*simulate.Cluster) bool { return j.Width > 1 })}, 4},
	} {
		rows := []Row{beside(t, "easy", nil, nil), beside(t, "libra", nil, nil)}
		rows[0].Admission = test.admission
		got := sampled(t, s, func(*Plan) {}, rows...)
		if n, once := got.Replications(0); once != (test.n == 1) || n != test.n || !got.Met(0) {
			t.Errorf("%+v: once %v, %d replications", test.admission, once, n)
		}
	}
	if random := fixture.Opened(t, fixture.SmallTrace); !under(t, random.Workload, "easy", nil, nil, 1).Random() {
		t.Error("qos is drawn")
	}
}
