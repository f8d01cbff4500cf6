//go:build long

package slurm_test

import (
	"math"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// TestSlurmIsEASY: with ages alone, passes at every event and one reservation, slurm makes
// the same schedule as easy on the whole SDSC SP2 trace, to the bit.
func TestSlurmIsEASY(t *testing.T) {
	jobs := policytest.SP2(t, policytest.Drop)
	want := policytest.Execute(t, 128, policytest.ByName(t, "easy", nil), jobs)
	if n := differing(policytest.Execute(t, 128, policytest.ByName(t, "slurm", likeEASY("1000")), jobs), want); n > 0 {
		t.Errorf("%d of %d starts differ", n, len(jobs))
	}
	backfill := likeEASY("1000")
	backfill["bf_job_part_count_reserve"] = "0"
	want = policytest.Execute(t, 128, policytest.ByName(t, "conservative", nil), jobs)
	got := policytest.Execute(t, 128, policytest.ByName(t, "slurm", backfill), jobs)
	wait, _, _ := policytest.Means(jobs, got)
	usual, _, _ := policytest.Means(jobs, want)
	if n := differing(got, want); n != 31_683 || math.Round(wait) != 26_504 || math.Round(usual) != 24_257 {
		t.Errorf("%d starts differ from conservative, mean waits %.1f s and %.1f s, not as documented", n, wait, usual)
	}
	backfill["estimates"] = "exact"
	want = policytest.Execute(t, 128, policytest.ByName(t, "conservative", policy.Settings{"estimates": "exact"}), jobs)
	if n := differing(policytest.Execute(t, 128, policytest.ByName(t, "slurm", backfill), jobs), want); n > 0 {
		t.Errorf("exact estimates: %d of %d starts differ from conservative", n, len(jobs))
	}
}
