package policy_test

import (
	"math"
	"testing"

	"revopt/simulate/policy/policytest"
)

// TestEASYConformance: plain EASY on the whole SDSC SP2 trace, jobs that never
// ran dropped, user estimates, overruns extended. An independent implementation
// gives a mean wait of 22,849 s and a mean bounded slowdown of 103.4.
func TestEASYConformance(t *testing.T) {
	jobs := policytest.SP2(t, policytest.Drop)
	if len(jobs) != 54_034 {
		t.Fatalf("%d jobs remain of the trace, want 54,034", len(jobs))
	}
	wait, slowdown, killed := policytest.Means(jobs, policytest.Execute(t, 128, policytest.ByName(t, "easy", nil), jobs))
	if math.Abs(wait/22_849-1) > 0.01 || math.Abs(slowdown/103.4-1) > 0.01 || killed != 0 {
		t.Errorf("mean wait %.1f s, bounded slowdown %.2f, %d killed; want 22,849 and 103.4 within 1 %%, 0", wait, slowdown, killed)
	}
}
