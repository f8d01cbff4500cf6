package simulate

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Site describes a cluster.
type Site struct {
	Processors int
	Policy     Policy    // of this run only
	Sharing    Sharing   // nil: the policy, if it is a Sharing; otherwise processors are dedicated and have no names
	Machines   []Machine // of a shared cluster: one per processor, or one for all; nil is the reference without limits

	// Recorded is a site whose policy repeats the schedule of a log: jobs start even if
	// no processors are free, no job gives up by itself, and the policy also gets jobs
	// that never ran.
	Recorded bool
}

// Cluster is a set of processors in a run, identical unless its nodes have
// names. Policies act through its methods.
type Cluster struct {
	kernel     *kernel
	index      int32
	processors int
	free       int
	policy     Policy
	timed      Timed
	finisher   Finisher
	leaver     Leaver
	piecemeal  Piecemeal
	sharing    Sharing
	recorded   bool      // as in Site
	informed   bool      // the policy knows run times
	byValue    bool      // jobs pay their value
	machines   []Machine // as in Site
	nodes      []*Node   // by ID; nil if nothing ever ran there
	made       int       // the number of nodes that are not nil
	grouped    bool      // see Group
	nodeOf     []*Node   // by processor of a grouped cluster; nil if it is idle
	vacancies  []*Node   // without processors
	chosen     []*Node   // for the job that starts
	speed      float64   // of the fastest processor
	listed     bool      // the policy has asked for one of the next two
	queue      Queue     // jobs that Start may start, and
	served     Queue     // jobs that run, in the order in which they began to
	scratch    []*Job    // for each
	waiting    int       // jobs that wait here
	running    int       // jobs that have started here and not ended, preempted or not
	restless   bool      // something happened since the last decision
	stirred    *uint64   // the word of kernel.stirred that has the bit of the site; nil if it is alone
	waking     bool      // a wake is pending
	wakes      uint32    // version of the pending wake
	idle       vigil     // wakes since the last act
	use        []use     // by class
	hooks
	downtime
}

// use accounts for the work that a cluster delivers to a class.
type use struct {
	level float64 // processors at rate 1, of a cluster that counts them
	since float64 // when the level was set
	area  float64 // processor-seconds delivered before
}

// build makes the clusters of a run.
func (k *kernel) build(sites []Site) error {
	if len(sites) == 0 {
		return fmt.Errorf("simulate: no site")
	}
	for i, s := range sites {
		if s.Processors < 1 || s.Policy == nil {
			return fmt.Errorf("simulate: site %d has %d processors and policy %T", i, s.Processors, s.Policy)
		}
		c := &Cluster{
			kernel: k, index: int32(i), processors: s.Processors, free: s.Processors,
			speed: 1, policy: s.Policy, sharing: s.Sharing, recorded: s.Recorded,
			byValue: k.byValue, queue: Queue{links: 1}, served: Queue{links: 1},
		}
		if c.sharing == nil {
			c.sharing, _ = s.Policy.(Sharing)
		}
		if p, ok := s.Policy.(Informed); ok {
			c.informed = p.KnowsRunTimes()
		}
		c.timed, _ = s.Policy.(Timed)
		c.finisher, _ = s.Policy.(Finisher)
		c.leaver, _ = s.Policy.(Leaver)
		c.piecemeal, _ = s.Policy.(Piecemeal)
		if err := c.addNodes(s.Machines); err != nil {
			return err
		}
		k.sites = append(k.sites, c)
	}
	if len(sites) > 1 {
		k.stirred = make([]uint64, (len(sites)+63)/64)
		for i, c := range k.sites {
			c.stirred = &k.stirred[i/64]
		}
	}
	return nil
}

// stir makes the policy of the site decide after the events of this instant.
func (c *Cluster) stir() {
	c.restless = true
	c.call()
}

// call makes the kernel look at the site after the events of this instant. It always looks at a site that is alone.
func (c *Cluster) call() {
	if c.stirred != nil {
		*c.stirred |= 1 << (c.index & 63)
	}
}

// turn lets the policy decide if something has happened, and agents after it.
func (c *Cluster) turn() {
	if c.restless {
		c.restless = false
		c.policy.Schedule(c)
		for c.kernel.limits.settle() {
			c.restless = false
			c.policy.Schedule(c)
		}
	}
	for _, f := range c.decided {
		f(c)
	}
}

// Fail ends the run with an error of the policy, after the instant. The first error counts.
func (c *Cluster) Fail(err error) {
	if c.kernel.err == nil {
		c.kernel.err = Blame(c.policy, err)
	}
}

// Now returns the time, in seconds from the start.
func (c *Cluster) Now() float64 { return c.kernel.now }

// Index returns the number of the site in the run, from 0.
func (c *Cluster) Index() int { return int(c.index) }

// Processors returns the size of the cluster.
func (c *Cluster) Processors() int { return c.processors }

// Free returns the number of processors on which nothing runs. It is negative if a
// recorded schedule uses more than there are, or if jobs run on processors that drain.
func (c *Cluster) Free() int { return c.free }

// Waiting returns the number of jobs that were submitted here and neither
// started nor left.
func (c *Cluster) Waiting() int { return c.waiting }

// Queue returns the jobs that Start may start, in order of submission: those that wait, and
// those that were preempted or stopped. Jobs that start or leave meanwhile are left out.
func (c *Cluster) Queue() iter.Seq[*Job] { return c.each(&c.queue, false) }

// Served returns the jobs that run, in order of their starts.
func (c *Cluster) Served() iter.Seq[*Job] { return c.each(&c.served, true) }

// list moves a job from one list of the cluster to another; nil is none. The lists are kept
// from the first time on that a policy asks for one.
func (c *Cluster) list(j *Job, from, to *Queue) {
	if c.listed {
		c.relist(j, from, to)
	}
}

// unlist removes a job that ends from the list of the cluster that it is in.
func (c *Cluster) unlist(j *Job) {
	if j.state == ending {
		c.served.Remove(j)
	} else {
		c.queue.Remove(j)
	}
}

func (c *Cluster) relist(j *Job, from, to *Queue) {
	if from != nil {
		from.Remove(j)
	}
	if to != nil {
		to.insert(to.tail, j)
	}
}

// enlist makes both lists.
func (c *Cluster) enlist() {
	c.listed = true
	var all []*Job
	for _, j := range c.kernel.jobs.all {
		if j.site == c && j.state < ended && !c.kernel.limits.passes(j) {
			all = append(all, j)
		}
	}
	slices.SortFunc(all, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(max(a.Start, a.since), max(b.Start, b.since)), cmp.Compare(a.ID, b.ID))
	})
	for _, j := range all {
		if j.state == running || j.state == ending {
			c.relist(j, nil, &c.served)
		} else {
			c.relist(j, nil, &c.queue)
		}
	}
}

// each returns the jobs that are in a list of the cluster now and when their turn comes.
func (c *Cluster) each(q *Queue, runs bool) iter.Seq[*Job] {
	return func(yield func(*Job) bool) {
		if !c.listed {
			c.enlist()
		}
		list, sorted := c.scratch, true
		c.scratch = nil // a loop in a loop has a list of its own
		for j := q.head; j != nil; j = j.links[1].next {
			sorted = sorted && (len(list) == 0 || list[len(list)-1].ID < j.ID)
			list = append(list, j)
		}
		if !runs && !sorted {
			slices.SortFunc(list, func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) })
		}
		for _, j := range list {
			if j.site == c && j.state < ending && (j.state == running) == runs && !yield(j) {
				break
			}
		}
		c.scratch = list[:0]
	}
}

// ByValue reports whether jobs pay their value whatever the policy charges. A
// policy then ignores prices and budgets.
func (c *Cluster) ByValue() bool { return c.byValue }

// Speed returns the speed of the fastest processor, over that of the reference on
// which the work of jobs is stated.
func (c *Cluster) Speed() float64 { return c.speed }

// Admit admits a job. Starting a job admits it as well.
func (c *Cluster) Admit(j *Job) {
	if j.admitted {
		if c.kernel.limits.returns(j) {
			return
		}
		panic(fmt.Sprintf("simulate: job %d admitted twice", j.ID))
	}
	j.admitted = true
	if c.kernel.spectators {
		c.kernel.notify(Event{Kind: Admitted, Site: c, Job: j})
	}
}

// Reject refuses a waiting job.
func (c *Cluster) Reject(j *Job, why Reason) { c.leave(j, Event{Kind: Rejected, Reason: why}) }

// Expire removes a waiting or preempted job without a result. A preempted job pays
// minus its floor if jobs pay their value.
func (c *Cluster) Expire(j *Job) { c.leave(j, Event{Kind: Expired}) }

func (c *Cluster) leave(j *Job, e Event) {
	if j.state == suspended && j.site == c && e.Kind == Expired {
		c.cancelTimer(j)
		c.running--
		if c.watch[Drops] != nil {
			c.tell(Drops, j)
		}
		j.Lost = j.given
		j.reveal()
		if c.byValue {
			j.Revenue = j.Forsaken()
		}
	} else {
		c.mustWait(j)
		c.stopWaiting(j)
		refused := e.Kind == Rejected && max(j.Submit, j.Eligible) == c.kernel.now && !j.admitted
		if refused && c.kernel.pass(j, c, e.Reason) {
			return
		}
	}
	j.reveal()
	e.Site = c
	e.Job = j
	c.kernel.notify(e)
	c.kernel.end(j)
}

func (c *Cluster) mustWait(j *Job) {
	if j.state != waiting || j.site != c {
		panic(fmt.Sprintf("simulate: job %d does not wait here", j.ID))
	}
}

// stopWaiting cancels the timer and the expiry of a job that no longer waits.
func (c *Cluster) stopWaiting(j *Job) {
	c.idle.wakes = 0
	c.cancelTimer(j)
	if j.expiring {
		j.expiring = false
		j.expiry++
		c.kernel.stale++
	}
	c.waiting--
	if c.kernel.limits != nil {
		c.kernel.limits.leave(j)
	}
	if c.watch[Leaves] != nil {
		c.tell(Leaves, j)
	}
}

// Charge books an amount for a job, negative for a penalty. Observers see it in the
// job's next transition. If jobs pay their value, it has an effect only on jobs in
// pieces.
func (c *Cluster) Charge(j *Job, amount float64) {
	if !c.byValue || j.pieces {
		j.Revenue += amount
	}
}

// Start runs a waiting job on Width dedicated processors until its work is done. It
// resumes a preempted job until its remaining work is done.
func (c *Cluster) Start(j *Job) {
	if c.sharing != nil || j.Width > c.free && !c.recorded {
		c.mustHaveRoom(j)
	}
	k := c.kernel
	left := j.length()
	resumes := j.state == suspended && j.site == c
	if resumes {
		left = j.left
		c.idle.wakes = 0
		c.cancelTimer(j)
		c.list(j, &c.queue, &c.served)
		j.state = running
	} else {
		c.begin(j)
	}
	c.free -= j.Width
	c.use[j.Class].change(k.now, float64(j.Width))
	j.since = k.now
	j.finish = k.now + left
	k.events.push(early(j.finish), completion, j.slot, j.stint)
	if resumes {
		k.notify(Event{Kind: Resumed, Site: c, Job: j})
	} else {
		k.observer.Start(c, j, k.now)
	}
}

// mustHaveRoom panics with the reason why a job cannot start on dedicated processors.
func (c *Cluster) mustHaveRoom(j *Job) {
	if c.sharing != nil {
		panic("simulate: Start on a shared cluster: use StartOn")
	}
	panic(fmt.Sprintf("simulate: start without free processors: job %d is %d wide, %d of %d are free",
		j.ID, j.Width, c.free, c.processors))
}

// Suspend preempts a job started with Start, which keeps its work so far. Start resumes
// it for the time that was left plus cost seconds, in which its processors save and load
// its state. Job.Start stays the time of the first start.
func (c *Cluster) Suspend(j *Job, cost float64) { c.preempt(j, cost, false) }

// Requeue is Suspend for a job whose work so far is lost: Start runs it from its
// beginning.
func (c *Cluster) Requeue(j *Job, cost float64) { c.preempt(j, cost, true) }

func (c *Cluster) preempt(j *Job, cost float64, restart bool) {
	k := c.kernel
	if c.sharing != nil || j.state != running || j.site != c || !(cost >= 0) {
		panic(fmt.Sprintf("simulate: job %d preempted at a cost of %g s does not run here on processors of its "+
			"own, or the cost is negative", j.ID, cost))
	}
	j.left = j.rest(k.now) + cost
	j.given += k.now - j.since
	j.Lost += cost
	if restart {
		j.left, j.Lost = j.length()+cost, j.given+cost
	}
	j.state = suspended
	c.list(j, &c.served, &c.queue)
	j.Preemptions++
	j.stint++
	k.stale++
	k.revoked++
	c.vacate(j)
	k.notify(Event{Kind: Preempted, Site: c, Job: j})
}

// begin turns a waiting job into a running one.
func (c *Cluster) begin(j *Job) {
	c.mustWait(j)
	c.stopWaiting(j)
	c.kernel.current = j.ID
	if !j.admitted {
		c.Admit(j)
	}
	j.state = running
	c.list(j, &c.queue, &c.served)
	if c.kernel.limits != nil {
		c.kernel.limits.start(j)
	}
	j.Start = c.kernel.now
	c.running++
	if c.watch[Starts] != nil {
		c.tell(Starts, j)
	}
}

// vacate frees the processors of a job started with Start.
func (c *Cluster) vacate(j *Job) {
	c.free += j.Width
	c.use[j.Class].change(c.kernel.now, -float64(j.Width))
}

// change adds to the processors that serve the class.
func (u *use) change(now, by float64) {
	u.area += u.level * (now - u.since)
	u.since = now
	u.level += by
}

// expectClass makes accounts up to that of a class.
func (c *Cluster) expectClass(class int) {
	if n := class + 1 - len(c.use); n > 0 {
		c.use = append(c.use, make([]use, n)...)
	}
}

// Classes returns a number of classes: those from it on have had no jobs here.
func (c *Cluster) Classes() int { return len(c.use) }

// Delivered returns the processor-seconds of work that jobs of a class have
// been given up to now.
func (c *Cluster) Delivered(class int) float64 {
	sum := 0.0
	if class < len(c.use) {
		u := c.use[class]
		sum = u.area + u.level*(c.kernel.now-u.since)
	}
	for _, n := range c.nodes {
		if n != nil {
			sum += n.delivering(class, c.kernel.now)
		}
	}
	return sum
}

// Timer arranges for Timed.Timer to be called for j at the given time, now or
// later. A job has one timer: a new one replaces it, +Inf clears it, and so
// does the job's start or departure.
func (c *Cluster) Timer(j *Job, at float64) {
	if c.timed == nil {
		panic("simulate: the policy has no Timer method")
	}
	c.cancelTimer(j)
	if math.IsInf(at, 1) {
		return
	}
	j.timed = true
	c.kernel.events.push(math.Max(at, c.kernel.now), wake, j.slot, j.timer)
}

// cancelTimer makes the pending timer stale, if there is one.
func (c *Cluster) cancelTimer(j *Job) {
	if j.timed {
		j.timed = false
		j.timer++
		c.kernel.stale++
	}
}

// WakeAt arranges for a decision at the given time, now or later, even if
// nothing happens then. A cluster has one wake: a new one replaces it, +Inf
// clears it. A time before now ends the run with an error.
func (c *Cluster) WakeAt(at float64) {
	if c.waking {
		c.waking = false
		c.wakes++
		c.kernel.stale++
	}
	switch {
	case math.IsInf(at, 1):
		return
	case !(at >= c.kernel.now):
		c.Fail(fmt.Errorf("wake at %.15g s, which is before now, %.15g s", at, c.kernel.now))
		return
	}
	c.waking = true
	c.kernel.events.push(at, wake, ^c.index, c.wakes)
}
