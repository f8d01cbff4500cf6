package slurm

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// TestReplaySlurm replays a schedule by slurm on two pools, with fair share, limits and a
// planned outage. Slurm allows all its starts, from the state in the log and its past. Without the
// past of the accounts, and under EASY, it allows fewer.
func TestReplaySlurm(t *testing.T) {
	const n = 300
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	r := LogReplay{
		Policy: spec, Pools: []LogPool{{Name: "a", Nodes: 16}, {Name: "b", Nodes: 8}},
		Names: map[string]map[int32]string{
			"queue": {1: "gold", 2: "lead"}, "account": {1: "chem", 2: "phys"}, "user": {1: "ann", 2: "bob", 3: "cid"},
		},
		Settings: policy.Settings{
			"PriorityWeightAge": "1000", "PriorityWeightFairshare": "2000", "PriorityWeightQOS": "500",
			"PriorityWeightJobSize": "300", "PriorityMaxAge": "10", "PriorityDecayHalfLife": "20", "PriorityCalcPeriod": "1",
			"bf_interval": "1", "bf_resolution": "1", "sched_interval": "1",
			"qos.gold.Priority": "10", "qos.gold.MaxJobsPerUser": "2", "qos.lead.Priority": "0", "qos.lead.GrpTRES": "cpu=12",
			"account.chem.Fairshare": "3", "account.phys.Fairshare": "1",
		},
	}
	r.Pools[0].Down = []simulate.Outage{{From: 400, To: 900, Units: 3, Planned: true}}
	rng := rand.New(rand.NewPCG(31, 1))
	var source []simulate.Job
	submit := 0.0
	for i := range n {
		submit += math.Floor(rng.ExpFloat64() * 8)
		user := 1 + rng.IntN(3)
		j := LoggedJob{
			Number: int64(i), Submit: submit, Width: 1 + rng.IntN(7), Pool: rng.IntN(2), Estimate: math.Ceil(60 * 5 * rng.Float64()),
			Details: simulate.Details{User: user, Account: 1 + user/3, Queue: 1 + rng.IntN(2)},
		}
		j.Start, j.End = submit, submit+math.Ceil(j.Estimate*rng.Float64())
		s := j.job()
		s.Submit = submit
		r.Jobs, source = append(r.Jobs, j), append(source, s)
	}
	ran := make([]LoggedJob, 0, n)
	watch := observer(func(e simulate.Event) {
		if e.Kind == simulate.Completed {
			j := r.Jobs[e.Job.ID]
			j.Start, j.End = e.Job.Start, e.Time
			ran = append(ran, j)
		}
	})
	if err := r.simulate(t.Context(), 0, simulate.Slice(source), watch); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(ran, func(a, b LoggedJob) int { return cmp.Compare(a.Number, b.Number) })
	if r.Jobs = ran; len(ran) != n {
		t.Fatalf("%d of %d jobs ended", len(ran), n)
	}
	allowed := func(r LogReplay) int {
		d := must(r.Run(t.Context()))
		if d.Starts != n || d.Allowed+d.Overfull+len(d.Denied) != n {
			t.Errorf("%+v does not add up", d)
		}
		return d.Allowed
	}
	own := allowed(r)
	if own != n {
		t.Errorf("slurm allows %d of its %d starts", own, n)
	}
	r.Names = nil
	nameless := allowed(r)
	r.Policy, r.Settings = must(policy.Lookup(catalog.Standard(), "easy")), nil
	if easy := allowed(r); nameless > n*95/100 || easy > n*90/100 {
		t.Errorf("without names %d, easy %d of %d", nameless, easy, n)
	}
}

// TestRecallRequeued: in a second in which new jobs come later, a requeued job with an older number that stands behind
// them in the log comes no earlier than they do.
func TestRecallRequeued(t *testing.T) {
	run := &logRun{last: 100, secondOrder: secondOrder{fresh: 5, second: 30}}
	for _, j := range []struct {
		number int64
		submit float64
	}{{5, 0}, {6, 20}, {7, 30}, {4, 30}, {8, 31}} {
		run.jobs = append(run.jobs, LoggedJob{Number: j.number, Submit: j.submit, Start: 50, End: 60, Width: 1})
	}
	x := &recollection{logRun: run}
	for i, want := range []float64{0, 20, 30.5, 30.5, 31} {
		var j simulate.Job
		if ok, err := x.Next(&j); !ok || err != nil || j.Submit != want {
			t.Errorf("job %d is submitted at %g, want %g; %v", i, j.Submit, want, err)
		}
	}
}
