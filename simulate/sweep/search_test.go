package sweep_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// At load 3 it does not pay to admit everybody, and the search finds out, the
// same at any number of workers; on fresh numbers it earns more.
func TestSearch(t *testing.T) {
	sc := builtin(t, "nist-cluster", scenario.Set("load", 3))
	all := []float64{1, 1, 1, 1}
	e := &sweep.Experiment{Scenario: sc, Seed: 1}
	var admit []float64
	for _, workers := range []int{1, 3} {
		r, err := sweep.Search(context.Background(), e, [][]float64{all}, workers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if admit != nil && !reflect.DeepEqual(admit, r.Admit) {
			t.Errorf("%v with %d workers, %v with one", r.Admit, workers, admit)
		}
		admit = r.Admit
	}
	c := &sweep.Comparison{Replications: 6, Experiments: []*sweep.Experiment{e, {Scenario: sc, Seed: 1, Admit: admit}}}
	got, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d := got.Difference(metric.RevenuePerSecond(), -1, 1, 0); d.Mean < d.HalfWidth {
		t.Errorf("admitting %v earns %+v more than admitting all", admit, d)
	}
	if sweep.SearchSeed(1) == 1 || sweep.SearchSeed(1) == sweep.SearchSeed(2) {
		t.Error("the search shares its random numbers")
	}
}

// A search on a long scenario is as good on short replications.
func TestSearchIsShort(t *testing.T) {
	for _, o := range []scenario.Override{scenario.Set("simulation.jobs", 1e9), scenario.Set("simulation.horizon", 1e12)} {
		sc := builtin(t, "nist-one", o, scenario.Override{Path: "simulation.warmup", Value: "1d"})
		e := &sweep.Experiment{Scenario: sc, Seed: 1}
		runs := 0
		if _, err := sweep.Search(context.Background(), e, [][]float64{{1}}, 1, func() { runs++ }); err != nil || runs == 0 {
			t.Errorf("%v: %v after %d runs", o, err, runs)
		}
	}
}

// The warm-up of a cluster that starts empty under heavy load is above 0 and
// leaves most of a long run; a short one cannot tell.
func TestFindWarmup(t *testing.T) {
	long := builtin(t, "nist-four", scenario.Set("simulation.jobs", 20000), scenario.Set("load", 0.97))
	find := func(sc *scenario.Scenario) sweep.Warmup {
		c := &sweep.Comparison{Experiments: []*sweep.Experiment{{Scenario: sc, Seed: 1}}}
		w, err := c.FindWarmup(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := find(long)
	if !w.OK || w.Jobs <= 0 || w.Jobs > 10000 {
		t.Errorf("warm-up %+v", w)
	}
	changed := w.With(long)
	if got := changed.Simulation.Warmup.Fraction * 20000; math.Abs(got-float64(w.Jobs)) > 1e-6 || long.Simulation.Warmup.Fraction != 0.1 {
		t.Errorf("a share of %g jobs, want %d", got, w.Jobs)
	}
	timed := builtin(t, "nist-four", scenario.Set("simulation.horizon", 1e7))
	var rate float64
	for _, c := range timed.Classes {
		rate += c.Rate
	}
	if got := (sweep.Warmup{Jobs: 50}).With(timed).Simulation.Warmup.Seconds * rate; math.Abs(got-50) > 1e-9 {
		t.Errorf("a time of %g jobs, want 50", got)
	}
	if w := find(builtin(t, "nist-four", scenario.Set("simulation.jobs", 40), scenario.Set("load", 2))); w.OK || w.Jobs > 20 {
		t.Errorf("a short run gives %+v", w)
	}
}

func TestLoad(t *testing.T) {
	for _, test := range []struct {
		parallel, load, want float64
	}{{3, 0.9, 0.9}, {2.5, 0.9, 0.75}} {
		sc := builtin(t, "nist-one", scenario.Set("server.parallel", test.parallel), scenario.Set("load", test.load))
		if got := sweep.Load(sc); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%+v: got %g", test, got)
		}
	}
}

func TestOverloaded(t *testing.T) {
	for _, test := range []struct {
		scenario string
		load     float64
		admit    []float64
		want     bool
	}{
		{"nist-one", 0.9, nil, false},
		{"nist-one", 1.1, nil, true},
		{"nist-one", 1.1, []float64{0.5}, false},
		{"nist-cluster", 5, nil, false}, // jobs give up
	} {
		e := &sweep.Experiment{Scenario: builtin(t, test.scenario, scenario.Set("load", test.load)), Admit: test.admit}
		if got := e.Overloaded(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	// The last class never gives up: it fits by itself, but not behind those that
	// do give up and hardly need to. First come, first served makes them.
	doc, err := scenario.Parse("patient.yaml", []byte(`
server: {nodes: 10}
load: 1.2
classes:
  - {name: urgent, share: 0.5, length: {mean: 100, sd: 10}, price: 10, decay: 0.1, floor: 0, expire: zero}
  - {name: patient, share: 0.5, length: {mean: 100, sd: 10}, price: 1, decay: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.ClassScenario()
	if err != nil {
		t.Fatal(err)
	}
	for policy, want := range map[string]bool{"hol": true, "fcfs": false} {
		e := &sweep.Experiment{Scenario: sc, Policy: policy}
		if e.Overloaded() != want {
			t.Errorf("%s: got %t", policy, !want)
		}
	}
}
