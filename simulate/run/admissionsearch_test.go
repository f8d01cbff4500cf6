package run

import (
	"errors"
	"reflect"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// sought returns the admission that a search of a lab finds under a policy.
func sought(t *testing.T, l *Lab, policy string, effort scenario.SearchEffort) ([]float64, error) {
	t.Helper()
	c := rowsOf(l, policy)[0]
	c.Admission = Admission{Name: scenario.AdmitSimulated, Search: &effort}
	e, err := l.Experiment(t.Context(), c)
	if err != nil {
		return nil, err
	}
	return e.Admission.Admit, nil
}

// At load 3 it does not pay to admit all, and the search finds out, the same at
// any number of workers; on fresh numbers it earns more.
func TestSearch(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster", scenario.Set("load", 3))
	var admit []float64
	for _, workers := range []int{1, 3} {
		r, err := sought(t, labOf(t, s, Options{Seed: 1, Workers: workers}), "hol", scenario.SearchEffort{Jobs: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if admit != nil && !reflect.DeepEqual(admit, r) {
			t.Errorf("%v with %d workers, %v with one", r, workers, admit)
		}
		admit = r
	}
	l := labOf(t, s, Options{Seed: 1})
	rows := []Case{beside(l, "hol", nil), beside(l, "hol", admit)}
	if d := difference(framed(t, l, 6, rows...), rows[1], rows[0], ColumnRevenue); d.Mean < d.HalfWidth {
		t.Errorf("admitting %v earns %+v more than admitting all", admit, d)
	}
	if DerivedSeed(1, "search") == 1 || DerivedSeed(1, "search") == DerivedSeed(2, "search") || DerivedSeed(1, "search") == DerivedSeed(1, "pilot") {
		t.Error("the search shares its random numbers")
	}
}

// The admission of one class is within a step of the best of all that are a step apart, on the numbers of the search.
func TestSearchFindsTheBest(t *testing.T) {
	const step = 1.0 / 8
	s := fixture.Builtin(t, "nist-one", scenario.Set("load", 1.3), scenario.Set("simulation.jobs", 4000))
	l := labOf(t, s, Options{Seed: 1})
	got, err := sought(t, l, "hol", scenario.SearchEffort{Step: step})
	if err != nil {
		t.Fatal(err)
	}
	rows := []Case{beside(l, "hol", got)}
	for q := 0.0; q <= 1; q += step {
		rows = append(rows, beside(l, "hol", []float64{q}))
	}
	f := framed(t, l, 16, rows...)
	for _, row := range rows[1:] {
		if d := difference(f, rows[0], row, ColumnRevenue); d.Mean < -d.HalfWidth {
			t.Errorf("admitting %v earns %+v less than admitting %v", got, d, row.Admission.Admit)
		}
	}
}

// A policy that fails ends the search with its error.
func TestSearchFails(t *testing.T) {
	spec := policy.Spec{Name: "failing", Make: policy.InContext(func(policy.Settings, policy.Context) simulate.Policy {
		return &failing{}
	})}
	s := fixture.Builtin(t, "nist-one", scenario.Set("simulation.jobs", 100))
	l := labOf(t, s, Options{Seed: 1, Named: append(subject.Standard(), spec)})
	_, err := sought(t, l, "failing", scenario.SearchEffort{})
	var failed *RunError
	if !errors.As(err, &failed) {
		t.Errorf("%v", err)
	}
}
