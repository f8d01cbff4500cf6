package tune

import (
	"context"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/metric"
	"revopt/simulate/served"
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

// A policy that is not recommended because it harms somebody in histories, or on the part that was tuned on, says so though
// nobody is harmed on the tested part as it happened.
func TestFirstHarm(t *testing.T) {
	group := func(after metric.Number) []served.Affected {
		return []served.Affected{{WaitMax: served.Change{Before: 1, After: after * 86400}}}
	}
	for _, c := range []struct {
		happened, histories, tuned metric.Number // longest wait after, in days
		on                         Numbers
		longest                    metric.Number
	}{
		{0, 0, 0, AsHappened, 0}, {2, 3, 4, AsHappened, 2}, {0, 3, 4, Histories, 3}, {0, 0, 4, TunedPart, 4},
	} {
		harm, on := firstHarm([]harmOn{{AsHappened, group(c.happened)}, {Histories, group(c.histories)},
			{TunedPart, group(c.tuned)}})
		if on != c.on || harm == nil || (len(harm) > 0) != (c.longest > 0) ||
			len(harm) > 0 && harm[0].WaitMax.After != c.longest*86400 {
			t.Errorf("%+v: %q, %+v", c, on, harm)
		}
	}
}
