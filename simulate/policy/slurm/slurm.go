package slurm

import (
	"math"

	"revopt/internal/heap"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// Slurmctld schedules one pool as Slurm's daemon slurmctld does with sched/backfill. New returns the policies of all
// pools of a machine, which share accounts of usage and limits.
//
// With a limit on waiting, overdue jobs come before all others, as if a QOS above all others was theirs from then on.
// In a backfill pass the end of a job, but not that of running jobs, is rounded up to a multiple of bf_resolution.
//
// # Policy slurm
//
// Slurm 22.05 with sched/backfill. Options have the names, units and meanings of slurm.conf, and its defaults, except
// that PriorityType and PreemptType are those under which the other settings have an effect (Slurm's own are basic and
// none). The options conf, qos and assoc name a slurm.conf and the outputs of sacctmgr show qos -P and of sacctmgr
// show assoc -P; settings that are given win over those of files. bf_interval=0 is a pass after every event,
// bf_interval=-1 is no backfilling. bf_continue has no effect, as passes take no time. 0 is no limit in bf_window,
// bf_max_job_test, bf_max_job_user and default_queue_depth.
//
// Options with names: qos.NAME. with Priority, UsageFactor, Preempt (QOS that it preempts, joined by +), PreemptMode,
// GraceTime (s), MinPrioThreshold (in place of bf_min_prio_reserve; not tested on a real Slurm), GrpTRES, GrpJobs,
// MaxTRESPerUser, MaxJobsPerUser, MaxSubmitJobsPerUser; account.NAME. with Fairshare (a number or parent), Priority
// (-1: that of the account above), Parent, GrpTRES, GrpJobs, MaxJobs, MaxSubmitJobs; user.NAME. with Fairshare,
// Priority, MaxJobs, MaxSubmitJobs, Account; partition.POOL.PriorityJobFactor; nice.CUSTOMER. GrpTRES of cpu, node and
// gres/gpu are all units of the machine. PriorityFlags are NO_FAIR_TREE, SMALL_RELATIVE_TO_TIME,
// NO_NORMAL_ASSOC, NO_NORMAL_QOS, NO_NORMAL_PART and NO_NORMAL_ALL.
//
//   - The QOS of a job is its queue in the log if that QOS has settings and is not normal, else its customer, else
//     normal. Its account is that of the log, else its customer. A partition is a pool.
//   - Priority is the whole part of the sum of weights times factors, minus nice, at least 1. The factor of
//     PriorityWeightAssoc is the priority of the user, else of its account or the nearest above with one, over the
//     largest; with NO_NORMAL_ASSOC itself. Flags for QOS and partitions do the same. It is at most 4294967295.
//   - The main loop starts jobs in order of priority, at every event, until one finds too few free units. Jobs that a
//     limit holds, whose priority is below bf_min_prio_reserve, or that would run into a planned outage are passed
//     over. It looks at default_queue_depth jobs, at multiples of sched_interval at all.
//   - A backfill pass, at the multiples of bf_interval while jobs wait, goes through bf_max_job_test jobs in the same
//     order. A job starts if its units are free up to its expected end beside the reservations of the jobs before it.
//     Otherwise it gets a reservation at the earliest time within bf_window, unless bf_job_part_count_reserve jobs
//     have one or its priority is below bf_min_prio_reserve. Reservations last for the pass. A submission triggers no
//     pass.
//   - A reservation begins at the last expected end of a batch of running jobs: those that end up to 30, 60, 120 s and
//     so on after the half minute that follows the first expected end. If bf_interval=0, each end counts.
//   - Limits hold jobs back. A limit of the QOS replaces the same one of accounts and users; Grp limits hold in all
//     accounts above. A job that a limit could never let start, or that exceeds MaxSubmitJobs, is rejected for
//     resources; Slurm leaves the first kind waiting forever.
//   - Requeue, after an outage or a preemption: the job starts anew 121 s later.
//   - Preemption: a job that finds too few free units takes those of running jobs whose QOS its QOS may preempt:
//     lowest QOS first, then narrow jobs, then those that started last. They run on for GraceTime.
//   - Left out: nodes and topology, gang scheduling, PriorityTier, dependencies, arrays, TRES weights, licenses,
//     run-minute limits, limits of one job. Real passes take time. A warning names settings that are not simulated.
//
// With age alone or no weight, bf_interval=0, bf_resolution=1 and no limits, bf_job_part_count_reserve=1 is easy,
// start by start on the whole SDSC SP2 trace. With 0 and estimates=exact it is conservative.
type Slurmctld struct {
	*books
	index   int
	limit   *policy.Limit
	cluster *simulate.Cluster // nil before the first event
	running plan              // of the running jobs and outages
	noted   int               // outages that are in it
	live    []*ticket         // the running jobs
	tickets map[*simulate.Job]*ticket
	groups  map[groupKey]*group
	active  []*group // with waiting jobs
	order   heap.Heap[cursor]
	widths  tally // of waiting jobs
	waiting int

	submitted bool    // since the last main loop
	freed     bool    // likewise
	cut       bool    // the last main loop did not see all jobs that may start
	free      int     // processors after the last decision
	seen      float64 // the calculation of priorities that the last decision went by
	wake      float64 // the decision asked for

	quiet    float64       // a pass before this time changes nothing, unless something happens; -Inf: it has
	ahead    plan          // of the running jobs and the reservations of a pass
	lined    []*ticket     // used by line
	hopeless []*ticket     // no place is within the window for them, nor for wider and longer jobs
	batches  []float64     // see batch; empty if they are not known
	ends     []expectedEnd // used by batch
	gone     []*ticket     // started jobs that are still in the queue
	back     []*ticket     // preempted jobs that are not yet in the queue
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
	delayed  bool    // it is requeued, and waits for its timer
	late     bool    // it is overdue
	young    int     // place in fairness.young, if it is there
}

// expectedEnd is the expected end of a running job, of the own pool or another one.
type expectedEnd struct {
	at  float64
	own bool
}

// newPools returns the policies of the pools of one machine. The settings are complete.
func newPools(s policy.Settings, f policy.Context) []*Slurmctld {
	books := newBooks(s, f)
	for i := range f.Processors {
		p := &Slurmctld{
			books: books, index: i, limit: s.Limit(), tickets: map[*simulate.Job]*ticket{}, groups: map[groupKey]*group{},
			quiet: math.Inf(-1), wake: math.Inf(1),
		}
		p.order.Less = (*cursor).before
		if books.resolution > 1 { // one second is the resolution of Slurm's clock
			p.ahead.grid = books.resolution
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
	party := p.partyOf(j, p.index)
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
	if p.limit != nil {
		p.limit.Watch(j)
	}
	p.submitted = true
	if p.mayMatter(t) {
		p.disturb()
	}
}

// mayMatter reports whether a job that has come may change the next pass. It does not if it is the last one and cannot
// start, or if a pass does not look at it.
func (p *Slurmctld) mayMatter(t *ticket) bool {
	seen := p.tests == 0 || p.waiting <= p.tests
	if seen && t.width <= p.cluster.Free() || p.preempting {
		return true
	}
	if p.fair > 0 && p.stale { // the order is not known before the next pass
		return true
	}
	own := cursor{ticket: t, priority: p.priority(t)}
	for _, g := range p.active {
		last := *g.jobs.Last()
		other := cursor{ticket: last, priority: p.priority(last)}
		if last != t && own.before(&other) {
			return true
		}
	}
	return false
}

// meet takes note of the cluster and the time.
func (p *Slurmctld) meet(c *simulate.Cluster) {
	if p.cluster == nil {
		p.cluster = c
		p.free = c.Processors()
		p.widths = make(tally, c.Processors()+1)
	}
	p.running.advance(c.Now(), c.Processors())
	for ; p.noted < len(c.Outages()); p.noted++ {
		d := c.Outages()[p.noted]
		p.running.reserve(d.From, d.To, d.Units)
		p.disturb()
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
	p.freed = true
	p.disturb()
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
	} else {
		p.forget(t)
	}
}

// stop takes note that a job no longer runs.
func (p *Slurmctld) stop(t *ticket) {
	now := p.cluster.Now()
	p.running.release(now, t.end, t.width)
	last := p.live[len(p.live)-1]
	p.live[t.place], last.place = last, t.place
	p.live = p.live[:len(p.live)-1]
	if t.leaves < math.Inf(1) {
		t.leaves = math.Inf(1)
		p.cluster.Timer(t.job, t.leaves)
	}
	t.party.count(0, -1, -t.width)
	p.ran(t, now)
	p.freed = true
	p.disturb()
	p.rouse(t)
}

// rouse lets the other pools plan anew after a job has started or stopped here, as batches of
// expected ends have the jobs of all pools. If there are limits, the other pools decide at once.
func (p *Slurmctld) rouse(t *ticket) {
	for _, o := range p.sites {
		switch {
		case o == p:
		case len(t.party.limits) > 0:
			o.freed = true
			o.stir(p.cluster.Now(), true)
		case p.interval > 0:
			o.stir(p.cluster.Now(), false)
		}
	}
}

// stir takes note that something has happened elsewhere, and lets the pool decide at once or in the next pass.
func (p *Slurmctld) stir(now float64, once bool) {
	p.disturb()
	at := p.nextPass(now)
	if once {
		at = now
	}
	if at < p.wake && p.hopeful() {
		p.wake = at
		p.cluster.WakeAt(at)
	}
}

// Estimate implements simulate.Estimator. A job that finds no room beside the running jobs,
// or others in the queue, is expected after the work of the queue.
func (p *Slurmctld) Estimate(c *simulate.Cluster, j *simulate.Job, queued float64) float64 {
	p.meet(c)
	at := p.running.earliest(c.Now(), j.Width, p.RunTime(j))
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
	if p.limit != nil {
		p.promote()
	}
	if !(now < p.wake) {
		p.wake = math.Inf(1)
	}
	if c.Free() != p.free { // also because of an outage
		p.freed = p.freed || c.Free() > p.free
		p.disturb()
	}
	if p.calculated != p.seen { // the order may be another one
		p.seen = p.calculated
		if len(p.active) > 1 || p.thresholds {
			p.freed = p.freed || !policy.Before(p.calculated, now)
			p.disturb()
		}
	}
	all := !policy.Before(now, tick)
	if p.freed || p.submitted && !p.deferred || all && (p.submitted || p.cut) {
		p.serve(all)
	}
	if p.due(now) && !(now < p.quiet) && p.hopeful() {
		p.backfill()
	}
	wake := math.Inf(1)
	if p.hopeful() {
		wake = p.nextPass(now)
		if p.cut || p.submitted {
			wake = min(wake, (math.Floor(now/p.schedInterval)+1)*p.schedInterval)
		}
		if (len(p.active) > 1 || p.thresholds) && p.varies {
			wake = min(wake, p.calculated+p.period)
		}
	}
	if p.limit != nil {
		wake = min(wake, p.limit.Next(c))
	}
	if wake != p.wake {
		c.WakeAt(wake)
		p.wake = wake
	}
	p.free = c.Free()
}

// promote puts jobs before all others that have become overdue. Suspended jobs keep their places.
func (p *Slurmctld) promote() {
	for j := p.limit.Pop(p.cluster); j != nil; j = p.limit.Pop(p.cluster) {
		t := p.tickets[j]
		if t.resumes || t.late {
			continue
		}
		t.late = true
		if t.group != nil {
			p.dequeue(t)
			p.queue(t)
		}
		p.freed = true
		p.disturb()
	}
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
			if p.reserving(t) {
				break
			}
			continue
		}
		if p.running.room(t.width, t.estimate) {
			p.start(t)
		}
	}
	p.clear()
}

// start runs a job. It leaves the queue with clear.
func (p *Slurmctld) start(t *ticket) {
	now := p.cluster.Now()
	t.end = now + t.estimate
	t.begun = now
	t.place = len(p.live)
	p.live = append(p.live, t)
	p.batches = p.batches[:0]
	p.hopeless = p.hopeless[:0]
	p.running.reserve(now, t.end, t.width)
	p.cluster.Start(t.job)
	t.party.count(0, 1, t.width)
	p.runs(t)
	p.gone = append(p.gone, t)
	p.disturb()
	p.rouse(t)
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
