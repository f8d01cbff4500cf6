package run

import (
	"context"
	"errors"
	"math"
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
		l := labOf(t, s, Options{Seed: 1})
		c := rowsOf(l, "hol")[0]
		at, err := l.point(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		c.Jobs.Count = c.searchJobs(at.workload, 2000)
		short, err := l.point(t.Context(), c)
		if err != nil || math.Abs(short.workload.Size()-2000) > 1 {
			t.Errorf("%v: %v, %v jobs", o, err, short.workload.Size())
		}
		if admit, err := sought(t, l, "hol", scenario.SearchEffort{Jobs: 2000}); err != nil || len(admit) != 1 {
			t.Errorf("%v: %v, %v", o, admit, err)
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
