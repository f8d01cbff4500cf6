package ask

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/run"
	"revopt/simulate/warn"
)

// The classes fitted to a trace say whose they are, and their probabilities
// become those of customers, the parts weighted by their rates.
func TestAnalyzeTrace(t *testing.T) {
	s := fixture.Opened(t, fixture.MixedTrace)
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a.Fit == nil || len(a.Customer) != len(a.System.Classes) || !slices.ContainsFunc(a.Ignored, func(w warn.Warning) bool { return w.Code == "FIT" }) {
		t.Fatalf("%+v", a)
	}
	parts := map[int]int{}
	for _, c := range a.Customer {
		parts[c]++
	}
	if parts[0] != 2 || parts[1] != 1 { // the hard and the soft jobs of half
		t.Errorf("classes of customers %v", parts)
	}
	// By hand: the mean weighted by rates.
	admit := make([]float64, len(a.Customer))
	var sum, rate float64
	for i, c := range a.Customer {
		admit[i] = float64(i) / 4
		if c == 0 {
			sum += admit[i] * a.System.Classes[i].Rate
			rate += a.System.Classes[i].Rate
		}
	}
	got := a.ByCustomer(admit, 3)
	if rest := slices.Index(a.Customer, 1); math.Abs(got[0]-sum/rate) > 1e-12 || got[1] != admit[rest] || got[2] != 1 {
		t.Errorf("%v of %v", got, admit)
	}
	m := &run.Models{Subject: s, Seed: 1}
	best, err := m.Analytic(context.Background())
	if err != nil || len(best) != 2 || !(best[0] > 0) {
		t.Fatalf("%v, %v", best, err)
	}
	want, err := optimize.Solve(context.Background(), a.System, optimize.Settings{})
	if err != nil || !reflect.DeepEqual(best, a.ByCustomer(want.Admit, 2)) {
		t.Errorf("%v, want %v, %v", best, want.Admit, err)
	}
	c := simulated(t, fixture.MixedTrace, Request{Policies: []string{"easy"}, Admission: []string{"analytic"}, Replications: "2"})
	for k, q := range best {
		if admitted, _ := c.Answer.Table("admissions"); admitted.Rows[k][3].Number != q {
			t.Errorf("customer %d: %+v, want %g", k, admitted.Rows[k], q)
		}
	}
	if !slices.Contains(codesOf(c), "FIT") {
		t.Error(c.Answer.Warnings)
	}
}
