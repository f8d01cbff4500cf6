package simulate

import (
	"fmt"
	"math"
)

// Audit is an observer that checks a run against its own books: no processor is sold
// twice or while it is down (a recorded schedule may do that), a completed job was given exactly its work and
// what preemption cost it, a preempted job holds no processors, every job goes through
// its life once and in order, nothing starts before it was submitted and is eligible, time does not run
// backwards, no owner of jobs holds more than a limit, and jobs that pay their value do. Its memory is proportional to
// the jobs alive and those with a number. The zero value is ready for use, in one run.
type Audit struct {
	err    error
	last   float64
	files  []file // by slot
	sites  []ledger
	counts [Moved + 1]int64
	owned  [][2]int          // by limit: processors and jobs that its owner holds
	ends   map[int32]float64 // by Job.Number; +Inf: it has not ended
}

// file is the audit's record of a job. It is stored by the job's slot, which no other
// job may have before this job has ended.
type file struct {
	live     bool
	id       int64
	at       Kind // the last transition
	measured bool
	work     float64 // processor-seconds delivered so far, in stints that are over
	since    float64 // when the stint began
	stints   int     // that are over
	holds    bool    // it has started
	eligible float64
	after    int32 // predecessor; 0 if it is ignored
}

// ledger is the audit's record of a site.
type ledger struct {
	site  *Cluster
	busy  int
	nodes []sheet
	work  float64 // processor-seconds delivered to jobs that ended
}

// sheet is the state of a node: its processors, the rate of each task, and the time since
// which they hold.
type sheet struct {
	since float64
	count float64
	tasks []share
}

type share struct {
	slot int32
	rate float64
}

// Err returns the first failure, nil if there was none.
func (a *Audit) Err() error { return a.err }

// Count returns how often jobs went through a transition.
func (a *Audit) Count(k Kind) int64 { return a.counts[k] }

// Unfinished returns the number of jobs that have not ended.
func (a *Audit) Unfinished() int64 {
	return a.counts[Submitted] - a.counts[Rejected] - a.counts[Completed] - a.counts[Expired]
}

// Observe implements Observer.
func (a *Audit) Observe(e Event) {
	if e.Time < a.last {
		a.fail(e, "time runs backwards from %g", a.last)
	}
	for i := 0; i < len(a.sites) && e.Time > a.last; i++ {
		a.down(e, &a.sites[i])
	}
	a.last = e.Time
	switch e.Kind {
	case Rated:
		a.rated(e)
	case Opened, Closed:
	case Forwarded:
		if f := a.files[e.Job.slot]; !f.live || f.id != e.Job.ID || f.at != Submitted {
			a.fail(e, "its last transition is %v", f.at)
		}
	case Moved:
		f := &a.files[e.Job.slot]
		if !f.live || f.id != e.Job.ID || f.at != Submitted && f.at != Admitted {
			a.fail(e, "its last transition is %v", f.at)
		}
		f.live = false
		a.counts[Submitted]--
	case Ended:
		a.ended(e)
	default:
		a.counts[e.Kind]++
		a.transition(e)
	}
}

// fail records the first failure.
func (a *Audit) fail(e Event, format string, args ...any) {
	if a.err != nil {
		return
	}
	job := int64(-1)
	if e.Job != nil {
		job = e.Job.ID
	}
	a.err = fmt.Errorf("simulate: audit: %v of job %d at %g: %s", e.Kind, job, e.Time, fmt.Sprintf(format, args...))
}

// transition checks one step in the life of a job.
func (a *Audit) transition(e Event) {
	j := e.Job
	for int(j.slot) >= len(a.files) {
		a.files = append(a.files, file{})
	}
	f := &a.files[j.slot]
	if e.Kind == Submitted {
		if f.live {
			a.fail(e, "job %d has not ended", f.id)
		}
		if j.Submit > e.Time {
			a.fail(e, "submission is at %g", j.Submit)
		}
		*f = file{live: true, id: j.ID, at: Submitted, measured: j.Measured, eligible: j.Eligible}
		a.depends(j, f)
		return
	}
	if !f.live || f.id != j.ID {
		a.fail(e, "not submitted, or ended before")
		return
	}
	if !follows(f.at, e.Kind) {
		a.fail(e, "its last transition is %v", f.at)
	}
	f.at = e.Kind
	if f.holds && (e.Kind == Completed || e.Kind == Expired) {
		a.owns(e, -1)
	}
	switch e.Kind {
	case Started, Resumed:
		a.started(e, f)
	case Preempted:
		a.preempted(e, f)
	case Completed:
		a.completed(e, f)
		f.live = false
	case Expired:
		if e.Site.ByValue() && (f.stints > 0 || j.Gone(e.Time)) && j.Revenue != j.Forsaken() {
			a.fail(e, "pays %g, its floor is %g", j.Revenue, j.Value.Floor)
		}
		a.ledger(e.Site).work += f.work
		f.live = false
	case Rejected:
		f.live = false
	}
	if !f.live && j.Number > 0 {
		a.ends[j.Number] = e.Time
	}
}

// depends notes on which job another one depends.
func (a *Audit) depends(j *Job, f *file) {
	if _, known := a.ends[j.After]; known {
		f.after = j.After
	}
	if j.Number == 0 {
		return
	}
	if a.ends == nil {
		a.ends = map[int32]float64{}
	}
	a.ends[j.Number] = math.Inf(1)
}

// follows reports whether a job may go from one transition to the next.
func follows(last, next Kind) bool {
	switch next {
	case Admitted:
		return last == Submitted
	case Rejected:
		return last == Submitted || last == Admitted
	case Started:
		return last == Admitted
	case Resumed:
		return last == Preempted
	case Expired:
		return last == Admitted || last == Preempted
	default:
		return last == Started || last == Resumed
	}
}

// started checks the beginning of service, or of a stint of it.
func (a *Audit) started(e Event, f *file) {
	f.since = e.Time
	if !f.holds {
		f.holds = true
		a.owns(e, 1)
	}
	if e.Kind == Started && e.Job.Start != e.Time || e.Time < e.Job.Submit {
		a.fail(e, "starts at %g, submitted at %g", e.Job.Start, e.Job.Submit)
	}
	if !e.Site.recorded && (e.Time < f.eligible || f.after > 0 && e.Time < a.ends[f.after]+e.Job.Think) {
		a.fail(e, "eligible at %g, and %g s after job %d", f.eligible, e.Job.Think, f.after)
	}
	if e.Site.sharing != nil {
		return
	}
	l := a.ledger(e.Site)
	l.busy += e.Job.Width
	if l.busy > l.up(e.Time, true) && !e.Site.recorded {
		a.fail(e, "%d of %d processors busy", l.busy, l.up(e.Time, true))
	}
}

// owns counts what owners hold when a job starts (by = 1) or ends (-1).
func (a *Audit) owns(e Event, by int) {
	all := e.Site.kernel.limits
	if all == nil {
		return
	}
	for i := range all.all {
		l := &all.all[i]
		if i >= len(a.owned) {
			a.owned = append(a.owned, [2]int{})
		}
		if !l.Owns(e.Job) {
			continue
		}
		o := &a.owned[i]
		o[1] += by
		if l.counts(e.Site.index) {
			o[0] += by * e.Job.Width
		}
		alone := o[1] == 1 && !l.Never
		if by > 0 && all.bound[e.Site.index] && (l.Jobs > 0 && o[1] > l.Jobs || l.Units > 0 && o[0] > l.Units && !alone) {
			a.fail(e, "its owner holds %d processors in %d jobs, the limits are %d and %d", o[0], o[1], l.Units, l.Jobs)
		}
	}
}

// up returns the processors of the site that are up, for jobs that start or also for those
// that run.
func (l *ledger) up(now float64, starts bool) int {
	up := l.site.processors
	for _, o := range l.site.known {
		if o.From <= now && now < o.To && (starts || !o.Drain) {
			up -= o.Units
		}
	}
	return max(up, 0)
}

// down checks that jobs left processors that went down since the last event.
func (a *Audit) down(e Event, l *ledger) {
	for i := 0; l.busy > 0 && i < len(l.site.known) && !l.site.recorded; i++ {
		if o := l.site.known[i]; o.From >= a.last && o.From < early(e.Time) && l.busy > l.up(o.From, false) {
			a.fail(e, "%d of %d processors busy at %g", l.busy, l.up(o.From, false), o.From)
		}
	}
}

// preempted checks the end of a stint: the processors are free, and what the job still
// needs is its work plus its losses, less the service that it got.
func (a *Audit) preempted(e Event, f *file) {
	j, l := e.Job, a.ledger(e.Site)
	l.busy -= j.Width
	if up := e.Site.processors - e.Site.sum; e.Site.free != up-l.busy {
		a.fail(e, "%d of %d processors free, and %d busy", e.Site.free, up, l.busy)
	}
	f.work += (e.Time - f.since) * float64(j.Width)
	left := j.length() + j.Lost - f.work/float64(j.Width)
	f.stints++
	slack := 1e-9*j.length() + 10*epsilon*e.Time*float64(f.stints)
	if j.Preemptions != f.stints || !(math.Abs(j.left-left) <= slack) {
		a.fail(e, "%d preemptions, %d counted; %g s left, %g counted", j.Preemptions, f.stints, j.left, left)
	}
}

// completed checks that a job got exactly its work, up to rounding. For a job run in
// pieces it checks the amount that the kernel states.
func (a *Audit) completed(e Event, f *file) {
	j, l := e.Job, a.ledger(e.Site)
	want := (j.Work + j.Lost) * float64(j.Width)
	if e.Site.sharing == nil {
		l.busy -= j.Width
		f.work += (e.Time - f.since) * float64(j.Width)
	} else {
		for n := range e.Site.Touched() { // it ran on no other node since rates were noted
			a.integrate(l, n, e.Time)
		}
		want = j.given
		for _, i := range j.Nodes {
			want += j.Work / e.Site.Machine(int(i)).Speed
		}
	}
	l.work += f.work
	if !(math.Abs(f.work-want) <= 1e-9*want+10*epsilon*e.Time*float64(j.Width*(1+f.stints))) {
		a.fail(e, "was given %g of %g", f.work, want)
	}
	if j.Finish != e.Time {
		a.fail(e, "finishes at %g", j.Finish)
	}
	if e.Site.ByValue() && j.Revenue != j.Worth(e.Time) {
		a.fail(e, "pays %g, is worth %g", j.Revenue, j.Worth(e.Time))
	}
}

func (a *Audit) rated(e Event) {
	s := a.integrate(a.ledger(e.Site), e.Node, e.Time)
	s.tasks, s.count = s.tasks[:0], float64(len(e.Node.Members))
	var sum float64
	for _, t := range e.Node.Tasks {
		if !(t.Rate >= 0) {
			a.fail(e, "node %d runs a task at rate %g", e.Node.ID, t.Rate)
		}
		sum += t.Rate
		s.tasks = append(s.tasks, share{t.Job.slot, t.Rate})
	}
	if !(sum <= 1+1e-9) {
		a.fail(e, "node %d runs at rate %g", e.Node.ID, sum)
	}
}

// integrate adds the work done on a node since its rates were noted.
func (a *Audit) integrate(l *ledger, n *Node, now float64) *sheet {
	for n.ID >= len(l.nodes) {
		l.nodes = append(l.nodes, sheet{})
	}
	s := &l.nodes[n.ID]
	for _, t := range s.tasks {
		a.files[t.slot].work += t.rate * (now - s.since) * s.count
	}
	s.since = now
	return s
}

func (a *Audit) ledger(c *Cluster) *ledger {
	for int(c.index) >= len(a.sites) {
		a.sites = append(a.sites, ledger{})
	}
	a.sites[c.index].site = c
	return &a.sites[c.index]
}

// ended checks the closing balance: measured jobs are all accounted for, and
// the kernel's own account of the work delivered agrees.
func (a *Audit) ended(e Event) {
	live := int64(0)
	for _, f := range a.files {
		if f.live {
			live++
			if f.measured {
				a.fail(e, "measured job %d has not ended", f.id)
			}
		}
	}
	if live != a.Unfinished() {
		a.fail(e, "%d jobs have not ended, %d are not accounted for", live, a.Unfinished())
	}
	if live > 0 {
		return
	}
	var delivered float64
	for class := range e.Site.use {
		delivered += e.Site.Delivered(class)
	}
	if work := a.ledger(e.Site).work; !(math.Abs(delivered-work) <= 1e-9*(1+work)) {
		a.fail(e, "the cluster delivered %g, the jobs were given %g", delivered, work)
	}
}
