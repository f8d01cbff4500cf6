package whatif

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/experiment"
	"revopt/simulate/workload"
)

// TestResampledWhatIf: the gains of changes and of the bound are ranges over spans,
// whose length money is divided by; more replications do not make them narrower. A choice is named, and goes by what is left of the gain.
func TestResampledWhatIf(t *testing.T) {
	const span = 14 * 86400
	w := &WhatIf{Subject: fixture.Opened(t, fixture.Weekly(t)), Resample: &workload.Resampling{Span: span}, Replications: 6, Seed: 1, Costs: Costs{{PerHour: 5}}}
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
	sample, err := (&experiment.Experiment{Workload: drawn.Workload, Policy: *w.Policy, Seed: 1}).Run(context.Background(), 2)
	if want := 3600 * sample.Total.Value / span; err != nil || !fixture.Near(float64(r.Before.Money[2]), want, 1e-9) {
		t.Errorf("%g, want %g: %v", r.Before.Money[2], want, err)
	}
}
