package study

import (
	"context"
	"math"
	"slices"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// offering has classes whose prices and work vary in different ways, and in which
// a late job loses nothing: all that is offered is earned.
const offering = `
server: {nodes: 40}
load: 0.7
simulation: {jobs: 1500, warmup: 10%, replications: 5}
classes:
  - {name: flat, share: 0.5, length: {mean: 100, sd: 30, min: 10}, price: 3}
  - {name: hourly, share: 0.3, length: {dist: lognormal, mean: 50, sd: 60}, width: {values: [1, 4, 9], weights: [0.5, 0.3, 0.2]}, price: {per_hour: 40}}
  - {name: wide, share: 0.2, length: {dist: exponential, mean: 20}, width: {values: [2, 8], weights: [0.6, 0.4]}, price: {per_unit_hour: 90}}
`

// windows returns the workload with every kind of window that has exact means.
func windows(t *testing.T) map[string]workload.Workload {
	w := opened(t, offering).Workload.(*workload.Classes)
	span := 1500 / w.Stream()
	return map[string]workload.Workload{
		"jobs": w, "time": w.WithLength(workload.Length{Horizon: span, WarmupSeconds: span / 12}),
		"drained jobs": w.Drained(1300), "drained time": w.WithLength(workload.Length{Horizon: span}).Drained(0),
	}
}

// The means of the controls are zero, whatever the window and the lots.
func TestControlMeans(t *testing.T) {
	for name, w := range windows(t) {
		for _, admission := range []Admission{{}, {Rule: simulate.Thresholds{Share: []float64{1, 0.8, 0.9}, Waiting: []int{5, -1, 0}}}} {
			e := under(t, w, "fcfs", nil, nil, 7)
			e.Admission = admission
			o, err := Replicate(context.Background(), e, 80, 2)
			if err != nil || !o.Controlled() {
				t.Fatalf("%s: %v, controlled %t", name, err, o.Controlled())
			}
			for i := range e.variates().Controls() {
				x := o.column(o.columns.part() + i)
				if v := metric.Estimate(x, 0.9999); !v.Contains(0) || !(v.HalfWidth > 0) {
					t.Errorf("%s: control %d has mean %+v", name, i, v)
				}
			}
		}
	}
}

// Where all that is offered is earned, the revenue is the known one but for a
// tenth of its luck. A lottery refuses some, and its luck is known as well.
func TestControlledRevenue(t *testing.T) {
	m := metric.RevenuePerSecond()
	for name, w := range windows(t) {
		for _, admit := range [][]float64{nil, {1, 0.7, 0.9}} {
			e := under(t, w, "easy", nil, admit, 3)
			o, err := Replicate(context.Background(), e, 6, 2)
			if err != nil {
				t.Fatal(err)
			}
			_, prices, _, _ := w.(*workload.Classes).Means()
			var want float64
			for i, p := range prices {
				if admit != nil {
					p *= admit[i]
				}
				want += p
			}
			submitted, _ := metric.Lookup("jobs_submitted")
			if n := o.Plain(submitted, -1)[0]; w.Window().Jobs > 0 {
				want *= n / (n - 1)
			}
			for k, x := range o.Values(m, -1) {
				if plain := o.Plain(m, -1)[k]; math.Abs((x-want)-0.1*(plain-want)) > 1e-9*want {
					t.Errorf("%s: %g becomes %g, want %g and a tenth of the difference", name, plain, x, want)
				}
			}
			if i := o.Interval(m, -1); math.Abs(i.Reduced-100) > 1e-3 {
				t.Errorf("%s: variance reduced %g times, want 100", name, i.Reduced)
			}
			count, _ := metric.Lookup("jobs_admitted")
			if i := o.Interval(count, -1); i.Reduced != 0 {
				t.Errorf("%s: a count of jobs is controlled: %+v", name, i)
			}
		}
	}
}

// Means are not exact, or linear, everywhere.
func TestNoVariates(t *testing.T) {
	w := opened(t, offering).Workload.(*workload.Classes)
	few := w.Length()
	few.Jobs = 500
	mixed := workload.Length{Jobs: 5000, WarmupSeconds: 10}
	bursts := opened(t, offering, scenario.Override{Path: "classes.flat.arrivals", Value: "{bursts: {on: 1h, off: 1h, ratio: 3}}"}).Workload
	for name, w := range map[string]workload.Workload{
		"short": w.WithLength(few), "a warm-up in seconds before a number of jobs": w.WithLength(mixed), "bursts": bursts, "a trace": opened(t, customers(t)).Workload,
	} {
		if under(t, w, "fcfs", nil, nil, 1).variates() != nil {
			t.Errorf("%s has control variates", name)
		}
	}
	e := under(t, w, "fcfs", nil, nil, 1)
	if v := e.variates(); v == nil || !slices.Equal(v.Own, []int{0, 2, 1}) {
		t.Errorf("variates %+v, want those of all classes, the most valuable first", v)
	}
	if e.Plain = true; e.variates() != nil {
		t.Error("a plain experiment has control variates")
	}
	e.Plain, e.Admission.Admit = false, []float64{1, 0.01, 0}
	if v := e.variates(); v != nil {
		t.Errorf("half of 1,350 jobs are admitted: %+v", v)
	}
}
