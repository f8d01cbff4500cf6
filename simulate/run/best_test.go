package run

import (
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/subject"
)

// TestRunsOnPools: a row runs where the policies of all pools do.
func TestRunsOnPools(t *testing.T) {
	value, easy := fixture.Named(t, "value-bf")[0], fixture.Named(t, "easy")[0]
	for want, e := range map[string]*Experiment{
		"slurm": {Policy: easy}, "plugin": {Policy: easy, Pooled: []*subject.Policy{nil, &value}},
		"": {Policy: fixture.Named(t, subject.Recorded)[0], Pooled: []*subject.Policy{&value}},
	} {
		if got := e.RunsOn(); got != want {
			t.Errorf("runs on %q, want %q", got, want)
		}
	}
}
