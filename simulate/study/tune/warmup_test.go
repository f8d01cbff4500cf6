package tune

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/study/simulation"
)

// The report of a stream has the warm-up and the length of the scenario: today's settings earn what a
// simulation of the same seed says, which is less than from an empty start.
func TestTuneWarmup(t *testing.T) {
	s := fixture.Opened(t, `
server: {nodes: 2}
load: 1.2
simulation: {jobs: 100, warmup: 50%}
classes:
  - {name: only, share: 1, length: {dist: exponential, mean: 100}, price: 100, decay: 0.1}
policies: [slurm]
`)
	p := fixture.Named(t, "slurm")
	u := &Tune{Subject: s, Policy: p[0], Vary: []string{"age"}, Seed: 1, Replications: 4, Runs: 8}
	r, err := u.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want, err := (&simulation.Simulation{Subject: s, Policies: p, Seed: 1, Replications: 4}).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := want.Policies[0].Total.Get("value_per_second"); r.Before != got || r.TestedOn.Jobs != 100 {
		t.Errorf("today's settings earn %+v on %g jobs, want %+v", r.Before, r.TestedOn.Jobs, got)
	}
	if r.Warmup == nil || r.Warmup.Fraction != 0.5 {
		t.Errorf("warm-up %+v", r.Warmup)
	}
	empty, err := s.With(context.Background(), scenario.Override{Path: "simulation.warmup", Value: "0"})
	if err != nil {
		t.Fatal(err)
	}
	u = &Tune{Subject: empty, Policy: p[0], Vary: []string{"age"}, Seed: 1, Replications: 4, Runs: 8}
	cold, err := u.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !(cold.Before.Mean > r.Before.Mean) || cold.Warmup != nil {
		t.Errorf("%g $/s from an empty start, %g after a warm-up; warm-up %+v", cold.Before.Mean, r.Before.Mean, cold.Warmup)
	}
}
