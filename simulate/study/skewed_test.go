package study

import (
	"math"
	"slices"
	"testing"

	"revopt/model/scenario"
)

// Hand-worked: exponential lengths at load r, c^2 = (6 + 8 r/(1-r)^2) / jobs.
func TestExpectedVariation(t *testing.T) {
	const text = "name: one\nload: 0.5\nserver: {parallel: 1}\nclasses:\n  - {name: a, share: 1, length: {dist: exponential, mean: 100}, price: 5, decay: 0.001}\nsimulation: {jobs: 2000}\n"
	for load, want := range map[float64]float64{0.5: math.Sqrt(22.0 / 1800), 0.9: math.Sqrt(726.0 / 1800), 1.1: math.NaN()} {
		s := opened(t, text, scenario.Set("load", load))
		if got := under(t, s.Workload, "hol", nil, nil, 1).expectedVariation(1800); !(math.Abs(got-want) < 1e-9) && !math.IsNaN(got+want) {
			t.Errorf("load %g: %g, want %g", load, got, want)
		}
		warned := slices.ContainsFunc(run(t, &Simulation{Subject: s, Policies: named(t, "hol"), Replications: 5}).Warnings,
			func(w Warning) bool { return w.Kind == WarnVaried })
		if load < 1 && warned != (load > 0.8) {
			t.Errorf("load %g: warned %v", load, warned)
		}
	}
	if tooVaried(10) != 0.25 || tooVaried(400) != 0.5 {
		t.Error(tooVaried(10), tooVaried(400))
	}
}
