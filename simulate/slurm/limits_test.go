package slurm

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// TestReplayLimits replays schedules that were made under limits: all starts are allowed if the replay knows the
// limits, and some are not if it does not.
func TestReplayLimits(t *testing.T) {
	const nodes = 16
	limits := []simulate.Limit{{Owner: simulate.OfUser, ID: 1, Units: 5}, {Owner: simulate.OfUser, ID: 2, Jobs: 2}}
	for _, name := range []string{"easy", "fcfs", "slurm"} {
		rng := rand.New(rand.NewPCG(7, 7))
		spec := must(policy.Lookup(catalog.Standard(), name))
		settings := policy.Settings(nil)
		if name == "slurm" {
			settings = policy.Settings{"bf_interval": "0", "bf_resolution": "1", "bf_job_part_count_reserve": "1"}
		}
		policies, _, err := spec.Build(settings, policy.Sites(nodes))
		if err != nil {
			t.Fatal(err)
		}
		var source []simulate.Job
		jobs, submit := make([]LoggedJob, 150), 0.0
		for i := range jobs {
			submit += 1 + math.Floor(rng.ExpFloat64()*20)
			work := 1 + math.Floor(rng.ExpFloat64()*80)
			jobs[i] = LoggedJob{Number: int64(i), Submit: submit, Width: 1 + rng.IntN(nodes/2), Estimate: math.Ceil(2 * work)}
			jobs[i].Details = simulate.Details{User: 1 + rng.IntN(3), Estimate: jobs[i].Estimate}
			source = append(source, simulate.Job{Submit: submit, Work: work, Width: jobs[i].Width,
				Spec: simulate.Spec{Details: jobs[i].Details}})
		}
		watch := observer(func(e simulate.Event) {
			if e.Kind == simulate.Completed {
				jobs[e.Job.ID].Start, jobs[e.Job.ID].End = e.Job.Start, e.Time
			}
		})
		must(simulate.Run(t.Context(), simulate.Config{
			Source: simulate.Slice(source), Sites: []simulate.Site{{Processors: nodes, Policy: policies[0]}},
			Observers: []simulate.Observer{watch}, Limits: limits,
		}))
		r := LogReplay{Jobs: jobs, Nodes: nodes, Policy: spec, Settings: must(spec.Resolve(settings)), Tolerance: 1}
		without := must(r.Run(t.Context()))
		r.Limits = limits
		with := must(r.Run(t.Context()))
		if with.Starts != len(jobs) || len(with.Denied) > 0 || len(without.Denied) < 5 {
			t.Errorf("%s: of %d starts %d are denied, %d without the limits", name, with.Starts, len(with.Denied),
				len(without.Denied))
		}
	}
}
