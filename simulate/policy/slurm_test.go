package policy_test

import (
	"math/rand/v2"
	"testing"

	"revopt/simulate/policy"
)

// likeEASY are the settings under which slurm is easy, with a weight of ages.
func likeEASY(age string) policy.Settings {
	return policy.Settings{
		"PriorityWeightAge": age, "bf_interval": "0", "bf_window": "0", "bf_max_job_test": "0", "bf_resolution": "1",
		"default_queue_depth": "0", "bf_job_part_count_reserve": "1",
	}
}

// differing counts different starts.
func differing(a, b fates) (n int) {
	for i := range a {
		if a[i].start != b[i].start && (a[i].start == a[i].start || b[i].start == b[i].start) {
			n++
		}
	}
	return n
}

// TestSlurmLikeEASY compares slurm with easy on random jobs.
func TestSlurmLikeEASY(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 1))
	for round := range 200 {
		jobs := randomSubmissions(rnd, 100)
		want := execute(t, 8, named(t, "easy", nil), jobs)
		if n := differing(execute(t, 8, named(t, "slurm", likeEASY([]string{"0", "1", "1e6"}[round%3])), jobs), want); n > 0 {
			t.Errorf("round %d: %d starts differ", round, n)
		}
	}
}

// randomSubmissions returns jobs on 8 processors, some of which run longer than estimated.
func randomSubmissions(rnd *rand.Rand, n int) []submission {
	jobs, at := make([]submission, n), 0.0
	for i := range jobs {
		at += float64(rnd.IntN(3)) * 20 * rnd.ExpFloat64()
		run := 1 + 60*rnd.ExpFloat64()
		jobs[i] = submission{
			at: at, runtime: run, estimate: run * (0.7 + 3*rnd.Float64()), width: 1 + min(rnd.IntN(8), rnd.IntN(8)),
			class: rnd.IntN(3),
		}
		if rnd.IntN(2) == 0 { // whole seconds, so that there are ties
			jobs[i].runtime, jobs[i].estimate = float64(int(run)+1), float64(60*(1+int(run)/60))
		}
	}
	return jobs
}
