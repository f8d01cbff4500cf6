package run

import (
	"context"
	"reflect"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
)

// At load 3 it does not pay to admit all, and the search finds out, the same at
// any number of workers; on fresh numbers it earns more.
func TestSearch(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster", scenario.Set("load", 3))
	all := []float64{1, 1, 1, 1}
	e := under(t, s.Workload, "hol", nil, nil, 1)
	var admit []float64
	for _, workers := range []int{1, 3} {
		r, err := admissionSearch{Experiment: e, Effort: scenario.SearchEffort{Jobs: 1000}, Workers: workers}.Admission(context.Background(), [][]float64{all})
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

// The admission found on a trace is in no comparison below its starts by more
// than chance.
func TestSimulatedAdmissionOnTrace(t *testing.T) {
	s := fixture.Opened(t, fixture.MixedTrace)
	starts, err := (&Models{Subject: s, Seed: 1}).Starts(context.Background())
	if err != nil || len(starts) < 2 {
		t.Fatalf("%v, %v", starts, err)
	}
	e := under(t, s.Workload, "easy", nil, nil, 1)
	found, err := admissionSearch{Experiment: e, Effort: scenario.SearchEffort{Replications: 4, Step: 0.1}}.Admission(context.Background(), starts)
	if err != nil {
		t.Fatal(err)
	}
	l := labOf(t, s, Options{Seed: 1})
	rows := []Case{beside(l, "easy", found)}
	for _, start := range starts {
		rows = append(rows, beside(l, "easy", start))
	}
	got := framed(t, l, 10, rows...)
	for i, start := range starts {
		if d := difference(got, rows[0], rows[i+1], ColumnValueTotal); d.Mean < -d.HalfWidth {
			t.Errorf("%v delivers %+v less than %v", found, d, start)
		}
	}
	// A grid has no model: its search starts from all jobs.
	grid := fixture.Opened(t, "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n")
	if starts, err := (&Models{Subject: grid}).Starts(context.Background()); err != nil || !reflect.DeepEqual(starts, [][]float64{{1}}) {
		t.Errorf("%v, %v", starts, err)
	}
}
