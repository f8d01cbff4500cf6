package run

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
)

// A search on a long scenario is made on short replications.
func TestSearchIsShort(t *testing.T) {
	for _, o := range []scenario.Override{scenario.Set("simulation.jobs", 1e9), scenario.Set("simulation.horizon", 1e12)} {
		s := fixture.Builtin(t, "nist-one", o, scenario.Override{Path: "simulation.warmup", Value: "1d"})
		runs := 0
		search := admissionSearch{under(t, s.Workload, "hol", nil, nil, 1), scenario.SearchEffort{Jobs: 2000}, 1, func() { runs++ }}
		if _, err := search.Admission(context.Background(), [][]float64{{1}}); err != nil || runs == 0 {
			t.Errorf("%v: %v after %d runs", o, err, runs)
		}
	}
}

// On classes the model's probabilities are those of the customers as they are.
func TestAnalyzeClasses(t *testing.T) {
	s := fixture.Builtin(t, "nist-four")
	got, err := (&Models{Subject: s}).Analytic(context.Background())
	want, err2 := optimize.Solve(context.Background(), s.Scenario.System(), optimize.Settings{})
	if err != nil || err2 != nil || !reflect.DeepEqual(got, want.Admit) {
		t.Errorf("%v, want %v: %v, %v", got, want.Admit, err, err2)
	}
	var none *analytic.NoModelError
	for _, name := range []string{"ic-grid", "libra-2004"} {
		if _, err := analytic.Analyze(context.Background(), fixture.Builtin(t, name), 1, 0); !errors.As(err, &none) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
