package tune

import (
	"context"
	"slices"
	"testing"

	"revopt/internal/fixture"
)

// Another policy that Slurm can run is recommended where it gains most and harms nobody.
func TestTuneOther(t *testing.T) {
	s := fixture.Opened(t, `
server: {nodes: 2}
load: 1.3
simulation: {jobs: 90, warmup: 0}
classes:
  - {name: gold, share: 0.3, length: {dist: exponential, mean: 100}, price: 100, decay: 0.5}
  - {name: bulk, share: 0.7, length: {dist: exponential, mean: 1000}, price: 1}
policies: [slurm]
`)
	u := &Tune{Subject: s, Policy: fixture.Named(t, "slurm")[0], Vary: []string{"fairshare"}, Seed: 1,
		Replications: 8, Runs: 64}
	r, err := u.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Other || r.Kept || r.Label != "hol:backfill=true" || r.RunsOn != "slurm" || !(r.Gain.Mean > 0) {
		t.Errorf("%s, gain %+v", r.Label, r.Gain)
	}
	same := func(v Row) bool { return v.Label == r.Label }
	if slices.ContainsFunc(r.Versus, same) || len(r.Harm) > 0 || len(r.Contributions) > 0 || r.Today != "slurm" {
		t.Errorf("versus %+v, harm %+v, contributions %+v", r.Versus, r.Harm, r.Contributions)
	}
}
