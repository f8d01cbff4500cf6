package run

import (
	"math"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// The means of the controls are zero, whatever the window and the lots.
func TestControlMeans(t *testing.T) {
	for name, w := range windows(t) {
		for _, admission := range []Gate{{}, {Rule: agent.Thresholds{Share: []float64{1, 0.8, 0.9}, Waiting: []int{5, -1, 0}}}} {
			e := under(t, w, "fcfs", nil, nil, 7)
			e.Admission = admission
			o := replicated(t, e, 80, 2)
			if o.records[0].Without == nil {
				t.Fatalf("%s: not controlled", name)
			}
			for i := range e.Variates().Controls() {
				x := text.Each(o.records, func(r Record) float64 { return r.Controls[i] })
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
	for name, w := range windows(t) {
		for _, admit := range [][]float64{nil, {1, 0.7, 0.9}} {
			e := under(t, w, "easy", nil, admit, 3)
			o := replicated(t, e, 6, 2)
			revenue := o.Series(All, ColumnRevenue)
			_, prices, _, _ := w.(*workload.Classes).Means()
			var want float64
			for i, p := range prices {
				if admit != nil {
					p *= admit[i]
				}
				want += p
			}
			want *= metric.Hour
			if n, _ := o.Series(All, ColumnSubmitted).At(0); w.Window().Jobs > 0 {
				want *= n / (n - 1)
			}
			for k, x := range revenue.values {
				if plain := revenue.plain[k]; math.Abs((x-want)-0.1*(plain-want)) > 1e-9*want {
					t.Errorf("%s: %g becomes %g, want %g and a tenth of the difference", name, plain, x, want)
				}
			}
			if i := interval(o, ColumnRevenue); math.Abs(i.Reduced-100) > 1e-3 {
				t.Errorf("%s: variance reduced %g times, want 100", name, i.Reduced)
			}
			if i := interval(o, ColumnCompleted); i.Reduced != 0 {
				t.Errorf("%s: a count of jobs is controlled: %+v", name, i)
			}
		}
	}
}
