package paper

import (
	"context"
	"testing"
)

// TestSLAClaims decides what needs no sweep: every rule holds, and the workload is
// near that of the paper.
func TestSLAClaims(t *testing.T) {
	decidesAll(t, slaRules(), nil)
	decidesAll(t, slaSetup(), map[string]Outcome{"sla-trace": Undetermined})
}

// decidesAll checks how claims come out by default: they hold, or as listed.
func decidesAll(t *testing.T, list []Claim, otherwise map[string]Outcome) {
	t.Helper()
	e := NewEvidence(context.Background(), Options{Quick: true, Seed: 1, Shared: new(Shared)})
	for _, c := range list {
		want := Holds
		if o, ok := otherwise[c.ID]; ok {
			want = o
		}
		v, err := e.Decide(c)
		if err != nil || v.Outcome != want {
			t.Errorf("%s %v: %s, want %v (%v)", c.ID, v.Outcome, v.Got, want, err)
		} else {
			t.Logf("%s %v: %s", c.ID, v.Outcome, v.Got)
		}
	}
}

// TestImpreciseClaims decides what needs no sweep.
func TestImpreciseClaims(t *testing.T) {
	decidesAll(t, impreciseRules(), nil)
	decidesAll(t, impreciseSetup(), nil)
}
