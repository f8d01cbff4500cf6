package slurm

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/heap"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// Slurmctld schedules one pool as Slurm's daemon slurmctld does with sched/backfill.
// NewSlurm returns the policies of all pools of a machine, which share accounts of usage
// and limits.
//
// The main loop starts jobs in order of priority. The first job that finds too few free
// processors ends it; jobs that a limit holds are passed over. It runs at every event, and
// looks at default_queue_depth jobs. At multiples of sched_interval it looks at all.
//
// A backfill pass goes through bf_max_job_test jobs in the same order. A job starts if its
// processors are free now and up to its expected end beside the reservations of the jobs
// before it. Otherwise it gets a reservation at the earliest time within bf_window, unless
// bf_job_part_count_reserve jobs have one. In both cases its end, but not that of running
// jobs, is rounded up to a multiple of bf_resolution. Reservations last for the pass only.
// A pass takes place if a job that may fit has come, if processors became free, or if
// priorities may have another order since the last pass, and at the earliest bf_interval
// after it.
type Slurmctld struct {
	*books
	index   int
	cluster *simulate.Cluster // nil before the first event
	running policy.Profile    // of the running jobs
	down    policy.Outages
	live    []*ticket // the running jobs
	tickets map[*simulate.Job]*ticket
	groups  map[groupKey]*group
	active  []*group // with waiting jobs
	order   heap.Heap[cursor]
	widths  tally // of waiting jobs
	waiting int

	submitted bool    // since the last main loop
	freed     bool    // likewise
	cut       bool    // the last main loop did not see all jobs that may start
	changed   bool    // since the last backfill pass
	free      int     // processors after the last decision
	seen      float64 // the calculation of priorities that the last pass went by
	last      float64 // the last backfill pass
	wake      float64 // the decision asked for

	ahead    policy.Profile // of the running jobs and the reservations of a pass
	hopeless *ticket        // no place is within the window for it, nor for wider and longer jobs
	batches  []float64      // see batch; empty if they are not known
	ends     []expectedEnd  // used by batch
	gone     []*ticket      // started jobs that are still in the queue
	back     []*ticket      // preempted jobs that are not yet in the queue
	victims  []*ticket
}

// ticket is a job that waits, runs or is suspended.
type ticket struct {
	job      *simulate.Job
	party    *party
	group    *group  // while it waits
	since    float64 // its age counts from here
	estimate float64 // s, of what is left
	width    int
	end      float64 // expected, while it runs
	begun    float64 // the last start
	resumes  bool    // it is suspended
	place    int     // in Slurmctld.live, while it runs
	leaves   float64 // the end of its time of grace; +Inf if it is not preempted
	claims   float64 // processors become free for it up to this time
}

// expectedEnd is the expected end of a running job, of the own pool or another one.
type expectedEnd struct {
	at  float64
	own bool
}

// New returns the policies of the pools of one machine. The settings are complete.
func New(s policy.Settings, f policy.Context) []*Slurmctld {
	books := newBooks(s, f)
	for i := range f.Processors {
		p := &Slurmctld{
			books: books, index: i, tickets: map[*simulate.Job]*ticket{}, groups: map[groupKey]*group{},
			last: math.Inf(-1), wake: math.Inf(1),
		}
		p.order.Less = (*cursor).before
		if books.resolution > 1 { // one second is the resolution of Slurm's clock
			p.ahead.Grid = books.resolution
		}
		books.sites = append(books.sites, p)
	}
	return books.sites
}

// Arrive implements simulate.Policy. A job is rejected if it is wider than the cluster or
// than a limit, or if its user may not submit another one.
func (p *Slurmctld) Arrive(c *simulate.Cluster, j *simulate.Job) {
	p.meet(c)
	estimate, ok := p.Take(c, j)
	if !ok {
		return
	}
	party := p.partyOf(j)
	if !party.may(j.Width) {
		c.Reject(j, simulate.Resources)
		return
	}
	c.Admit(j)
	party.count(1, 0, 0)
	t := &ticket{
		job: j, party: party, since: j.Submit, estimate: estimate, width: j.Width,
		leaves: math.Inf(1), claims: math.Inf(-1),
	}
	p.tickets[j] = t
	p.queue(t)
	p.submitted = true
	if t.width <= c.Free() || p.preempting { // otherwise it changes no other job's place
		p.changed = true
	}
}

// meet takes note of the cluster and the time.
func (p *Slurmctld) meet(c *simulate.Cluster) {
	if p.cluster == nil {
		p.cluster = c
		p.free = c.Processors()
		p.widths = make(tally, c.Processors()+1)
	}
	p.running.Advance(c.Now(), c.Processors())
	if p.down.Note(c, &p.running) {
		p.changed = true
	}
	p.calculate(c.Now())
}

// forget drops the ticket of a job that has left.
func (p *Slurmctld) forget(t *ticket) {
	t.party.count(-1, 0, 0)
	delete(p.tickets, t.job)
}

// Leave implements simulate.Leaver.
func (p *Slurmctld) Leave(c *simulate.Cluster, j *simulate.Job) {
	p.meet(c)
	t := p.tickets[j]
	p.dequeue(t)
	p.forget(t)
	p.freed, p.changed = true, true
}

// Finish implements simulate.Finisher.
func (p *Slurmctld) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.meet(c)
	t := p.tickets[j]
	p.stop(t)
	p.forget(t)
	p.Charge(c, j)
}

// Stop implements simulate.Stopper.
func (p *Slurmctld) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	p.meet(c)
	t := p.tickets[j]
	p.stop(t)
	if again {
		p.requeue(t)
		p.clear()
	} else {
		p.forget(t)
	}
}

// stop takes note that a job no longer runs.
func (p *Slurmctld) stop(t *ticket) {
	now := p.cluster.Now()
	p.running.Release(now, t.end, t.width)
	last := p.live[len(p.live)-1]
	p.live[t.place], last.place = last, t.place
	p.live = p.live[:len(p.live)-1]
	if t.leaves < math.Inf(1) {
		t.leaves = math.Inf(1)
		p.cluster.Timer(t.job, t.leaves)
	}
	t.party.count(0, -1, -t.width)
	p.ran(t, now)
	p.freed, p.changed = true, true
	if len(t.party.limits) > 0 {
		p.rouse(p)
	}
}

// rouse lets the other pools decide: a limit may no longer hold their jobs.
func (b *books) rouse(not *Slurmctld) {
	for _, p := range b.sites {
		if p != not && p.waiting > 0 {
			p.freed, p.changed = true, true
			p.wake = p.cluster.Now()
			p.cluster.WakeAt(p.wake)
		}
	}
}

// Estimate implements simulate.Estimator. A job that finds no room beside the running jobs,
// or others in the queue, is expected after the work of the queue.
func (p *Slurmctld) Estimate(c *simulate.Cluster, j *simulate.Job, queued float64) float64 {
	p.meet(c)
	at := p.running.Earliest(j.Width, p.RunTime(j))
	if p.waiting > 0 {
		at += queued
	}
	return at
}

// Schedule implements simulate.Policy.
func (p *Slurmctld) Schedule(c *simulate.Cluster) {
	p.meet(c)
	now := c.Now()
	tick := p.tick(now)
	if !(now < p.wake) {
		p.wake = math.Inf(1)
	}
	if c.Free() > p.free { // also after an outage
		p.freed, p.changed = true, true
	}
	if p.calculated != p.seen { // the order may be another one
		p.seen = p.calculated
		if len(p.active) > 1 {
			p.freed, p.changed = true, true
		}
	}
	all := !policy.Before(now, tick)
	if p.freed || p.submitted && !p.deferred || all && (p.submitted || p.cut) {
		p.serve(all)
	}
	due := p.last + p.interval
	if p.changed && p.interval >= 0 && !policy.Before(now, due) && p.hopeful() {
		p.last, p.changed = now, false
		p.backfill()
	}
	wake := math.Inf(1)
	if p.hopeful() {
		if p.changed && p.interval >= 0 {
			wake = max(p.last+p.interval, now)
		}
		if p.cut || p.submitted {
			wake = min(wake, p.tick(math.Nextafter(now, math.Inf(1))))
		}
		if len(p.active) > 1 && p.varies {
			wake = min(wake, p.calculated+p.period)
		}
	}
	if wake != p.wake {
		c.WakeAt(wake)
		p.wake = wake
	}
	p.free = c.Free()
}

// tick returns the next time from now on at which the main loop looks at all jobs.
func (p *Slurmctld) tick(now float64) float64 {
	return math.Ceil(now/p.schedInterval) * p.schedInterval
}

// hopeful reports whether a waiting job may start now.
func (p *Slurmctld) hopeful() bool {
	return p.waiting > 0 && (p.preempting || p.widths.upTo(p.cluster.Free()) > 0)
}

// tally counts jobs by width. It is a Fenwick tree: both methods take logarithmic time.
type tally []int

func (t tally) add(width, jobs int) {
	for ; width < len(t); width += width & -width {
		t[width] += jobs
	}
}

// upTo returns the number of jobs up to a width.
func (t tally) upTo(width int) (jobs int) {
	for ; width > 0; width -= width & -width {
		jobs += t[width]
	}
	return jobs
}

// serve is the main loop.
func (p *Slurmctld) serve(all bool) {
	p.submitted, p.freed, p.cut = false, false, false
	if !p.hopeful() {
		return
	}
	p.begin()
	for looked := 0; ; looked++ {
		t := p.next()
		if t == nil {
			break
		}
		if !all && p.depth > 0 && looked >= p.depth {
			p.cut = true
			break
		}
		if t.held() {
			continue
		}
		if t.width > p.cluster.Free() && !p.preempt(t, &p.running) {
			break
		}
		if p.running.Room(t.width, t.estimate) {
			p.start(t)
		}
	}
	p.clear()
}

// backfill is a backfill pass.
func (p *Slurmctld) backfill() {
	c, now := p.cluster, p.cluster.Now()
	free := c.Free()
	left := p.widths.upTo(c.Free())
	reserved := 0
	p.pass++
	p.ahead.Copy(&p.running)
	p.batches, p.hopeless = p.batches[:0], nil
	p.begin()
	for looked := 0; p.tests == 0 || looked < p.tests; looked++ {
		if !p.preempting && (left == 0 || c.Free() == 0) {
			break // no other job can start
		}
		t := p.next()
		if t == nil {
			break
		}
		if t.width <= free {
			left--
		}
		if t.held() || !t.party.user.test(p) {
			continue
		}
		if (t.width <= c.Free() || p.preempt(t, &p.ahead)) && p.ahead.Room(t.width, t.estimate) {
			p.ahead.Reserve(now, now+t.estimate, t.width)
			p.start(t)
			p.cut = p.cut || len(t.party.limits) > 0 // a limit may hold the first job now
			continue
		}
		if p.reserves > 0 && reserved >= p.reserves ||
			p.hopeless != nil && t.width >= p.hopeless.width && t.estimate >= p.hopeless.estimate {
			continue
		}
		from := p.expected(t)
		if from-now > p.window {
			p.hopeless = t
			continue
		}
		p.ahead.Reserve(from, policy.RoundUp(from+t.estimate, p.ahead.Grid), t.width)
		reserved++
	}
	p.clear()
}

// expected returns the time of a reservation. Slurm looks at batches of running jobs that
// end at about the same time, so that a job waits for the last one of a batch. With a pass
// at every event, each end counts.
func (p *Slurmctld) expected(t *ticket) float64 {
	now := p.cluster.Now()
	all := p.cluster.Processors()
	from := p.ahead.Earliest(t.width, t.estimate)
	if p.interval == 0 || !policy.Before(now, from) || from-now > p.window {
		return from
	}
	if len(p.batches) == 0 {
		p.batch()
	}
	for _, last := range p.batches {
		if policy.Before(last, from) {
			continue
		}
		if policy.Before(from, last) {
			p.ahead.Reserve(now, last, all)
			from = p.ahead.Earliest(t.width, t.estimate)
			p.ahead.Release(now, last, all)
		}
		if !policy.Before(last, from) {
			break
		}
	}
	return from
}

// batch finds the last expected end of each batch of running jobs. The first batch has the
// jobs that end within 30 s of the next half minute after the first end; the time doubles
// from batch to batch. If a job of another pool ends within the time, the next job of this
// pool belongs to the batch, whenever it ends. So does _will_run_test of Slurm 22.05.
func (p *Slurmctld) batch() {
	ends := p.ends[:0]
	for _, site := range p.sites {
		for _, t := range site.live {
			ends = append(ends, expectedEnd{t.end, site == p})
		}
	}
	slices.SortFunc(ends, func(a, b expectedEnd) int { return cmp.Compare(a.at, b.at) })
	const first = 30.0 // s
	window, edge := first, math.Inf(-1)
	p.ends = ends
	for i := 0; i < len(ends); {
		last := math.Inf(-1)
		for i < len(ends) {
			e := ends[i]
			i++
			if !e.own {
				continue
			}
			last = e.at
			if math.IsInf(edge, -1) {
				edge = math.Floor(e.at/first)*first + first
			}
			if i < len(ends) && ends[i].at > edge+window {
				break
			}
		}
		for window *= 2; i < len(ends) && ends[i].at > edge+window; window *= 2 {
		}
		p.batches = append(p.batches, last)
	}
}

// start runs a job. It leaves the queue with clear.
func (p *Slurmctld) start(t *ticket) {
	now := p.cluster.Now()
	t.end = now + t.estimate
	t.begun = now
	t.place = len(p.live)
	p.live = append(p.live, t)
	p.batches = p.batches[:0]
	p.hopeless = nil
	p.running.Reserve(now, t.end, t.width)
	p.cluster.Start(t.job)
	t.party.count(0, 1, t.width)
	p.gone = append(p.gone, t)
}

// Began starts a waiting job, whatever its turn, as a log did.
func (p *Slurmctld) Began(c *simulate.Cluster, j *simulate.Job) {
	p.meet(c)
	p.start(p.tickets[j])
	p.clear()
}

// clear removes started jobs from the queue, and adds preempted ones.
func (p *Slurmctld) clear() {
	for _, t := range p.gone {
		p.dequeue(t)
	}
	for _, t := range p.back {
		p.queue(t)
	}
	p.gone, p.back = p.gone[:0], p.back[:0]
}
