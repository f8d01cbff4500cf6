package simulation

import (
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/warn"
)

// A short run that ends with jobs in the queue is not overloaded.
func TestShortRun(t *testing.T) {
	for load, want := range map[string]bool{"0.8": false, "1.5": true} {
		s := fixture.Opened(t, strings.Replace(strings.Replace(fixture.Constant, "load: 0.8", "load: "+load, 1), "jobs: 2000, warmup: 50%", "jobs: 10, warmup: 0", 1))
		r := run(t, &Simulation{Subject: s, Replications: 20, Seed: 1})
		if got := strings.Contains(fixture.Texts(r.Warnings), warn.Overload); got != want {
			t.Errorf("load %s: %v\n%s", load, got, fixture.Texts(r.Warnings))
		}
	}
}

// One node without places to wait refuses what Erlang's formula says, a/(1+a) of
// a load of a; with places for K it refuses as M/M/1/K does.
func TestPlacesToWait(t *testing.T) {
	const text = `
server: {nodes: 1, waiting: %d}
load: 0.8
simulation: {jobs: 100000, replications: 5}
classes:
  - {name: only, share: 1, length: {dist: exponential, mean: 10}, price: 100, decay: 1}
`
	const a = 0.8
	for k, want := range map[string]float64{"0": a / (1 + a), "2": math.Pow(a, 3) / (1 + a + a*a + a*a*a)} {
		s := fixture.Opened(t, strings.Replace(text, "%d", k, 1))
		for _, name := range []string{"hol", "fcfs", "easy"} {
			r := run(t, &Simulation{Subject: s, Policies: fixture.Named(t, name), Seed: 1})
			got := r.Policies[0].Total.Get("acceptance")
			if math.Abs(1-float64(got.Mean)-want) > 2*float64(got.HalfWidth) {
				t.Errorf("%s with %s places: %v refused, want %g", name, k, got, want)
			}
			if r.Policies[0].Total.Get("rejected_admission").Mean == 0 {
				t.Errorf("%s: not refused by the admission", name)
			}
		}
	}
	s := fixture.Opened(t, strings.Replace(text, "%d", "2", 1), scenario.Set("load", 3))
	if r := run(t, &Simulation{Subject: s, Replications: 2, Seed: 1}); strings.Contains(fixture.Texts(r.Warnings), warn.Overload) {
		t.Error(fixture.Texts(r.Warnings))
	}
}
