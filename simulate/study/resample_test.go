package study

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// weekly is a scenario of four weeks of jobs of two groups, the second of which
// comes every other week.
func weekly(t testing.TB) string {
	t.Helper()
	text := "; MaxProcs: 8\n"
	for i := range 4 * 7 * 12 {
		group := 1 + i/84%2*(i%3/2)
		text += swfLine(i+1, 7200*i, 600+i*37%9000, 1+i*5%8, 10000, 1+i%7, group)
	}
	path := filepath.Join(t.TempDir(), "weeks.swf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return "name: weeks\ntrace: {file: " + path + "}\n" + `classes:
  - {name: regular, of: {group: [1]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3}, max_penalty: {of_price: 0}}
  - {name: other, price: {per_unit_hour: 1}, deadline: {lengths: 2}}
`
}

// TestResampled checks that the intervals of resampled spans are ranges of what the
// replications measure, paired ones too, and the same on any number of workers.
func TestResampled(t *testing.T) {
	subject := opened(t, weekly(t))
	simulation := func(workers int) *Simulation {
		return &Simulation{Subject: subject, Policies: named(t, "easy", "fcfs"), Resample: &workload.Resampling{}, Replications: 50, Runner: &Runner{Workers: workers}, Seed: 1}
	}
	s := simulation(1)
	r := run(t, s)
	if r.Once || r.Resampled == nil || r.Resampled.Weeks != 4 || r.Resampled.Users != 7 || r.Drawn != DrawnSpans {
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
	if n := run(t, &Simulation{Subject: subject, Resample: &workload.Resampling{Span: 14 * 86400}, Seed: 1}); n.Replications != resampledSpans || math.Abs(float64(n.Jobs)/168-1) > 0.01 {
		t.Errorf("%d replications of %g jobs", n.Replications, float64(n.Jobs))
	}
	if once := run(t, &Simulation{Subject: subject, Seed: 1}); !once.Once || once.Policies[0].Total.Get("mean_wait").Low != nil {
		t.Error("the subject was changed")
	}
}

// TestResampledAdmission checks that an admission is computed for the trace as
// recorded and measured on other spans.
func TestResampledAdmission(t *testing.T) {
	s := &Simulation{Subject: opened(t, weekly(t)), Admissions: []Admission{{Name: "analytic"}}, Replications: 3, Seed: 1}
	want := run(t, s).Policies[0].Admission.Admit
	s.Resample = &workload.Resampling{Span: 14 * 86400}
	got := run(t, s).Policies[0].Admission.Admit
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, of the trace %v", got, want)
		}
	}
}

// TestResampledValidation checks that bounds hold on every resampled span, and that
// their ranges are those of the spans.
func TestResampledValidation(t *testing.T) {
	v := &Validation{Subject: opened(t, weekly(t)), Policies: named(t, "easy", "libra"), Resample: &workload.Resampling{Span: 14 * 86400}, Replications: 4, Seed: 1}
	r, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Validated.Bounds {
		if b.Low == nil || !(*b.Low < *b.High) || len(b.Totals) != 4 {
			t.Errorf("bound %+v", b)
		}
		for _, row := range r.Policies {
			for k, total := range row.Validated.Totals {
				if b.Name == ClairvoyantBound && total > b.Totals[k] {
					t.Errorf("%s delivers %g in span %d, %s is %g", row.Label, float64(total), k, b.Name, float64(b.Totals[k]))
				}
			}
			if e := row.Validated.Efficiency; e.Low == nil || *e.High > 1 || *e.Low > e.Mean || *e.High < e.Mean {
				t.Errorf("%s: efficiency %+v", row.Label, e.Interval())
			}
		}
	}
}

// TestResampleRefused checks which studies are refused.
func TestResampleRefused(t *testing.T) {
	stop := &Stop{Measure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: 0.1}}
	for _, s := range []*Simulation{
		{Subject: builtin(t, "nist-cluster")}, {Subject: builtin(t, "sp2-like")}, {Subject: opened(t, weekly(t)), Stop: stop}, {Subject: opened(t, customers(t))},
	} {
		var bad *workload.Error
		s.Resample = &workload.Resampling{}
		if _, err := s.Run(context.Background()); !errors.As(err, &bad) {
			t.Errorf("%s: %v", s.Subject.Scenario.Name, err)
		}
		v := &Validation{Subject: s.Subject, Stop: s.Stop, Resample: s.Resample}
		if err := v.Open(context.Background()); !errors.As(err, &bad) {
			t.Errorf("%s: validation: %v", s.Subject.Scenario.Name, err)
		}
	}
}

// TestResampledWhatIf: the gains of changes and of the bound are ranges over spans,
// whose length money is divided by; more replications do not make them narrower. A choice is named, and goes by what is left of the gain.
func TestResampledWhatIf(t *testing.T) {
	const span = 14 * 86400
	w := &WhatIf{Subject: opened(t, weekly(t)), Resample: &workload.Resampling{Span: span}, Replications: 6, Seed: 1, Costs: Costs{{PerHour: 5}}}
	r := what(t, w, "trace.nodes=+1", "trace.nodes=+8", "growth=+5%")
	for _, c := range append(r.Changes, *r.Before) {
		if d := c.Bound.Difference; d.Low == nil || d.High == nil {
			t.Errorf("%s: bound %+v", c.Name, d)
		}
	}
	if all := r.Changes[3].Name; all != "all together, trace.nodes=+1" {
		t.Error(all)
	}
	drawn, err := w.Subject.Resample(context.Background(), w.Resample)
	if err != nil {
		t.Fatal(err)
	}
	sample, err := (&Experiment{Workload: drawn.Workload, Policy: *w.Policy, Seed: 1}).Run(context.Background(), 2)
	if want := 3600 * sample.Total.Value / span; err != nil || !near(float64(r.Before.Money[2]), want, 1e-9) {
		t.Errorf("%g, want %g: %v", r.Before.Money[2], want, err)
	}
}
