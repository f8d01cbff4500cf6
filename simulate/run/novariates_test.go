package run

import (
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// Means are not exact, or linear, everywhere.
func TestNoVariates(t *testing.T) {
	w := fixture.Opened(t, offering).Workload.(*workload.Classes)
	few := w.Length()
	few.Jobs = 500
	mixed := workload.Length{Jobs: 5000, WarmupSeconds: 10}
	bursts := fixture.Opened(t, offering, scenario.Override{Path: "classes.flat.arrivals", Value: "{bursts: {on: 1h, off: 1h, ratio: 3}}"}).Workload
	for name, w := range map[string]workload.Workload{
		"short": w.WithLength(few), "a warm-up in seconds before a number of jobs": w.WithLength(mixed), "bursts": bursts, "a trace": fixture.Opened(t, fixture.Customers(t)).Workload,
	} {
		if under(t, w, "fcfs", nil, nil, 1).Variates() != nil {
			t.Errorf("%s has control variates", name)
		}
	}
	e := under(t, w, "fcfs", nil, nil, 1)
	if v := e.Variates(); v == nil || !slices.Equal(v.Own, []int{0, 2, 1}) {
		t.Errorf("variates %+v, want those of all classes, the most valuable first", v)
	}
	if e.Plain = true; e.Variates() != nil {
		t.Error("a plain experiment has control variates")
	}
	e.Plain, e.Admission.Admit = false, []float64{1, 0.01, 0}
	if v := e.Variates(); v != nil {
		t.Errorf("half of 1,350 jobs are admitted: %+v", v)
	}
}
