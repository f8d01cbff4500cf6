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
	// seconds, and real schedulers decide in passes of their own. A job that ends in
	// the second of a start may have ended before it or after it: either will do.
	Tolerance float64
}

// LogDecisions is what a replay found.
type LogDecisions struct {
	Starts   int
	Allowed  int           // that the policy would have made
	Late     int           // of them: it would have made them earlier by more than the tolerance and a second
	Overfull int           // not asked: more ran than there are nodes, or the job is wider
	Denied   []LogDecision // the others, in order of time
}

// LogDecision is a start that the policy would not have made.
type LogDecision struct {
	Job              LoggedJob
	Free             int // nodes, before the jobs that started in that instant
	Running, Waiting int // jobs, itself among the waiting ones

	// Left is the nodes that the policy leaves idle at the end of the tolerance:
	// where there are enough it keeps them for another job, else others took them.
	Left int
}

// Run replays the log.
func (r LogReplay) Run(ctx context.Context) (*LogDecisions, error) {
	jobs := slices.Clone(r.Jobs)
	slices.SortStableFunc(jobs, func(a, b LoggedJob) int { return cmp.Compare(a.Submit, b.Submit) })
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
	found := &LogDecisions{Starts: len(starts)}
	var alive []int // by submission: not yet over
	next := 0
	for _, i := range starts {
		at := jobs[i].Start
		for next < len(jobs) && jobs[next].Submit <= at+r.Tolerance {
			alive = append(alive, next)
			next++
		}
		alive = slices.DeleteFunc(alive, func(k int) bool { return jobs[k].End < at-r.Tolerance-1 })
		state := logState{replay: &r, jobs: jobs, alive: alive, target: i}
		allowed, overfull, left := false, true, 0
		for back := 0.0; back <= r.Tolerance && !allowed; back++ {
			for _, slip := range []float64{0, 0.5} {
				a, err := state.ask(ctx, at-back, at+r.Tolerance, slip)
				if err != nil {
					return nil, err
				}
				if back == 0 && slip == 0 {
					left = a.left
				}
				allowed, overfull = allowed || a.starts, overfull && a.overfull
			}
		}
		switch {
		case allowed:
			found.Allowed++
			before := at - r.Tolerance - 1
			if a, err := state.ask(ctx, before, before, 0); err != nil {
				return nil, err
			} else if a.starts {
				found.Late++
			}
		case overfull:
			found.Overfull++
		default:
			d := state.decision(at)
			d.Left = left
			found.Denied = append(found.Denied, d)
		}
	}
	return found, nil
}

// afford refuses a log, in order of submission, beyond the budget of memory: its jobs
// and those that are in it at a time, whose lists grow by doubling.
func (r LogReplay) afford(ctx context.Context, jobs []LoggedJob) error {
	var ends []float64
	for _, j := range jobs {
		ends = append(ends, j.End)
	}
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
	return budget.Memory(ctx, need, "%s, %s at a time, ask for", text.Plural(len(jobs), "logged job"), text.Fixed(float64(most), 0))
}

// logState is the jobs around a start.
type logState struct {
	replay *LogReplay
	jobs   []LoggedJob
	alive  []int
	target int
}

// runs reports whether a job that ends so much later runs at a time at which it
// does not start.
func (j *LoggedJob) runs(at, slip float64) bool { return j.Start < at && j.End+slip > at }

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

// answer is what the policy does with a state of the log.
type answer struct {
	starts   bool // the target
	overfull bool // more ran than there are nodes
	left     int  // idle nodes
}

const (
	year = 365 * 86400 // s: stands for no estimate
	past = 1e-6        // s: a time that has just passed
)

// ask hands the state of the log just before a time to the policy: the jobs that
// ran are submitted a second earlier, to an empty machine on which they all fit,
// and then those that waited. No job starts after the last time. Jobs end a part
// of a second later by the slip.
func (s *logState) ask(ctx context.Context, at, last, slip float64) (answer, error) {
	const lead = 1.0 // s from the start of the run to the time asked about
	zero := at - lead
	var ran, waited []simulate.Job
	width, target := 0, -1
	for _, k := range s.alive {
		j := &s.jobs[k]
		estimate := cmp.Or(j.Estimate, year)
		if j.runs(at, slip) {
			width += j.Width
			ran = append(ran, simulate.Job{Work: j.End + slip - zero, Width: j.Width, Spec: simulate.Spec{Details: simulate.Details{Estimate: max(j.Start+estimate-zero, past)}}})
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
	if max(width, s.jobs[s.target].Width) > s.replay.Nodes {
		return answer{overfull: true}, nil
	}
	if target < 0 {
		return answer{}, nil
	}
	watch := startWatch{target: int64(len(ran) + target), last: last - zero + past, answer: answer{left: s.replay.Nodes}}
	err := s.replay.simulate(ctx, append(ran, waited...), &watch)
	return watch.answer, err
}

// simulate runs jobs under the policy.
func (r *LogReplay) simulate(ctx context.Context, jobs []simulate.Job, watch simulate.Observer) error {
	policies, _, err := r.Policy.Make(r.Settings, 1)
	if err != nil {
		return err
	}
	_, err = simulate.Run(ctx, simulate.Config{
		Source: &jobList{jobs}, Sites: []simulate.Site{{Processors: r.Nodes, Policy: policies[0]}}, Observers: []simulate.Observer{watch},
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
func (r LogReplay) Waits(ctx context.Context) (log, simulated float64, err error) {
	jobs := slices.Clone(r.Jobs)
	slices.SortStableFunc(jobs, func(a, b LoggedJob) int { return cmp.Compare(a.Submit, b.Submit) })
	list := make([]simulate.Job, 0, len(jobs))
	var logged, found waitSum
	for _, j := range jobs {
		s := simulate.Job{Submit: j.Submit - jobs[0].Submit, Work: max(j.End-j.Start, past), Width: j.Width}
		s.Spec.Details.Estimate = cmp.Or(j.Estimate, year)
		if math.IsNaN(j.Start) {
			s.Work, s.Expire = s.Spec.Details.Estimate, j.End-jobs[0].Submit+past
		} else {
			logged.add(j.Start - j.Submit)
		}
		list = append(list, s)
	}
	err = r.simulate(ctx, list, &found)
	return logged.mean(), found.mean(), err
}

// waitSum is waits of jobs.
type waitSum struct{ n, sum float64 }

func (w *waitSum) add(x float64) { w.n, w.sum = w.n+1, w.sum+x }
func (w *waitSum) mean() float64 { return w.sum / w.n }
func (w *waitSum) Observe(e simulate.Event) {
	if e.Kind == simulate.Started {
		w.add(e.Time - e.Job.Submit)
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
