package slurm

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"unsafe"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/agent"
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
	Pool     int     // of LogReplay.Pools
	Details  simulate.Details

	outage bool // not a job: nodes that are down
}

// LoggedJobs reads the jobs of a trace with recorded waits, but for those without a width.
func LoggedJobs(records workload.Records) ([]LoggedJob, error) {
	var list []LoggedJob
	var r workload.Record
	known := func(field int) int { return int(max(r[field], 0)) }
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
			Details: simulate.Details{
				User: known(workload.User), Group: known(workload.Group), Queue: known(workload.Queue),
				Partition: known(workload.Partition), Account: known(workload.Executable),
			},
		}
		j.Start = j.Submit + r[workload.WaitTime]
		j.End = j.Start
		if r[workload.RunTime] < 0 {
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
	Pools    []LogPool   // in place of Nodes
	Policy   policy.Spec // on dedicated processors, such as easy; it starts any job that fits an idle machine
	Settings policy.Settings
	Names    map[string]map[int32]string // as policy.Context

	Limits []simulate.Limit // by the numbers of the log

	// Calculated is a time at which Slurm calculated priorities, as it does once in a period.
	Calculated float64

	mixed bool // with pools

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
	Allowed  int         // starts that the policy would make
	Overfull int         // not compared: more ran than there are nodes, or the job is wider
	Denied   []LoggedJob // the others, in order of time
}

// Run replays the log. The time that it takes for a policy which knows the past grows with
// the square of the jobs.
func (r LogReplay) Run(ctx context.Context) (*LogDecisions, error) {
	r.mixed = r.mixed || len(r.Pools) > 0
	if len(r.Pools) > 0 && !r.Policy.Joint {
		return r.byPool(ctx)
	}
	jobs := r.sorted()
	if err := r.afford(ctx, jobs); err != nil {
		return nil, err
	}
	sites, err := r.sites(0)
	if err != nil {
		return nil, err
	}
	var trial *policy.Trial
	if r.Limits == nil { // a trial knows none
		trial = policy.NewTrial(sites[0].Policy, r.Nodes)
	}
	m := logMoment{replay: &r, logQueue: newLogQueue(r.Nodes, jobs, trial)}
	result := new(LogDecisions)
	for _, i := range m.leaving {
		j := &jobs[i]
		if math.IsNaN(j.Start) {
			continue
		}
		if j.Start != m.at || j.Pool != m.pool || len(m.runs) == 0 {
			m.at, m.pool, m.runs = j.Start, j.Pool, m.runs[:0]
			m.running = slices.DeleteFunc(m.running, func(k int) bool { return jobs[k].End < m.at-r.Tolerance-1 })
		}
		if !j.outage {
			result.Starts++
			if err := m.compare(ctx, i, result); err != nil {
				return nil, err
			}
		}
		at, _ := slices.BinarySearchFunc(m.running, j.expected(), func(k int, end float64) int {
			return cmp.Compare(jobs[k].expected(), end)
		})
		m.running = slices.Insert(m.running, at, i)
	}
	return result, nil
}

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

// logMoment is a time at which jobs start, and the runs of the policy from the states of
// the log around it. The starts of one time share the runs.
type logMoment struct {
	logQueue
	replay  *LogReplay
	at      float64
	pool    int   // of the jobs that start
	running []int // jobs that started before and may not be over, by expected end
	runs    []*logRun
}

// compare compares a start at the moment with the policy, and counts it.
func (m *logMoment) compare(ctx context.Context, target int, result *LogDecisions) error {
	tolerance, width := m.replay.Tolerance, m.jobs[target].Width
	overfull := true
	for back := 0.0; back <= tolerance; back++ {
		for _, order := range m.orders(m.at-back, target) {
			run, err := m.run(ctx, m.at-back, m.at+tolerance, order)
			if err != nil {
				return err
			}
			if max(run.width, width) > m.size() {
				continue
			}
			overfull = false
			if slices.Contains(run.started, target) {
				result.Allowed++
				return nil
			}
		}
	}
	if overfull {
		result.Overfull++
	} else {
		result.Denied = append(result.Denied, m.jobs[target])
	}
	return nil
}

func (m *logMoment) size() int { return m.replay.pools()[m.pool].Nodes }

// runs reports whether the job runs at a time but does not start then, ending later by the slip.
func (j *LoggedJob) runs(at, slip float64) bool { return j.Start < at && j.End+slip > at }

// expected returns the end of a job that has started, by its estimate.
func (j *LoggedJob) expected() float64 { return j.Start + cmp.Or(j.Estimate, year) }

const (
	year = 365 * 86400 // s: stands for no estimate
	past = 1e-6        // s: a time that has just passed
	lead = 1.0         // s from the start of a run to the time of its state
)

// logRun is a run of the policy from the state of the log just before a time, up to a last
// time. The jobs that ran are submitted a second earlier, to an empty machine on which
// they all fit, and then the jobs that waited. It is the source and the observer of the run.
type logRun struct {
	jobs     []LoggedJob
	at, last float64
	secondOrder
	list []int // the jobs that ran, then those that waited
	ran  int   // the number of jobs that ran
	next int   // place in the list
	ends bool  // a job that ran ends at the time or in the run

	width   int             // of the jobs that ran; more than there are nodes: there is no run
	started []int           // jobs that waited
	ending  []*simulate.Job // the ends to come; used with a trial
	ended   bool            // the source
}

// errPassed ends a run after its last time.
var errPassed = errors.New("the last time has passed")

// run returns the run from the state of the log at a time.
func (m *logMoment) run(ctx context.Context, at, last float64, order secondOrder) (*logRun, error) {
	for _, r := range m.runs {
		exact := m.replay.Settings["estimates"] == "exact" // ends outside the run matter
		if r.at == at && (r.same(order) || !r.ends && !exact && r.fresh == order.fresh) {
			return r, nil
		}
	}
	r := &logRun{jobs: m.jobs, at: at, last: last, secondOrder: order}
	m.runs = append(m.runs, r)
	for _, k := range m.running {
		j := &m.jobs[k]
		if j.Start < at && j.End > at-1 && j.End <= last+past {
			r.ends = true
		}
		if j.runs(at, r.slipOf(k)) && j.Pool == m.pool {
			r.width += j.Width
			r.list = append(r.list, k)
		}
	}
	r.ran = len(r.list)
	if r.width > m.size() {
		return r, nil
	}
	if m.replay.Policy.Joint {
		return r, m.replay.recall(ctx, r, m.pool, nil)
	}
	m.follow(at)
	if m.trial != nil {
		r.try(&m.logQueue)
		return r, ctx.Err()
	}
	slices.Sort(r.list)
	r.list = append(r.list, m.waiting...)
	for k := m.came; m.submitted(k, last); k++ {
		if !m.jobs[k].outage {
			r.list = append(r.list, k)
		}
	}
	if err := m.replay.simulate(ctx, at-lead, r, r); err != errPassed {
		return nil, err
	}
	return r, nil
}

// Next implements simulate.Source.
func (r *logRun) Next(job *simulate.Job) (bool, error) {
	zero, i := r.at-lead, r.next
	r.next++
	switch {
	case i == len(r.list)+1:
		return false, errPassed
	case i == len(r.list): // a job after the last time, which the policy does not see
		job.Submit, job.Width, job.Void = math.Nextafter(r.passed(), math.Inf(1)), 1, true
		return true, nil
	}
	if i < r.ran {
		*job = r.runner(r.list[i])
		return true, nil
	}
	j := &r.jobs[r.list[i]]
	*job = j.job()
	job.Submit = max(j.Submit, r.at) - zero
	if math.IsNaN(j.Start) {
		job.Expire = j.End - zero
	}
	return true, nil
}

// try makes the run with the trial of the policy, which has the jobs that waited, and has
// them again afterwards. At an instant jobs end, expire and come, then the policy decides. A
// job that expires as it comes is there for this decision.
func (r *logRun) try(q *logQueue) {
	zero, came := r.at-lead, q.came
	q.trial.Begin()
	for _, k := range r.list {
		j := r.runner(k)
		q.trial.Run(&j)
		j.Finish = j.Work
		if j.Finish <= r.passed() {
			ending := j
			r.end(&ending)
		}
	}
	var expiring []int
	for _, k := range q.leaving[q.left:] {
		j := &q.jobs[k]
		if j.waits() > r.last {
			break
		}
		if math.IsNaN(j.Start) && j.Width <= q.nodes {
			expiring = append(expiring, k)
		}
	}
	for now := r.at - zero; now <= r.passed(); {
		for len(r.ending) > 0 && r.ending[0].Finish*(1-1e-14) <= now { // with the rounding of the kernel
			q.trial.Finish(r.ending[0], now)
			r.ending = r.ending[1:]
		}
		for _, k := range expiring {
			if q.jobs[k].End-zero <= now {
				q.set(k, false)
			}
		}
		for ; q.submitted(came, r.last) && q.jobs[came].Submit-zero <= now; came++ {
			q.set(came, true)
		}
		for _, j := range q.trial.Decide(now) {
			r.started = append(r.started, int(j.ID))
			q.queued[j.ID] = false
			r.end(j)
		}
		now = r.after(now, q, came, expiring)
	}
	for _, k := range append(expiring, r.started...) {
		q.put(k, r.at)
	}
	for k := q.came; k < came; k++ {
		q.put(k, r.at)
	}
}

// after returns the next instant at which a job ends, comes or expires.
func (r *logRun) after(now float64, q *logQueue, came int, expiring []int) float64 {
	zero, next := r.at-lead, math.Inf(1)
	if len(r.ending) > 0 {
		next = r.ending[0].Finish
	}
	if q.submitted(came, r.last) {
		next = min(next, q.jobs[came].Submit-zero)
	}
	for _, k := range expiring {
		if q.queued[k] {
			next = min(next, max(q.jobs[k].End-zero, now))
		}
	}
	return next
}

// end notes the end of a job in the run.
func (r *logRun) end(j *simulate.Job) {
	byEnd := func(a, b *simulate.Job) int { return cmp.Compare(a.Finish, b.Finish) }
	i, _ := slices.BinarySearchFunc(r.ending, j, byEnd)
	r.ending = slices.Insert(r.ending, i, j)
}

// runner returns a job that ran, as it goes on.
func (r *logRun) runner(k int) simulate.Job {
	j, zero := &r.jobs[k], r.at-lead
	job := simulate.Job{Width: j.Width, Work: j.End + r.slipOf(k) - zero, Exempt: true}
	job.Spec.Details = j.Details
	job.Spec.Details.Estimate = max(j.expected()-zero, past)
	return job
}

func (j *LoggedJob) job() simulate.Job {
	job := simulate.Job{Width: j.Width, Work: max(j.End-j.Start, past), Class: j.Pool}
	job.Spec.Details = j.Details
	job.Spec.Details.Estimate = cmp.Or(j.Estimate, year)
	if math.IsNaN(j.Start) {
		job.Work = job.Spec.Details.Estimate
	}
	return job
}

// Recorded returns the jobs of a log that fit on the nodes, with their numbers and starts, by submission.
func (r LogReplay) Recorded() (list []simulate.Job) {
	for _, j := range r.sorted() {
		job := j.job()
		job.ID = j.Number
		job.Submit, job.Spec.Details.Estimate = j.Submit, j.Estimate
		job.Spec.Recorded = (simulate.Recorded{Ran: true, At: j.Start})
		if math.IsNaN(j.Start) {
			job.Spec.Recorded = simulate.Recorded{At: j.End}
		}
		if j.Width <= r.Nodes {
			list = append(list, job)
		}
	}
	return list
}

// passed returns the time of the run up to which it counts.
func (r *logRun) passed() float64 { return r.last - (r.at - lead) + past }

func (r *logRun) Observe(e simulate.Event) {
	if e.Time > r.passed() || e.Kind != simulate.Started {
		return
	}
	if i := int(e.Job.ID); i >= r.ran {
		r.started = append(r.started, r.list[i])
	}
}

// simulate runs jobs, in order of submission, under the policy.
func (r *LogReplay) simulate(
	ctx context.Context, zero float64, jobs simulate.Source, watch simulate.Observer,
) error {
	sites, err := r.sites(zero)
	if err != nil {
		return err
	}
	return r.run(ctx, sites, jobs, watch)
}

// run runs jobs on the pools that their classes number.
func (r *LogReplay) run(
	ctx context.Context, sites []workload.Site, jobs simulate.Source, watch simulate.Observer,
) error {
	config := simulate.Config{
		Source: jobs, Sites: workload.Clusters(sites), Agents: workload.Agents(sites),
		Observers: []simulate.Observer{watch}, Limits: r.Limits,
	}
	if len(sites) > 1 {
		pools := &agent.Pools{Site: text.Numbers(len(sites))}
		config.Router = pools.Router()
	}
	_, err := simulate.Run(ctx, config)
	return err
}

// LogWaits are waits in a log, and in a simulation of all its jobs under a policy.
type LogWaits struct {
	Logged, Simulated float64 // means, s
	Never             int     // jobs that never start in the simulation, since nodes are down without an end
}

// lastTime is a time after all others, s. A start or an end beyond it never comes.
const lastTime = 1e17

// Waits simulates all jobs of the log under the policy. Jobs that left the queue of the log leave it after
// the same time.
func (r LogReplay) Waits(ctx context.Context) (LogWaits, error) {
	jobs, zero := r.sorted(), r.zero()
	list := make([]simulate.Job, 0, len(jobs))
	var recorded, replayed waitSum
	down := func(p LogPool) bool {
		return slices.ContainsFunc(p.Down, func(o simulate.Outage) bool { return o.To > lastTime })
	}
	for _, j := range jobs {
		s := j.job()
		s.Submit = j.Submit - zero
		if math.IsNaN(j.Start) {
			s.Expire = j.End - zero + past
		} else {
			recorded.add(j.Start - j.Submit)
		}
		list = append(list, s)
	}
	err := r.simulate(ctx, zero, simulate.Slice(list), &replayed)
	if simulate.Starved(err) && slices.ContainsFunc(r.Pools, down) {
		err = nil // the policy has not waited until then
	}
	return LogWaits{recorded.mean(), replayed.mean(), len(list) - int(replayed.n) - replayed.left}, err
}

// waitSum is the sum of the waits of jobs.
type waitSum struct {
	n, sum float64
	left   int // jobs that left
}

func (w *waitSum) add(x float64) { w.n, w.sum = w.n+1, w.sum+x }
func (w *waitSum) mean() float64 { return w.sum / w.n }

func (w *waitSum) Observe(e simulate.Event) {
	switch {
	case e.Time > lastTime:
	case e.Kind == simulate.Started:
		w.add(e.Time - e.Job.Submit)
	case e.Kind == simulate.Rejected, e.Kind == simulate.Expired && e.Job.Preemptions == 0:
		w.left++
	}
}
