package run

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Relay is a workload under two policies that take turns. At every turn the policy that comes finds the jobs that run, with
// the ends that are known of them, and those that wait, as they were submitted. It knows nothing of what was before, such
// as the use of users. All nodes are up; jobs depend on no others and never give up; every job is admitted.
type Relay struct {
	Off, On     *Experiment // of one workload, see Check
	Turns       []Turn      // in order of time, from time 0 on
	Replication int
}

// Turn is one policy until a time.
type Turn struct {
	Until float64 // s
	On    bool
}

// Check returns an error if the policies cannot take turns: they order a queue, and preempt no job.
func (r *Relay) Check() error { return cmp.Or(r.Off.Check(), r.On.Check()) }

// Run returns the jobs that were submitted before the last turn ends, with their starts; +Inf: a job has none by then.
func (r *Relay) Run(ctx context.Context) ([]simulate.Job, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	jobs, err := r.jobs(ctx)
	if err != nil {
		return nil, err
	}
	from := 0.0
	for _, t := range r.Turns {
		e := r.Off
		if t.On {
			e = r.On
		}
		if err := r.turn(ctx, e, jobs, from, t.Until); err != nil {
			return nil, err
		}
		from = t.Until
	}
	return jobs, nil
}

// jobs returns the jobs of the workload until the last turn ends.
func (r *Relay) jobs(ctx context.Context) (list []simulate.Job, err error) {
	source, err := r.Off.Workload.Jobs(r.Off.Seed, r.Replication)
	if err != nil {
		return nil, err
	}
	defer Close(source)
	until := r.Turns[len(r.Turns)-1].Until
	for {
		var j simulate.Job
		ok, err := source.Next(&j)
		if err != nil || len(list)&0xfff == 0 && ctx.Err() != nil {
			return nil, cmp.Or(err, ctx.Err())
		}
		if !ok || j.Submit >= until {
			return list, nil
		}
		if j.Void {
			continue
		}
		j.After, j.Number, j.Patience = 0, 0, 0
		j.Expire, j.Start = math.Inf(1), math.Inf(1)
		list = append(list, j)
	}
}

// relayStart is when the machine of a turn is filled, s before time 0: no job is submitted so early.
const relayStart = 1

// turn runs one policy. The machine is full at first, by the jobs that run and by blockers that end when the turn begins.
// The jobs that wait come at their own times and find no room, so the policy knows how long they have waited.
func (r *Relay) turn(ctx context.Context, e *Experiment, jobs []simulate.Job, from, until float64) error {
	sites, router, err := e.MakeSites(r.Replication)
	if err != nil {
		return err
	}
	t := &turn{jobs: jobs, from: from, until: until}
	pools := e.Workload.Pools().Run()
	for i := range sites {
		free, class := sites[i].Processors, 0
		if pools != nil {
			class = slices.Index(pools.Site, i)
		}
		for k := range jobs {
			j := &jobs[k]
			if j.Start < from && j.Start+j.Work > from && (pools == nil || pools.Site[j.Class] == i) {
				free -= j.Width
				t.fill(*j, j.Start+j.Work, j.Start+j.Spec.Details.Estimate)
			}
		}
		if free > 0 && class >= 0 {
			t.fill(simulate.Job{Width: free, Class: class}, from, from)
		}
	}
	t.filled = len(t.list)
	for k, j := range jobs {
		if j.Submit < until && j.Start >= from {
			j.Submit += relayStart
			if j.Eligible > 0 {
				j.Eligible += relayStart
			}
			t.list, t.places = append(t.list, j), append(t.places, k)
		}
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	t.stop = stop
	config := simulate.Config{
		Source: simulate.Slice(t.list), Sites: workload.Clusters(sites), Router: router, Observers: []simulate.Observer{t},
		Charging: e.Policy.Spec.Charging(e.Policy.Settings, e.Workload.Charging()), Limits: workload.Limits(e.Workload),
	}
	if pools != nil {
		config.Router, config.Agents = pools.Router(), pools.Agents()
	}
	closed := closing(ctx, sites)
	_, err = simulate.Run(within, config)
	if t.over && ctx.Err() == nil {
		err = nil
	}
	err = cmp.Or(err, closed())
	if err == nil && t.early {
		err = &policy.NeedError{Policy: e.Policy.Label(), Need: "jobs that start while the machine is full"}
	}
	if err != nil {
		return e.named(ctx, r.Replication, err)
	}
	return nil
}

// turn is a run of one policy.
type turn struct {
	jobs        []simulate.Job // all
	from, until float64
	list        []simulate.Job // of the run: those that fill the machine, then those of places
	filled      int
	places      []int // among all
	early, over bool
	stop        context.CancelFunc
}

// fill adds a job that holds its units when the run begins. Its estimate may be unknown.
func (t *turn) fill(j simulate.Job, end, expected float64) {
	n := simulate.Job{Class: j.Class, Rank: j.Rank, Width: j.Width, Choice: j.Choice, Spec: j.Spec, Exempt: true,
		Work: end + relayStart, Expire: math.Inf(1), Value: simulate.Value{Price: 1, Due: math.Inf(1), Floor: math.Inf(1)}}
	if j.Spec.Details.Estimate > 0 || expected == end {
		n.Spec.Details.Estimate = expected + relayStart
	}
	t.list = append(t.list, n)
}

// Observe implements simulate.Observer.
func (t *turn) Observe(e simulate.Event) {
	at := e.Time - relayStart
	if at >= t.until && !policy.Before(at, t.until) {
		t.over = true
		t.stop()
		return
	}
	if e.Job == nil || e.Kind != simulate.Started || int(e.Job.ID) < t.filled {
		return
	}
	t.early = t.early || policy.Before(at, t.from)
	t.jobs[t.places[int(e.Job.ID)-t.filled]].Start = at
}
