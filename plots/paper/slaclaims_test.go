package paper

import (
	"slices"
	"testing"
)

// TestSLAClaims decides the claims of two papers that need no sweep: every rule
// holds, and the workloads are near those of the papers.
func TestSLAClaims(t *testing.T) {
	o := Options{Quick: true, Seed: 1, Shared: new(Shared)}
	decide(t, o, slices.Concat(slaRules(), slaSetup(), impreciseRules(), impreciseSetup()), map[string]Outcome{"sla-trace": Undetermined})
}
