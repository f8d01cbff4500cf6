package subject_test

import (
	"context"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/subject"
)

// An opener reads a trace once.
func TestOpener(t *testing.T) {
	doc := fixture.Parsed(t, fixture.Customers(t))
	o := subject.Opener{Seed: 1}
	a, err := o.Open(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	faster, err := doc.With(scenario.Set("trace.arrival_delay_factor", 0.5))
	if err != nil {
		t.Fatal(err)
	}
	b, err := o.Open(context.Background(), faster)
	if err != nil || a.Trace != b.Trace || a.Workload == b.Workload || b.Value != 0.5 {
		t.Errorf("%p, %p, %v", a.Trace, b.Trace, err)
	}
	if got, want := b.Workload.Load(), 2*a.Workload.Load(); math.Abs(got-want) > 1e-9 {
		t.Errorf("load %g, want %g", got, want)
	}
}
