package whatif

import (
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/study/simulation"
	"revopt/simulate/study/solve"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Hand-worked: exponential lengths at load r, c^2 = (6 + 8 r/(1-r)^2) / jobs. The
// questions that simulate agree about the warning.
func TestSkewed(t *testing.T) {
	for load, want := range map[float64]float64{
		0.5: math.Sqrt(22.0 / 1800), 0.9: math.Sqrt(726.0 / 1800), 1.1: math.NaN(),
	} {
		s := fixture.Opened(t, fixture.OneExponential, scenario.Set("load", load))
		got := under(t, s.Workload, "hol", nil, nil, 1).ExpectedVariation()
		if !(math.Abs(got-want) < 1e-9) && !math.IsNaN(got+want) {
			t.Errorf("load %g: %g, want %g", load, got, want)
		}
		if load > 1 {
			continue
		}
		change, err := ParseChange(s, "classes.a.price=+1")
		if err != nil {
			t.Fatal(err)
		}
		changed, err := (&WhatIf{Subject: s, Changes: []Change{change}}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, err := analytic.Analyze(t.Context(), s, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		length := s.Workload.(*workload.Classes).Length()
		waits, err := solve.Waits(t.Context(), a, solve.WaitOptions{Simulate: true, Length: length, Replications: 5})
		if err != nil {
			t.Fatal(err)
		}
		for question, list := range map[string][]warn.Warning{
			"simulate": run(t, &simulation.Simulation{Subject: s, Policies: fixture.Named(t, "hol")}).Warnings,
			"whatif":   changed.Warnings, "wait": waits.Warnings,
		} {
			warned := slices.ContainsFunc(list, func(w warn.Warning) bool { return w.Kind == warn.Skewed })
			if warned != (load > 0.8) {
				t.Errorf("%s at load %g: warned %v", question, load, warned)
			}
		}
	}
}
