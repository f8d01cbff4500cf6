//go:build long

package policy_test

import (
	"math"
	"testing"

	"revopt/simulate/policy"
)

// TestSlurmIsEASY: with ages alone, passes at every event and one reservation, slurm makes
// the same schedule as easy on the whole SDSC SP2 trace, to the bit.
func TestSlurmIsEASY(t *testing.T) {
	jobs := sp2(t, drop)
	want := execute(t, 128, named(t, "easy", nil), jobs)
	if n := differing(execute(t, 128, named(t, "slurm", likeEASY("1000")), jobs), want); n > 0 {
		t.Errorf("%d of %d starts differ", n, len(jobs))
	}
	backfill := likeEASY("1000")
	backfill["bf_job_part_count_reserve"] = "0"
	want = execute(t, 128, named(t, "conservative", nil), jobs)
	got := execute(t, 128, named(t, "slurm", backfill), jobs)
	wait, _, _ := means(jobs, got)
	usual, _, _ := means(jobs, want)
	if n := differing(got, want); n != 31_683 || math.Round(wait) != 26_504 || math.Round(usual) != 24_257 {
		t.Errorf("%d starts differ from conservative, mean waits %.1f s and %.1f s, not as documented", n, wait, usual)
	}
	backfill["estimates"] = "exact"
	want = execute(t, 128, named(t, "conservative", policy.Settings{"estimates": "exact"}), jobs)
	if n := differing(execute(t, 128, named(t, "slurm", backfill), jobs), want); n > 0 {
		t.Errorf("exact estimates: %d of %d starts differ from conservative", n, len(jobs))
	}
}
