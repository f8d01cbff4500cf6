package sweep_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// builtin returns a built-in scenario, with replications of 2000 jobs where the
// overrides do not say how long.
func builtin(t *testing.T, name string, overrides ...scenario.Override) *scenario.Scenario {
	t.Helper()
	doc, err := scenario.Builtin(name)
	if !slices.ContainsFunc(overrides, func(o scenario.Override) bool { return o.Path == "simulation.horizon" }) {
		overrides = append([]scenario.Override{scenario.Set("simulation.jobs", 2000)}, overrides...)
	}
	if err == nil {
		doc, err = doc.With(overrides...)
	}
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.ClassScenario()
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// policies compares all policies on a scenario.
func policies(sc *scenario.Scenario) *sweep.Comparison {
	return &sweep.Comparison{Replications: 6, Workers: 2, Experiments: []*sweep.Experiment{
		{Scenario: sc, Seed: 3},
		{Scenario: sc, Seed: 3, Policy: "hol", Options: map[string]string{"backfill": "true"}},
		{Scenario: sc, Seed: 3, Policy: "fcfs", Admit: []float64{0.5, 1, 1, 0}},
	}}
}

// Side by side or alone, an experiment gives the same, and every experiment
// sees the same jobs.
func TestCompare(t *testing.T) {
	c := policies(builtin(t, "nist-cluster-widths", scenario.Set("load", 2)))
	var finished atomic.Int64
	c.Progress = func(n int) { finished.Store(max(int64(n), finished.Load())) }
	got, err := c.Run(context.Background())
	if err != nil || !got.Met || got.Replications() != 6 || finished.Load() == 0 {
		t.Fatalf("%v, met %v, %d replications, %d told", err, got.Met, got.Replications(), finished.Load())
	}
	for i, e := range c.Experiments {
		alone, err := sweep.Replicate(context.Background(), e, 6, 1)
		if err != nil || !reflect.DeepEqual(alone.Samples, got.Outcomes[i].Samples) {
			t.Errorf("experiment %d differs from itself alone, %v", i, err)
		}
		for k, s := range got.Outcomes[i].Samples {
			first := got.Outcomes[0].Samples[k]
			if s.Total.Submitted != first.Total.Submitted || s.Total.Worth != first.Total.Worth {
				t.Errorf("experiment %d sees other jobs in replication %d", i, k)
			}
		}
	}
	f := metric.RevenuePerSecond()
	d := got.Difference(f, -1, 1, 0)
	if want := got.Outcomes[1].Interval(f, -1).Mean - got.Outcomes[0].Interval(f, -1).Mean; math.Abs(d.Mean-want) > 1e-9*math.Abs(want) {
		t.Errorf("difference %g, want %g", d.Mean, want)
	}
	if alone := got.Outcomes[0].Interval(f, -1).HalfWidth; !(d.HalfWidth < alone) || d.Level != metric.DefaultLevel {
		t.Errorf("paired half width %g, not paired %g, level %g", d.HalfWidth, alone, d.Level)
	}
}

// Every policy keeps its books.
func TestAudit(t *testing.T) {
	for _, scenarioName := range []string{"nist-one", "nist-four", "nist-cluster", "nist-cluster-widths"} {
		sc := builtin(t, scenarioName)
		for _, name := range sweep.Policies() {
			for _, backfill := range []string{"false", "true"} {
				e := &sweep.Experiment{Scenario: sc, Seed: 1, Policy: name, Options: map[string]string{"backfill": backfill}}
				var audit simulate.Audit
				if _, err := e.Run(context.Background(), 0, &audit); err != nil || audit.Err() != nil {
					t.Errorf("%s under %s, backfill %s: %v, %v", scenarioName, name, backfill, err, audit.Err())
				}
			}
		}
	}
}

func TestStop(t *testing.T) {
	sc := builtin(t, "nist-cluster")
	for _, test := range []struct {
		relative float64
		max, n   int
		met      bool
	}{{0.5, 0, 10, true}, {1e-9, 25, 25, false}} {
		c := policies(sc)
		c.Stop = &sweep.Stop{Figure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: test.relative, Max: test.max}}
		got, err := c.Run(context.Background())
		if err != nil || got.Met != test.met || got.Replications() != test.n {
			t.Errorf("%+v: met %v, %d replications, %v", test, got.Met, got.Replications(), err)
		}
	}
}

// A cancelled comparison keeps what was finished of all experiments.
func TestCompareCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := policies(builtin(t, "nist-cluster"))
	c.Replications, c.Workers = 1000, 1
	c.Progress = func(n int) {
		if n == 3 {
			cancel()
		}
	}
	got, err := c.Run(ctx)
	if !errors.Is(err, context.Canceled) || got.Met || got.Replications() != 3 || len(got.Outcomes[2].Samples) != 3 {
		t.Errorf("%v, met %v, %d replications", err, got.Met, got.Replications())
	}
}

func TestCompareCheck(t *testing.T) {
	sc, other := builtin(t, "nist-cluster"), builtin(t, "nist-cluster")
	idle := *sc
	idle.Classes = nil
	for _, test := range []struct {
		experiments []*sweep.Experiment
		want        string
	}{
		{nil, "nothing to compare"},
		{[]*sweep.Experiment{{Scenario: sc}, {Scenario: other}}, "different scenarios"},
		{[]*sweep.Experiment{{Scenario: sc}, {Scenario: sc, Seed: 1}}, "different scenarios or seeds"},
		{[]*sweep.Experiment{{Scenario: sc, Policy: "easy"}}, "expected a policy for job classes"},
		{[]*sweep.Experiment{{Scenario: sc, Admit: []float64{1}}}, "1 admission probabilities for 4 classes"},
		{[]*sweep.Experiment{{Scenario: sc, Admit: []float64{1, 1, 1, 2}}}, "not between 0 and 1"},
		{[]*sweep.Experiment{{Scenario: &idle}}, "no jobs arrive"},
	} {
		c := &sweep.Comparison{Experiments: test.experiments, Replications: 2}
		if _, err := c.Run(context.Background()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
