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

// TestClaimsAreComplete: every claim and every reading says what it is.
func TestClaimsAreComplete(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range Claims() {
		if seen[c.ID] || c.Kind == "" || c.Place == "" || c.Says == "" || c.By == "" || c.Decide == nil {
			t.Errorf("%+v is not complete, or there are two", c)
		}
		seen[c.ID] = true
		if _, err := FindPaper(c.Paper()); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
	for _, p := range Papers() {
		names := make(map[string]bool)
		for _, r := range Readings(p.Name) {
			if names[r.Name] || r.Reads == "" || r.Means == "" || (len(r.Free) > 0) != (r.Tried > 0) || r.Name != DefaultReading && r.Of == "" {
				t.Errorf("reading %+v is not complete, or there are two", r)
			}
			names[r.Name] = true
		}
	}
}
