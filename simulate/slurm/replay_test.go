package slurm

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// logged simulates random jobs under a policy, with estimates too long and too
// short, and returns the log.
func logged(t *testing.T, p simulate.Policy, nodes, n int) []LoggedJob {
	t.Helper()
	rng := rand.New(rand.NewPCG(19, 1))
	jobs := make([]LoggedJob, n)
	var source []simulate.Job
	submit := 0.0
	for i := range jobs {
		submit += math.Floor(rng.ExpFloat64() * 20)
		work := 1 + math.Floor(rng.ExpFloat64()*100)
		jobs[i] = LoggedJob{Number: int64(i), Submit: submit, Width: 1 + rng.IntN(nodes/2)}
		jobs[i].Estimate = math.Ceil(work * (0.8 + 3*rng.Float64()))
		job := simulate.Job{Submit: submit, Work: work, Width: jobs[i].Width}
		job.Spec.Details.Estimate = jobs[i].Estimate
		source = append(source, job)
	}
	watch := observer(func(e simulate.Event) {
		if e.Kind == simulate.Completed {
			jobs[e.Job.ID].Start, jobs[e.Job.ID].End = e.Job.Start, e.Time
		}
	})
	must(simulate.Run(t.Context(), simulate.Config{
		Source: simulate.Slice(source), Sites: []simulate.Site{{Processors: nodes, Policy: p}},
		Observers: []simulate.Observer{watch},
	}))
	return jobs
}

type observer func(simulate.Event)

func (o observer) Observe(e simulate.Event) { o(e) }

func replay(t *testing.T, jobs []LoggedJob, nodes int, name string, tolerance float64) *LogDecisions {
	t.Helper()
	spec := must(policy.Lookup(catalog.Standard(), name))
	d := must(LogReplay{Jobs: jobs, Nodes: nodes, Policy: spec, Tolerance: tolerance}.Run(context.Background()))
	if d.Allowed+d.Overfull+len(d.Denied) != d.Starts {
		t.Errorf("%+v does not add up", d)
	}
	return d
}

// TestReplayLog replays a schedule by EASY, all starts of which EASY allows, and
// one in order of the estimates, not all of which it does.
func TestReplayLog(t *testing.T) {
	const nodes, n = 16, 400
	easy := logged(t, &policy.Backfill{}, nodes, n)
	if d := replay(t, easy, nodes, "easy", 0); d.Allowed != n {
		t.Errorf("easy: %d of %d starts allowed, first denied %+v", d.Allowed, n, d.Denied[0])
	}
	sjf := logged(t, &policy.Backfill{Key: policy.ByEstimate}, nodes, n)
	d := replay(t, sjf, nodes, "easy", 0)
	if d.Allowed == n || d.Allowed < n/4 || d.Overfull > 0 {
		t.Errorf("sjf: %d of %d starts allowed by easy", d.Allowed, n)
	}
	// A start of EASY that is late by a second or two is still one of EASY's.
	for i := range easy {
		late := float64(i % 3)
		easy[i].Start, easy[i].End = easy[i].Start+late, easy[i].End+late
	}
	exact, tolerant := replay(t, easy, nodes, "easy", 0), replay(t, easy, nodes, "easy", 2)
	if exact.Allowed >= tolerant.Allowed || tolerant.Allowed < n*9/10 {
		t.Errorf("late: %d allowed, within 2 s %d of %d", exact.Allowed, tolerant.Allowed, n)
	}
}

// TestReplayVectors asks about starts worked by hand, on 4 nodes. A takes three
// of them up to 10, and B waits for all four from 1 on.
func TestReplayVectors(t *testing.T) {
	never := math.NaN()
	a := LoggedJob{Number: 1, Submit: 0, Start: 0, End: 10, Width: 3, Estimate: 10}
	b := LoggedJob{Number: 2, Submit: 1, Start: 30, End: 31, Width: 4, Estimate: 1}
	for _, tt := range []struct {
		name      string
		c         LoggedJob
		tolerance float64
		allowed   bool
	}{
		{"ends before B can start", LoggedJob{Submit: 2, Start: 2, End: 7, Width: 1, Estimate: 8}, 0, true},
		{"would delay B", LoggedJob{Submit: 2, Start: 2, End: 7, Width: 1, Estimate: 9}, 0, false},
		{"no limit", LoggedJob{Submit: 2, Start: 2, End: 7, Width: 1}, 0, false},
		{"does not fit", LoggedJob{Submit: 2, Start: 2, End: 7, Width: 2, Estimate: 5}, 0, false},
		{"could have started before", LoggedJob{Submit: 2, Start: 5, End: 8, Width: 1, Estimate: 5}, 0, true},
		{"could have, but not any more", LoggedJob{Submit: 2, Start: 5, End: 8, Width: 1, Estimate: 7}, 0, false},
		{"could have 2 s before", LoggedJob{Submit: 2, Start: 5, End: 8, Width: 1, Estimate: 7}, 2, true},
	} {
		d := replay(t, []LoggedJob{a, b, tt.c}, 4, "easy", tt.tolerance)
		denied := false
		for _, x := range d.Denied {
			denied = denied || x.Number == 0
		}
		if denied == tt.allowed {
			t.Errorf("%s: denied %v", tt.name, d.Denied)
		}
	}
	// D ends in the second in which C starts on the node that is free before: with the
	// node of D, EASY starts E, which is wider and came before C.
	d := LoggedJob{Number: 4, Submit: 0, Start: 0, End: 5, Width: 2, Estimate: 10}
	e := LoggedJob{Number: 5, Submit: 2, Start: 9, End: 12, Width: 3, Estimate: 4}
	for _, end := range []float64{5, 4} {
		d.End = end
		c := LoggedJob{Number: 3, Submit: 5, Start: 5, End: 9, Width: 1, Estimate: 5}
		got := replay(t, []LoggedJob{{Number: 1, Submit: 0, Start: 0, End: 40, Width: 1, Estimate: 50}, d, e, c}, 4, "easy", 0)
		if denied := len(got.Denied) > 0 && got.Denied[0].Number == 3; denied != (end == 4) {
			t.Errorf("end at %g: %+v", end, got.Denied)
		}
	}
	// A job wider than the machine is not asked about.
	if d := replay(t, []LoggedJob{{Start: 1, End: 2, Width: 5, Estimate: 1}}, 4, "easy", 0); d.Overfull != 1 {
		t.Errorf("too wide: %+v", d)
	}
	// B is canceled at 4: no job waits before C any more.
	b.Start, b.End = never, 4
	long := LoggedJob{Submit: 2, Start: 5, End: 90, Width: 1, Estimate: 100}
	if d := replay(t, []LoggedJob{a, b, long}, 4, "easy", 0); d.Allowed != 2 || d.Starts != 2 {
		t.Errorf("canceled: %+v", d)
	}
	// It is canceled a second after C starts: within 2 s EASY starts C.
	b.End, long.Submit, long.Start = 5, 1, 4
	if d := replay(t, []LoggedJob{a, b, long}, 4, "easy", 2); d.Allowed != 2 {
		t.Errorf("canceled after the start: %+v", d)
	}
	// F leaves in the second in which it comes, but a decision sees it before.
	d = LoggedJob{Number: 4, Submit: 0, Start: 0, End: 5, Width: 1, Estimate: 9}
	c := LoggedJob{Number: 3, Submit: 4, Start: 4, End: 9, Width: 1, Estimate: 8}
	f := LoggedJob{Number: 6, Submit: 5, Start: never, End: 5, Width: 1, Estimate: 7}
	if got := replay(t, []LoggedJob{a, d, c, f}, 4, "sjf-bf", 1); got.Allowed != 2 || len(got.Denied) != 1 {
		t.Errorf("canceled at once: %+v", got)
	}
}

// TestReplayTrial compares replays by trials with those by whole runs of the same policy,
// on logs in another order, with jobs that never started, that took no time, and more
// running than there are nodes.
func TestReplayTrial(t *testing.T) {
	const nodes, n = 16, 300
	order := func(j *simulate.Job, _ float64) float64 { return float64(j.ID * 7919 % 101) }
	jobs := logged(t, &policy.Backfill{Key: order}, nodes+8, n)
	for i := range jobs {
		switch j := &jobs[i]; i % 4 {
		case 0:
			j.Start, j.End = math.NaN(), min(j.Start, j.Submit+float64(i%50))
		case 1:
			j.End = j.Start + float64(i%4)/2
		}
	}
	for _, tt := range []struct {
		name     string
		settings policy.Settings
	}{
		{"easy", nil}, {"easy", policy.Settings{"estimates": "exact"}}, {"easy", policy.Settings{"overrun": "kill"}},
		{"sjf-bf", nil}, {"edf-bf", nil}, {"hol", nil}, {"fcfs", policy.Settings{"backfill": "true"}},
	} {
		spec := must(policy.Lookup(catalog.Standard(), tt.name))
		whole := spec // without a trial
		whole.Make = policy.InContext(func(s policy.Settings, c policy.Context) simulate.Policy {
			policies, _, err := spec.Make(s, c)
			if err != nil {
				t.Fatal(err)
			}
			if b, ok := policies[0].(*policy.Backfill); ok {
				return struct{ *policy.Backfill }{b}
			}
			return struct{ simulate.Leaver }{policies[0].(simulate.Leaver)}
		})
		for _, tolerance := range []float64{0, 2, 9} {
			r := LogReplay{Jobs: jobs, Nodes: nodes, Policy: spec, Settings: tt.settings, Tolerance: tolerance}
			got := must(r.Run(t.Context()))
			r.Policy = whole
			want := must(r.Run(t.Context()))
			if !reflect.DeepEqual(got, want) || got.Overfull == 0 || len(got.Denied) == 0 || got.Allowed == 0 {
				t.Errorf("%s %v within %g s: got %+v, want %+v", tt.name, tt.settings, tolerance, got, want)
			}
		}
	}
}

// TestReplayWaits compares mean waits worked by hand, on 4 nodes: the log starts B
// 5 s late, and EASY starts C, which waits behind B, on the node that is left.
func TestReplayWaits(t *testing.T) {
	spec := must(policy.Lookup(catalog.Standard(), "easy"))
	jobs := []LoggedJob{
		{Submit: 100, Start: 100, End: 110, Width: 3, Estimate: 10},
		{Submit: 101, Start: 115, End: 116, Width: 4, Estimate: 1},
		{Submit: 102, Start: 116, End: 118, Width: 1, Estimate: 2},
		{Submit: 103, Start: math.NaN(), End: 104, Width: 4, Estimate: 2},
	}
	got, err := LogReplay{Jobs: jobs, Nodes: 4, Policy: spec}.Waits(t.Context())
	if err != nil || math.Abs(got.Logged-28./3) > 1e-9 || math.Abs(got.Simulated-3) > 1e-9 || got.Never != 0 {
		t.Errorf("%v: %+v", err, got)
	}
	// By 112 EASY starts B, not C; by 113 it starts B alone.
	d, err := LogReplay{Jobs: jobs, Nodes: 4, Policy: spec, Tolerance: 2}.Run(t.Context())
	if err != nil || d.Allowed != 3 {
		t.Errorf("%v: %+v", err, d)
	}
}

// TestReplayEndless: two of four nodes go down at 105 and never come back. The wide job never starts under any
// policy; the job behind it starts unless the policy keeps the order, and the one that left is not counted.
func TestReplayEndless(t *testing.T) {
	down := []NodeOutage{{From: 105, To: math.MaxInt64, Nodes: []string{"n1", "n2"}}}
	pool := must(ParsePool("p=4:n[1-4]", down, 0))
	jobs := []LoggedJob{
		{Submit: 100, Start: 100, End: 110, Width: 2, Estimate: 10},
		{Submit: 106, Start: 115, End: 116, Width: 4, Estimate: 1},
		{Submit: 107, Start: 116, End: 118, Width: 1, Estimate: 2},
		{Submit: 108, Start: math.NaN(), End: 120, Width: 4, Estimate: 2},
	}
	for name, want := range map[string]LogWaits{
		"easy": {Simulated: 0, Never: 1}, "conservative": {Simulated: 0, Never: 1}, "fcfs": {Simulated: 0, Never: 2},
		"slurm": {Simulated: 0, Never: 1},
	} {
		spec := must(policy.Lookup(catalog.Standard(), name))
		r := LogReplay{Jobs: jobs, Nodes: 4, Pools: []LogPool{pool}, Policy: spec, Settings: must(spec.Resolve(nil))}
		got, err := r.Waits(t.Context())
		if err != nil || got.Never != want.Never || !(got.Simulated >= want.Simulated && got.Simulated < 60) {
			t.Errorf("%s: %v: %+v", name, err, got)
		}
		if _, err := r.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
