package validate

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/plan"
	"revopt/simulate/workload"
)

// TestResampledValidation checks that bounds hold on every resampled span, and that
// their ranges are those of the spans.
func TestResampledValidation(t *testing.T) {
	v := &Validation{Subject: fixture.Opened(t, fixture.Weekly(t)), Policies: fixture.Named(t, "easy", "libra"), Resample: &workload.Resampling{Span: 14 * 86400}, Replications: 4, Seed: 1}
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
				if b.Name == plan.ClairvoyantBound && total > b.Totals[k] {
					t.Errorf("%s delivers %g in span %d, %s is %g", row.Label, float64(total), k, b.Name, float64(b.Totals[k]))
				}
			}
			if e := row.Validated.Efficiency; e.Low == nil || *e.High > 1 || *e.Low > e.Mean || *e.High < e.Mean {
				t.Errorf("%s: efficiency %+v", row.Label, e.Interval())
			}
		}
	}
}
