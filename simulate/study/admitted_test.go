package study

import (
	"context"
	"math"
	"testing"

	"revopt/model/scenario"
)

// TestAdmit compares the admission by name with the one that solve finds.
func TestAdmit(t *testing.T) {
	ctx := context.Background()
	s := builtin(t, "nist-four")
	analysis, err := s.Analyze(ctx, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, err := Solve(ctx, analysis, SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Admit(ctx, Admission{Name: scenario.AdmitAnalytic}, 1, 1, nil)
	if err != nil || !got.Certified || got.Searched || got.Fitted != 0 {
		t.Fatalf("%v: %+v", err, got)
	}
	for i, c := range best.Classes {
		if math.Abs(got.Admission.Admit[i]-float64(c.Admit)) > 1e-6 {
			t.Errorf("%s: admitted %g, solve says %g", c.Name, got.Admission.Admit[i], c.Admit)
		}
	}
}
