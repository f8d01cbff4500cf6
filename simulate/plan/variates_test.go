package plan

import (
	"context"
	"math"
	"testing"

	"revopt/simulate/agent"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// The means of the controls are zero, whatever the window and the lots.
func TestControlMeans(t *testing.T) {
	for name, w := range windows(t) {
		for _, admission := range []experiment.Admission{{}, {Rule: agent.Thresholds{Share: []float64{1, 0.8, 0.9}, Waiting: []int{5, -1, 0}}}} {
			e := under(t, w, "fcfs", nil, nil, 7)
			e.Admission = admission
			o, err := Replicate(context.Background(), e, 80, 2)
			if err != nil || !o.Controlled() {
				t.Fatalf("%s: %v, controlled %t", name, err, o.Controlled())
			}
			for i := range e.Variates().Controls() {
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
