package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/study/validate"
	"revopt/simulate/workload"
)

// TestResampled checks that the intervals of resampled spans are ranges of what the
// replications measure, paired ones too, and the same on any number of workers.
func TestResampled(t *testing.T) {
	subject := fixture.Opened(t, fixture.Weekly(t))
	simulation := func(workers int) *Simulation {
		return &Simulation{Subject: subject, Policies: fixture.Named(t, "easy", "fcfs"), Resample: &workload.Resampling{}, Replications: 50, Runner: &plan.Runner{Workers: workers}, Seed: 1}
	}
	s := simulation(1)
	r := run(t, s)
	if r.Once || r.Resampled == nil || r.Resampled.Weeks != 4 || r.Resampled.Users != 7 || r.Drawn != study.DrawnSpans {
		t.Errorf("once %t, resampled %+v, %s", r.Once, r.Resampled, r.Drawn)
	}
	var waits [2][]float64
	for i, e := range r.Experiments {
		o, err := Replicate(context.Background(), e, 50, 1)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := metric.Lookup("mean_wait")
		waits[i] = o.Values(m, -1)
		if got, want := r.Policies[i].Total.Get("mean_wait").Interval(), metric.Spread(waits[i], 0.95); got != want || !(want.Low < want.High) {
			t.Errorf("%s: %+v, want %+v", r.Policies[i].Label, got, want)
		}
	}
	if got, want := r.Differences[0].Total.Get("mean_wait").Interval(), metric.Spread(metric.Less(waits[1], waits[0]), 0.95); got != want {
		t.Errorf("difference %+v, want %+v", got, want)
	}
	a, _ := json.Marshal(r)
	b, _ := json.Marshal(run(t, simulation(3)))
	if string(a) != string(b) {
		t.Error("three workers find something else than one")
	}
	if !strings.Contains(string(a), `"low":`) || strings.Contains(string(a), `"few-spans"`) {
		t.Error("the JSON lacks the range")
	}
	few := run(t, &Simulation{Subject: subject, Resample: &workload.Resampling{}, Replications: 9, Seed: 1})
	if i := few.Policies[0].Total.Get("mean_wait").Interval(); len(few.Warnings) != 2 || few.Warnings[0].Kind != "few-spans" || !slices.Equal(few.Warnings[0].Numbers, []float64{9, 0.95, 39}) {
		t.Errorf("%+v, warnings %v", i, few.Warnings)
	}
	if n := run(t, &Simulation{Subject: subject, Resample: &workload.Resampling{Span: 14 * 86400}, Seed: 1}); n.Replications != 100 || math.Abs(float64(n.Jobs)/168-1) > 0.01 {
		t.Errorf("%d replications of %g jobs", n.Replications, float64(n.Jobs))
	}
	if once := run(t, &Simulation{Subject: subject, Seed: 1}); !once.Once || once.Policies[0].Total.Get("mean_wait").Low != nil {
		t.Error("the subject was changed")
	}
}

// TestResampledAdmission checks that an admission is computed for the trace as
// recorded and measured on other spans.
func TestResampledAdmission(t *testing.T) {
	s := &Simulation{Subject: fixture.Opened(t, fixture.Weekly(t)), Admissions: []experiment.Admission{{Name: "analytic"}}, Replications: 3, Seed: 1}
	want := run(t, s).Policies[0].Admission.Admit
	s.Resample = &workload.Resampling{Span: 14 * 86400}
	got := run(t, s).Policies[0].Admission.Admit
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, of the trace %v", got, want)
		}
	}
}

// TestResampleRefused checks which studies are refused.
func TestResampleRefused(t *testing.T) {
	stop := &plan.Stop{Measure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: 0.1}}
	for _, s := range []*Simulation{
		{Subject: fixture.Builtin(t, "nist-cluster")}, {Subject: fixture.Builtin(t, "sp2-like")}, {Subject: fixture.Opened(t, fixture.Weekly(t)), Stop: stop}, {Subject: fixture.Opened(t, fixture.Customers(t))},
	} {
		var bad *workload.Error
		s.Resample = &workload.Resampling{}
		if _, err := s.Run(context.Background()); !errors.As(err, &bad) {
			t.Errorf("%s: %v", s.Subject.Scenario.Name, err)
		}
		v := &validate.Validation{Subject: s.Subject, Stop: s.Stop, Resample: s.Resample}
		if err := v.Open(context.Background()); !errors.As(err, &bad) {
			t.Errorf("%s: validation: %v", s.Subject.Scenario.Name, err)
		}
	}
}
