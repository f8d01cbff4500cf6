package study

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// LoggedJob is a job of a log with the times that were.
type LoggedJob struct {
	Number   int64
	Submit   float64 // s, as the other times
	Start    float64 // NaN: it never started
	End      float64 // or when it left the queue
	Width    int
	Estimate float64 // s; 0 is none, and stands for a year
}

// LoggedJobs reads the jobs of a trace that records waits. Jobs without a width
// or a wait are left out.
func LoggedJobs(records workload.Records) ([]LoggedJob, error) {
	var list []LoggedJob
	var r workload.Record
	for {
		ok, err := records.Next(&r)
		if !ok || err != nil {
			return list, err
		}
		width := cmp.Or(max(r[workload.Allocated], 0), max(r[workload.Requested], 0))
		if width == 0 || r[workload.WaitTime] < 0 {
			continue
		}
		j := LoggedJob{Number: int64(r[workload.JobNumber]), Submit: r[workload.SubmitTime], Width: int(width), Estimate: max(r[workload.RequestedTime], 0)}
		j.Start = j.Submit + r[workload.WaitTime]
		if j.End = j.Start; r[workload.RunTime] < 0 {
			j.Start = math.NaN()
		} else {
			j.End += r[workload.RunTime]
		}
		list = append(list, j)
	}
}

// LogReplay asks of every start in a log whether a policy would have made it
// then, given what ran and what waited. One step at a time: whole schedules
// diverge after one decision that differs.
type LogReplay struct {
	Jobs     []LoggedJob
	Nodes    int
	Policy   policy.Spec // on dedicated processors, such as easy; it starts any job that fits an idle machine
	Settings policy.Settings

	// Tolerance is how far off in seconds a start may be: it is allowed where the
	// policy, from the state of the log at some whole second so long before it at
	// most, would start the job so long after it at the latest. Logs have whole
	// seconds, and real schedulers decide in passes of their own.
	Tolerance float64
}

// LogDecisions is what a replay found.
type LogDecisions struct {
	Starts   int
	Allowed  int           // that the policy would have made
	Overfull int           // not asked: more ran than there are nodes
	Denied   []LogDecision // the others, in order of time
}

// LogDecision is a start that the policy would not have made.
type LogDecision struct {
	Job              LoggedJob
	Free             int // nodes, before the jobs that started in that instant
	Running, Waiting int // jobs, itself among the waiting ones
}

// Run replays the log.
func (r LogReplay) Run(ctx context.Context) (*LogDecisions, error) {
	jobs := slices.Clone(r.Jobs)
	slices.SortStableFunc(jobs, func(a, b LoggedJob) int { return cmp.Compare(a.Submit, b.Submit) })
	var starts []int
	for i, j := range jobs {
		if !math.IsNaN(j.Start) {
			starts = append(starts, i)
		}
	}
	slices.SortStableFunc(starts, func(a, b int) int { return cmp.Compare(jobs[a].Start, jobs[b].Start) })
	found := &LogDecisions{Starts: len(starts)}
	var alive []int // by submission: not yet over
	next := 0
	for _, i := range starts {
		at := jobs[i].Start
		for next < len(jobs) && jobs[next].Submit <= at+r.Tolerance {
			alive = append(alive, next)
			next++
		}
		alive = slices.DeleteFunc(alive, func(k int) bool { return jobs[k].End < at-r.Tolerance })
		state := logState{replay: &r, jobs: jobs, alive: alive, target: i}
		allowed, overfull := false, true
		for back := 0.0; back <= r.Tolerance && !allowed; back++ {
			would, full, err := state.ask(ctx, at-back)
			if err != nil {
				return nil, err
			}
			allowed, overfull = would, overfull && full
		}
		switch {
		case allowed:
			found.Allowed++
		case overfull:
			found.Overfull++
		default:
			found.Denied = append(found.Denied, state.decision(at))
		}
	}
	return found, nil
}

// logState is the jobs around a start.
type logState struct {
	replay *LogReplay
	jobs   []LoggedJob
	alive  []int
	target int
}

// runs reports whether a job runs at a time at which it does not start.
func (j *LoggedJob) runs(at float64) bool { return j.Start < at && j.End > at }

func (s *logState) decision(at float64) LogDecision {
	d := LogDecision{Job: s.jobs[s.target], Free: s.replay.Nodes}
	for _, k := range s.alive {
		switch j := &s.jobs[k]; {
		case j.runs(at):
			d.Running++
			d.Free -= j.Width
		case j.Submit <= at && !(j.End <= at && j.End > j.Start) && !(j.Start < at):
			d.Waiting++
		}
	}
	return d
}

// ask hands the state of the log just before a time to the policy: the jobs that
// ran are submitted a second earlier, to an empty machine on which they all fit,
// and then those that waited. It returns whether the target starts by its own
// start and the tolerance. No job starts later than that.
func (s *logState) ask(ctx context.Context, at float64) (would, overfull bool, err error) {
	const (
		lead = 1.0 // s from the start of the run to the time asked about
		none = 365 * 86400
		past = 1e-6 // s: the estimate has run out
	)
	last := s.jobs[s.target].Start + s.replay.Tolerance
	zero := at - lead
	var ran, waited []simulate.Job
	width, target := 0, -1
	for _, k := range s.alive {
		j := &s.jobs[k]
		estimate := cmp.Or(j.Estimate, none)
		if j.runs(at) {
			width += j.Width
			ran = append(ran, simulate.Job{Work: j.End - zero, Width: j.Width, Spec: simulate.Spec{Details: simulate.Details{Estimate: max(j.Start+estimate-zero, past)}}})
			continue
		}
		if j.Start < at || j.Submit > last || math.IsNaN(j.Start) && j.End <= at {
			continue
		}
		w := simulate.Job{Submit: max(j.Submit, at) - zero, Work: max(j.End-j.Start, past), Width: j.Width, Expire: math.Nextafter(last-zero, math.Inf(1)) + past}
		w.Spec.Details.Estimate = estimate
		if math.IsNaN(j.Start) {
			w.Work, w.Expire = estimate, min(w.Expire, j.End-zero)
		}
		if k == s.target {
			target = len(waited)
		}
		waited = append(waited, w)
	}
	if width > s.replay.Nodes {
		return false, true, nil
	}
	policies, _, err := s.replay.Policy.Make(s.replay.Settings, 1)
	if err != nil {
		return false, false, err
	}
	watch := startWatch{target: int64(len(ran) + target)}
	_, err = simulate.Run(ctx, simulate.Config{
		Source: &jobList{append(ran, waited...)}, Sites: []simulate.Site{{Processors: s.replay.Nodes, Policy: policies[0]}}, Observers: []simulate.Observer{&watch},
	})
	return watch.started, false, err
}

// startWatch notes whether a job starts.
type startWatch struct {
	target  int64
	started bool
}

// Observe implements simulate.Observer.
func (w *startWatch) Observe(e simulate.Event) {
	if e.Kind == simulate.Started && e.Job.ID == w.target {
		w.started = true
	}
}

// jobList is a source of jobs in memory, in order of submission.
type jobList struct{ jobs []simulate.Job }

// Next implements simulate.Source.
func (l *jobList) Next(j *simulate.Job) (bool, error) {
	if len(l.jobs) == 0 {
		return false, nil
	}
	fill := &l.jobs[0]
	j.Submit, j.Work, j.Width, j.Expire, j.Spec = fill.Submit, fill.Work, fill.Width, fill.Expire, fill.Spec
	l.jobs = l.jobs[1:]
	return true, nil
}
