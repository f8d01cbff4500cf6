package report

import (
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/study/simulation"
)

// TestPromises: one policy, and several.
func TestPromises(t *testing.T) {
	site := opened(t, "site", set("trace.jobs", "last:60"))
	r := run(t, &simulation.Simulation{Subject: site, Policies: fixture.Named(t, "easy"), Replications: 2, Seed: 1})
	if got := promiseWords(r); len(got) != 1 || !strings.HasPrefix(got[0], "urgent: 90 % of the jobs are promised a delay of at most 10.0 min; ") {
		t.Errorf("%q", got)
	}
	r = run(t, &simulation.Simulation{Subject: site, Policies: fixture.Named(t, "easy", "fcfs"), Replications: 2, Seed: 1})
	if got := promiseWords(r); len(got) != 1 || !strings.Contains(got[0], "easy (") || !strings.Contains(got[0], "fcfs (") {
		t.Errorf("%q", got)
	}
}
