package slurm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/policy/slurm"
)

// TestSlurmLateEnds: nothing happens, and yet another pass has another result, as job 0 runs on after its expected end.
// Units are free for job 3, and it needs one of six.
//
// Jobs 0 to 2 are expected to end at 100, 400 and 700 s. Job 3 is planned for 100 s and then for the time of the pass, with
// 200 s to run. So job 4 is planned for 400 s, unless job 3 ends later, and then for 700 s. Job 5 has room beside
// job 3, and its 400 s are over before 700 s, but not before 400 s: it starts in the first pass after 200 s.
//
// With an outage from 400 to 500 s, job 1 of all three units can no longer start after 200 s. From then on it is
// planned for 500 s, and job 2 is not in its way.
func TestSlurmLateEnds(t *testing.T) {
	jobs := []simulate.Job{
		{Width: 2, Work: 1000}, {Width: 2, Work: 390}, {Width: 1, Work: 690}, {Submit: 1, Width: 2, Work: 200},
		{Submit: 2, Width: 5, Work: 100}, {Submit: 5, Width: 1, Work: 400},
	}
	s := policy.Settings{"bf_resolution": "1"}
	for i, estimate := range []float64{100, 400, 700} {
		jobs[i].Spec.Details.Estimate = estimate
	}
	if got := slurmRun(t, s, []int{6}, jobs, nil); !strings.Contains(got, "; 210: job 5 runs; ") {
		t.Errorf("job 5 does not start at 210 s: %s", got)
	}
	jobs = []simulate.Job{{Width: 2, Work: 390}, {Submit: 1, Width: 3, Work: 200}, {Submit: 2, Width: 1, Work: 50}}
	jobs[0].Spec.Details.Estimate = 100
	jobs[2].Spec.Details.Estimate = 150
	var log slurmLog
	policytest.Audited(t, simulate.Config{
		Sites:     []simulate.Site{{Processors: 3, Policy: policytest.ByName(t, "slurm", s)}},
		Agents:    []simulate.Agent{&agent.Outages{List: []simulate.Outage{{From: 400, To: 500, Units: 3, Planned: true}}}},
		Observers: []simulate.Observer{&log},
	}, jobs)
	want := "0: job 0 runs; 210: job 2 runs; 260: job 2 ends; 390: job 0 ends; 500: job 1 runs; 700: job 1 ends"
	if got := strings.Join(log, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSlurmLeavesOutPasses: on two pools that share limits and usage, the passes that are left out would start no job.
func TestSlurmLeavesOutPasses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 3))
	one := func(list ...string) string { return list[rnd.IntN(len(list))] }
	spec := policytest.Must(policy.Lookup(catalog.Standard(), "slurm"))
	for round := range 200 {
		s := policy.Settings{
			"PriorityWeightAge": one("0", "100"), "PriorityWeightFairshare": one("0", "1000"), "PriorityMaxAge": "10",
			"PriorityDecayHalfLife": "20", "PriorityCalcPeriod": one("1", "5"), "PriorityWeightJobSize": one("0", "300"),
			"bf_resolution": one("1", "60"), "bf_window": one("3", "20", "1440"), "bf_max_job_test": one("3", "500"),
			"qos.normal.GrpTRES": one("9", "14"), "qos.normal.MaxJobsPerUser": one("2", "9"),
			"bf_job_part_count_reserve": one("0", "1"),
		}
		if round%3 == 0 {
			s["bf_min_prio_reserve"], s["qos.b.MinPrioThreshold"] = "150", []string{"0", "60"}[round%2]
		}
		if rnd.IntN(2) == 0 { // pools share batches alone
			delete(s, "qos.normal.GrpTRES")
			delete(s, "qos.normal.MaxJobsPerUser")
		}
		if rnd.IntN(2) == 0 {
			s["qos.b.Preempt"], s["PreemptMode"], s["qos.normal.GraceTime"] = "normal", one("requeue", "suspend"), one("0", "200")
		}
		scale := []float64{1, 5, 20}[rnd.IntN(3)]
		jobs, at := make([]simulate.Job, 80), 0.0
		for i := range jobs {
			at += math.Floor(float64(rnd.IntN(3)) * 15 * scale * rnd.ExpFloat64())
			run := 1 + math.Floor(60*scale*rnd.ExpFloat64())
			pool := rnd.IntN(2)
			jobs[i] = simulate.Job{Class: pool, Submit: at, Work: run, Width: 1 + min(rnd.IntN(8-2*pool), rnd.IntN(8))}
			jobs[i].Spec.Details.Estimate, jobs[i].Spec.Details.User = math.Ceil(run*(0.7+3*rnd.Float64())), 1+rnd.IntN(3)
		}
		from := math.Floor(at * rnd.Float64())
		down := []simulate.Outage{{From: from, To: from + 200*scale, Units: 2, Planned: rnd.IntN(2) == 0}}
		run := func(eager bool) (log slurmLog) {
			policies, _, err := spec.Build(s, policy.Context{
				Processors: []int{8, 6}, Pools: []string{"one", "two"}, Customers: []string{"a", "b"},
			})
			if err != nil {
				t.Fatal(err)
			}
			cfg := simulate.Config{Observers: []simulate.Observer{&log}, Router: &agent.Pools{Site: []int{0, 1}}}
			cfg.Agents = []simulate.Agent{&agent.Outages{List: down}}
			for i, p := range policies {
				if eager {
					p = slurm.Eager{Slurmctld: p.(*slurm.Slurmctld)}
				}
				cfg.Sites = append(cfg.Sites, simulate.Site{Processors: []int{8, 6}[i], Policy: p})
			}
			policytest.Audited(t, cfg, slices.Clone(jobs))
			return log
		}
		if got, want := fmt.Sprint(run(false)), fmt.Sprint(run(true)); got != want {
			t.Fatalf("round %d, %v: got  %s\nwant %s", round, s, got, want)
		}
	}
}

// TestSlurmFirstJobOfUser: the first job of a known user comes at 655 s, before all others by its share, and does not fit.
// It is planned for 1800 s, when job 0 ends, and job 2 no longer for 900 s, but for later. So job 3 starts in the next pass.
func TestSlurmFirstJobOfUser(t *testing.T) {
	jobs := []simulate.Job{
		{Width: 4, Work: 1800}, {Width: 1, Work: 900}, {Submit: 601, Width: 2, Work: 3000}, {Submit: 602, Width: 1, Work: 500},
		{Submit: 655, Width: 6, Work: 100},
	}
	for i := range jobs {
		jobs[i].Spec.Details.Estimate, jobs[i].Spec.Details.User = jobs[i].Work, 1+i/4
	}
	s := policy.Settings{"PriorityWeightFairshare": "1000", "bf_resolution": "1", "user.2.Account": "a"}
	if got := slurmRun(t, s, []int{6}, jobs, nil); !strings.Contains(got, "; 660: job 3 runs; ") {
		t.Errorf("job 3 does not start at 660 s: %s", got)
	}
}
