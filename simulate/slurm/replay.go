package slurm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unsafe"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// LoggedJob is a job of a log with its recorded times in seconds.
type LoggedJob struct {
	Number   int64
	Submit   float64
	Start    float64 // NaN: it never started
	End      float64 // or the time at which it left the queue
	Width    int
	Estimate float64 // 0 is none, and stands for a year
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
		j := LoggedJob{
			Number: int64(r[workload.JobNumber]), Submit: r[workload.SubmitTime],
			Width: int(width), Estimate: max(r[workload.RequestedTime], 0),
		}
		j.Start = j.Submit + r[workload.WaitTime]
		if j.End = j.Start; r[workload.RunTime] < 0 {
			j.Start = math.NaN()
		} else {
			j.End += r[workload.RunTime]
		}
		list = append(list, j)
	}
}

// LogReplay compares every start in a log with the start that a policy would
// make at that moment, given the jobs that ran and waited in the log. Whole
// schedules diverge after the first decision that differs, so each start is
// compared from the recorded state.
type LogReplay struct {
	Jobs     []LoggedJob
	Nodes    int
	Policy   policy.Spec // on dedicated processors, such as easy; it starts any job that fits an idle machine
	Settings policy.Settings

	// Tolerance is the time in seconds by which a start may be off. A start is
	// allowed if the policy makes it at most this time later, from the state of
	// the log at some whole second at most this time earlier. Logs have whole
	// seconds, and real schedulers decide in passes. A job that ends in the second
	// of a start may have ended before or after the start: both are tried.
	Tolerance float64
}

// LogDecisions is the result of a replay.
type LogDecisions struct {
	Starts   int
	Allowed  int           // starts that the policy would make
	Late     int           // of them, it would make them earlier by more than the tolerance and a second
	Overfull int           // not compared: more ran than there are nodes, or the job is wider
	Denied   []LogDecision // the others, in order of time
}

// LogDecision is a start that the policy would not make.
type LogDecision struct {
	Job              LoggedJob
	Free             int // nodes, before the jobs that started in that instant
	Running, Waiting int // jobs; the job itself is waiting

	// Left is the nodes that the policy leaves idle at the end of the tolerance. If
	// they suffice for the job, the policy reserves them; else other jobs took them.
	Left int
}

// Run replays the log.
func (r LogReplay) Run(ctx context.Context) (*LogDecisions, error) {
	jobs := r.sorted()
	if err := r.afford(ctx, jobs); err != nil {
		return nil, err
	}
	var starts []int
	for i, j := range jobs {
		if !math.IsNaN(j.Start) {
			starts = append(starts, i)
		}
	}
	slices.SortStableFunc(starts, func(a, b int) int { return cmp.Compare(jobs[a].Start, jobs[b].Start) })
	result := &LogDecisions{Starts: len(starts)}
	var alive []int // jobs that are not over, by submission
	next := 0
	for _, i := range starts {
		at := jobs[i].Start
		for next < len(jobs) && jobs[next].Submit <= at+r.Tolerance {
			alive = append(alive, next)
			next++
		}
		alive = slices.DeleteFunc(alive, func(k int) bool { return jobs[k].End < at-r.Tolerance-1 })
		state := logState{replay: &r, jobs: jobs, alive: alive, target: i}
		if err := state.compare(ctx, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// sorted returns the jobs in order of submission.
func (r LogReplay) sorted() []LoggedJob {
	jobs := slices.Clone(r.Jobs)
	slices.SortStableFunc(jobs, func(a, b LoggedJob) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

// afford refuses a log beyond the memory budget. It counts all jobs and the most
// that are in the log at a time, whose lists grow by doubling.
func (r LogReplay) afford(ctx context.Context, jobs []LoggedJob) error {
	ends := text.Each(jobs, func(j LoggedJob) float64 { return j.End })
	slices.Sort(ends)
	most, over := 0, 0
	for i, j := range jobs {
		for ends[over] < j.Submit-2*r.Tolerance-1 {
			over++
		}
		most = max(most, i+1-over)
	}
	const active = 700 // bytes of a job in the kernel and its policy, about
	job := float64(unsafe.Sizeof(simulate.Job{}))
	need := float64(len(jobs))*(job+4*float64(unsafe.Sizeof(LoggedJob{}))) + float64(most)*(4*job+active)
	return budget.Memory(ctx, need, "%s, %s at a time, ask for",
		text.Plural(len(jobs), "logged job"), text.Fixed(float64(most), 0))
}

// logState is the jobs around a start.
type logState struct {
	replay *LogReplay
	jobs   []LoggedJob
	alive  []int
	target int
}

// compare compares the start of the target with the policy, and counts it.
func (s *logState) compare(ctx context.Context, result *LogDecisions) error {
	at, tolerance := s.jobs[s.target].Start, s.replay.Tolerance
	allowed, overfull, left := false, true, 0
	for back := 0.0; back <= tolerance && !allowed; back++ {
		for _, slip := range []float64{0, 0.5} {
			a, err := s.ask(ctx, at-back, at+tolerance, slip)
			if err != nil {
				return err
			}
			if back == 0 && slip == 0 {
				left = a.left
			}
			allowed, overfull = allowed || a.starts, overfull && a.overfull
		}
	}
	switch {
	case allowed:
		result.Allowed++
		before := at - tolerance - 1
		if a, err := s.ask(ctx, before, before, 0); err != nil {
			return err
		} else if a.starts {
			result.Late++
		}
	case overfull:
		result.Overfull++
	default:
		d := s.decision(at)
		d.Left = left
		result.Denied = append(result.Denied, d)
	}
	return nil
}

// runs reports whether the job runs at a time but does not start then, if it ends
// later by the slip.
func (j *LoggedJob) runs(at, slip float64) bool { return j.Start < at && j.End+slip > at }

// decision describes the state in which the target starts.
func (s *logState) decision(at float64) LogDecision {
	d := LogDecision{Job: s.jobs[s.target], Free: s.replay.Nodes}
	for _, k := range s.alive {
		switch j := &s.jobs[k]; {
		case j.runs(at, 0):
			d.Running++
			d.Free -= j.Width
		case j.Submit <= at && !(j.End <= at && j.End > j.Start) && !(j.Start < at):
			d.Waiting++
		}
	}
	return d
}

// answer is the decision of the policy in a state of the log.
type answer struct {
	starts   bool // the target
	overfull bool // more ran than there are nodes
	left     int  // idle nodes
}

const (
	year = 365 * 86400 // s: stands for no estimate
	past = 1e-6        // s: a time that has just passed
)

// ask gives the policy the state of the log just before a time: the jobs that ran
// are submitted a second earlier, to an empty machine on which they all fit, and
// then the jobs that waited. No job starts after the last time. The jobs that ran
// end later by the slip, a part of a second.
func (s *logState) ask(ctx context.Context, at, last, slip float64) (answer, error) {
	const lead = 1.0 // s from the start of the run to the time
	zero := at - lead
	var ran, waited []simulate.Job
	width, target := 0, -1
	for _, k := range s.alive {
		j := &s.jobs[k]
		estimate := cmp.Or(j.Estimate, year)
		if j.runs(at, slip) {
			width += j.Width
			job := simulate.Job{Work: j.End + slip - zero, Width: j.Width}
			job.Spec.Details.Estimate = max(j.Start+estimate-zero, past)
			ran = append(ran, job)
			continue
		}
		if j.Start < at || j.Submit > last || math.IsNaN(j.Start) && j.End <= at {
			continue
		}
		job := simulate.Job{Submit: max(j.Submit, at) - zero, Work: max(j.End-j.Start, past), Width: j.Width}
		job.Expire = math.Nextafter(last-zero, math.Inf(1)) + past
		job.Spec.Details.Estimate = estimate
		if math.IsNaN(j.Start) {
			job.Work, job.Expire = estimate, min(job.Expire, j.End-zero)
		}
		if k == s.target {
			target = len(waited)
		}
		waited = append(waited, job)
	}
	if max(width, s.jobs[s.target].Width) > s.replay.Nodes {
		return answer{overfull: true}, nil
	}
	if target < 0 {
		return answer{}, nil
	}
	watch := startWatch{answer{left: s.replay.Nodes}, int64(len(ran) + target), last - zero + past}
	err := s.replay.simulate(ctx, append(ran, waited...), &watch)
	return watch.answer, err
}

// simulate runs jobs, in order of submission, under the policy.
func (r *LogReplay) simulate(ctx context.Context, jobs []simulate.Job, watch simulate.Observer) error {
	policies, _, err := r.Policy.Make(r.Settings, 1)
	if err != nil {
		return err
	}
	list := workload.JobList(jobs)
	_, err = simulate.Run(ctx, simulate.Config{
		Source:    &list,
		Sites:     []simulate.Site{{Processors: r.Nodes, Policy: policies[0]}},
		Observers: []simulate.Observer{watch},
	})
	return err
}

// startWatch follows the starts up to a time.
type startWatch struct {
	answer
	target int64
	last   float64
}

// Observe implements simulate.Observer.
func (w *startWatch) Observe(e simulate.Event) {
	switch {
	case e.Time > w.last:
	case e.Kind == simulate.Started:
		w.left -= e.Job.Width
		w.starts = w.starts || e.Job.ID == w.target
	case e.Kind == simulate.Completed:
		w.left += e.Job.Width
	}
}

// Waits returns the mean wait in the log, and that of a simulation of all its
// jobs under the policy, both of jobs that start. Jobs that left the queue of the
// log leave it after the same time.
func (r LogReplay) Waits(ctx context.Context) (logged, simulated float64, err error) {
	jobs := r.sorted()
	list := make([]simulate.Job, 0, len(jobs))
	var recorded, replayed waitSum
	for _, j := range jobs {
		s := simulate.Job{Submit: j.Submit - jobs[0].Submit, Work: max(j.End-j.Start, past), Width: j.Width}
		s.Spec.Details.Estimate = cmp.Or(j.Estimate, year)
		if math.IsNaN(j.Start) {
			s.Work, s.Expire = s.Spec.Details.Estimate, j.End-jobs[0].Submit+past
		} else {
			recorded.add(j.Start - j.Submit)
		}
		list = append(list, s)
	}
	err = r.simulate(ctx, list, &replayed)
	return recorded.mean(), replayed.mean(), err
}

// waitSum is the sum of the waits of jobs.
type waitSum struct{ n, sum float64 }

func (w *waitSum) add(x float64) { w.n, w.sum = w.n+1, w.sum+x }
func (w *waitSum) mean() float64 { return w.sum / w.n }

// Observe implements simulate.Observer.
func (w *waitSum) Observe(e simulate.Event) {
	if e.Kind == simulate.Started {
		w.add(e.Time - e.Job.Submit)
	}
}
