package study

import (
	"math"
	"slices"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// Hand-worked: exponential lengths at load r, c^2 = (6 + 8 r/(1-r)^2) / jobs. The
// questions that simulate agree about the warning.
func TestSkewed(t *testing.T) {
	const text = "name: one\nload: 0.5\nserver: {parallel: 1}\nclasses:\n" +
		"  - {name: a, share: 1, length: {dist: exponential, mean: 100}, price: 5, decay: 0.001}\n" +
		"simulation: {jobs: 2000, replications: 5}\n"
	for load, want := range map[float64]float64{
		0.5: math.Sqrt(22.0 / 1800), 0.9: math.Sqrt(726.0 / 1800), 1.1: math.NaN(),
	} {
		s := opened(t, text, scenario.Set("load", load))
		got := under(t, s.Workload, "hol", nil, nil, 1).expectedVariation()
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
		validated, err := (&Validation{Subject: s, Policies: named(t, "hol"), Jobs: 100}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(t.Context(), s, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		length := s.Workload.(*workload.Classes).Length()
		waits, err := Waits(t.Context(), a, WaitOptions{Simulate: true, Length: length, Replications: 5})
		if err != nil {
			t.Fatal(err)
		}
		for question, list := range map[string][]Warning{
			"simulate": run(t, &Simulation{Subject: s, Policies: named(t, "hol")}).Warnings,
			"whatif":   changed.Warnings, "validate": validated.Warnings, "wait": waits.Warnings,
		} {
			warned := slices.ContainsFunc(list, func(w Warning) bool { return w.Kind == WarnSkewed })
			if warned != (load > 0.8 || question == "validate") { // it has 100 jobs
				t.Errorf("%s at load %g: warned %v", question, load, warned)
			}
		}
	}
	if a, b := tooSkewed(10), tooSkewed(400); a != 1.2 || b != 5.2 {
		t.Error(a, b)
	}
	e := under(t, opened(t, text, scenario.Set("load", 0.9)).Workload, "hol", nil, nil, 1)
	jobs, yes := skewedRow(e, Outcome{numbers: make([][]float64, 5)})
	if want := 7.5 * 7.5 * 726 / 1800 / (1.2 * 1.2) * 2000; !yes || math.Abs(jobs-want) > 1e-6 {
		t.Errorf("%v, %g jobs, want %g", yes, jobs, want)
	}
}
