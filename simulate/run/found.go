package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/offline"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Effort is how long an offline search takes: so many moves, or so many seconds. The zero value is a brief search.
type Effort struct {
	Moves   int     `json:"moves,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
}

// briefMoves is the number of moves of a search that nobody asked for.
const briefMoves = 2000

// BoundMoves is the column of the moves of an offline search.
const BoundMoves = "bound_moves"

// Offline is what a search for the best schedule of whole jobs that knows the future looks at.
type Offline struct {
	Subject     *subject.Subject
	Workload    workload.Workload // of a machine, or of a part of it
	Seed        uint64
	Replication int
	Objective   string // the name of one of Objectives
	Effort      Effort
}

// Schedule is what an offline search has found.
type Schedule struct {
	Start []float64 // of the jobs, in the order of submission; not a number where a job does not run
	Total float64   // of the objective, over the jobs that can run
	Moves int
}

// offline returns the search on a part of the machine. A time is shared by the parts.
func (at *point) offline(c Case, p Machine) Offline {
	effort := c.Do.Bound.Found
	effort.Seconds /= float64(len(machinesOf(at.workload)))
	return Offline{Subject: at.subject, Workload: p.Workload, Seed: c.Seed, Replication: c.Replication,
		Objective: c.Do.Bound.On, Effort: effort}
}

// found returns what a schedule delivers, and the moves of the search. There is none where pools share jobs: it might
// use units of several pools for one job.
func (o Offline) found(ctx context.Context, p Machine) (total, moves float64, err error) {
	if len(p.Group) > 1 {
		return math.NaN(), math.NaN(), nil
	}
	s, err := o.Schedule(ctx)
	return s.Total, float64(s.Moves), err
}

// Schedule returns a good schedule. A search that was asked for starts from the orders of all policies that run every
// job once.
func (o Offline) Schedule(ctx context.Context) (Schedule, error) {
	m := machineOf(o.Workload)
	jobs, err := o.jobs(ctx)
	if err != nil {
		return Schedule{}, err
	}
	var list []offline.Job
	var places []int // in jobs
	for i := range jobs {
		if j := o.job(&jobs[i], m); j.Width <= m.Nodes && !jobs[i].Void {
			list, places = append(list, j), append(places, i)
		}
	}
	options := offline.Options{Moves: o.Effort.Moves, Seed: o.Seed + uint64(o.Replication),
		For: time.Duration(o.Effort.Seconds * float64(time.Second))}
	if o.Effort == (Effort{}) {
		options.Moves = briefMoves
	} else {
		options.Starts, err = o.policyStarts(ctx, len(jobs), places)
		if err != nil {
			return Schedule{}, err
		}
	}
	levels := o.levels(m)
	r, err := offline.Search(ctx, list, offline.Machine{Nodes: m.Nodes, Up: levels}, options)
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{Start: unstarted(len(jobs)), Moves: r.Moves}
	for k, i := range places {
		s.Start[i] = r.Start[k]
	}
	s.Total, err = o.audit(jobs, s.Start, m, levels)
	return s, err
}

// levels returns how many units are up over time. Units that drain are down, so that no job starts on them.
func (o Offline) levels(m bound.Machine) []offline.Level {
	down := text.Join(o.Workload.Sites(), func(s workload.Site) []simulate.Outage { return slices.Clone(s.Down) })
	for i := range down {
		down[i].Drain = math.IsInf(down[i].To, 1)
	}
	if down == nil {
		return nil
	}
	return text.Each(bound.Levels(m.Nodes, down), func(l bound.Level) offline.Level { return offline.Level(l) })
}

// jobs returns the jobs of the replication.
func (o Offline) jobs(ctx context.Context) (list []simulate.Job, err error) {
	c := Case{Seed: o.Seed, Replication: o.Replication}
	_, _, err = boundJobs(ctx, o.Workload, c, func(j *simulate.Job) (none bound.Job) {
		list = append(list, *j)
		return none
	})
	return list, err
}

// job returns a job as the search sees it.
func (o Offline) job(j *simulate.Job, m bound.Machine) offline.Job {
	if o.Objective == Wait().Name || o.Objective == Slowdown().Name {
		t := Bound{On: o.Objective}.task(j)
		return offline.Delayed(j, t.Weight, t.Grace)
	}
	return offline.Paid(j, m.Speed)
}

// policyStarts returns the starts of some of the jobs under each policy that runs every job once. A policy that cannot
// run these jobs has none.
func (o Offline) policyStarts(ctx context.Context, n int, places []int) (list [][]float64, err error) {
	policies, _ := o.Subject.Applying()
	for _, p := range policies {
		if !p.Unpreempted() {
			continue
		}
		e := Experiment{Workload: o.Workload, Policy: p, Seed: o.Seed}
		seen := starts(unstarted(n))
		_, err := e.Run(ctx, o.Replication, seen)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			list = append(list, text.Each(places, func(i int) float64 { return seen[i] }))
		}
	}
	return list, nil
}

// starts is an observer of when jobs start first.
type starts []float64

// unstarted returns the starts of jobs of which none runs.
func unstarted(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = math.NaN()
	}
	return list
}

// Observe implements simulate.Observer.
func (s starts) Observe(e simulate.Event) {
	if e.Kind != simulate.Started { // other events may have no job
		return
	}
	if id := int(e.Job.ID); id < len(s) && math.IsNaN(s[id]) {
		s[id] = e.Time
	}
}

// audit verifies a schedule apart from the search, and returns what it delivers by the values of the jobs themselves.
func (o Offline) audit(jobs []simulate.Job, start []float64, m bound.Machine, up []offline.Level) (total float64,
	err error) {
	var taken []usage
	for i, at := range start {
		j := &jobs[i]
		end := at + j.Work/m.Speed
		switch {
		case o.Objective == Wait().Name || o.Objective == Slowdown().Name:
			t := Bound{On: o.Objective}.task(j)
			if !math.IsNaN(at) {
				total += t.Weight * max(0, end-t.Release-t.Length-t.Grace)
			}
		case math.IsNaN(at):
			total += offline.Unserved(j)
		default:
			total += j.Worth(end)
		}
		if at < j.Submit {
			return 0, fmt.Errorf("offline search: job %d starts at %g s, before its submission", i, at)
		}
		if !math.IsNaN(at) {
			taken = append(taken, usage{at, j.Width}, usage{end, -j.Width})
		}
	}
	return total, overbooked(taken, slices.Concat([]offline.Level{{From: math.Inf(-1), Units: m.Nodes}}, up))
}

// usage is a number of units that are taken from a time on; below 0 they are given back.
type usage struct {
	at    float64
	units int
}

// overbooked returns an error if more units are taken than are up.
func overbooked(taken []usage, levels []offline.Level) error {
	for i := range levels[1:] {
		taken = append(taken, usage{levels[i+1].From, levels[i].Units - levels[i+1].Units})
	}
	slices.SortFunc(taken, func(a, b usage) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.units, b.units)) })
	used := 0
	for _, u := range taken {
		used += u.units
		if u.units > 0 && used > levels[0].Units {
			return fmt.Errorf("offline search: %d units are taken at %g s, of %d", used, u.at, levels[0].Units)
		}
	}
	return nil
}
