package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// Backfill is EASY backfilling on dedicated processors, for any order of the queue. The zero value is plain EASY in
// order of arrival. A policy with another order is a Backfill with another Key. Use one per run.
//
// Processors of every job expected to end by the shadow time count as extra. Decisions are taken when jobs arrive, end
// or lapse. The end of an estimate does not trigger a decision.
//
// # Policy easy
//
// EASY backfilling: Lifka (1995), and Mu'alem and Feitelson (2001). Jobs start in order of arrival while they fit. The
// first job that does not fit, the head, holds the only reservation, at the shadow time: the earliest time at which,
// by the estimates, enough processors are free. Processors that the head leaves over then are extra. A later job, in
// order, starts if it fits now and either ends by the shadow time, by its estimate, or needs only extra processors,
// which it then uses up. The reservation is made again at every decision; a job past its estimate is expected to end
// now.
//
// # Policies fcfs-bf, sjf-bf, edf-bf
//
// Those of Yeo and Buyya (2007), section VII: easy with another order of the queue, and with lapsing. fcfs-bf orders
// by arrival, sjf-bf by estimate, edf-bf by deadline (jobs without one last). A waiting job leaves the queue, rejected
// for lapsed: with lapse=deadline at its deadline, with lapse=latest when it can no longer be in time by its estimate.
// A job that is eligible only after that is rejected at once, one that is eligible just then may still start. Both are
// readings of section VII.B. A job counts as accepted when it starts, and then runs to its end even if it is late.
type Backfill struct {
	Terms

	// Key returns the constant key of a job in the queue: the least comes first, then the
	// earliest arrival. Nil is the order of arrival. The estimate is the runtime that the
	// policy plans with, s.
	Key func(j *simulate.Job, estimate float64) float64

	// Order, in place of Key, is a key that may change with time. It is computed again at
	// every decision with free processors, for every waiting job; of n jobs the m that may
	// start now are sorted, in time n + m log m. With Key a decision takes logarithmic time.
	Order func(j *simulate.Job, estimate, now float64) float64

	// InOrder lets no job start before the head.
	InOrder bool

	// Lapse rejects a job that still waits at its deadline, or arrives later, for Lapsed. A job that starts
	// before its deadline runs to its end, late or not. A job that may lapse is admitted
	// only when it starts.
	Lapse bool

	// Latest, with Lapse, rejects a job as soon as it can no longer meet its deadline by
	// the estimate that the policy plans with: if the decision at the deadline minus the
	// estimate does not start it, or if it arrives later.
	Latest bool

	Limit *Limit // on waiting; nil: there is none

	forecast forecaster      // used with Predict
	profile  Profile         // of the running jobs
	queue    waiting         // by arrival if the order may change with time
	list     []entry         // of one decision, with the keys of now
	fresh    []lapsing       // jobs since the last decision; used with Lapse
	last     []*simulate.Job // jobs that must start now to be in time; used with Latest
	lowest   mark            // no fresh job is before this place
	failed   bounds          // the other jobs did not fit into these
	down     Outages
	outage   float64 // the time of the next known one; used with Predict
}

// lapsing is a job and the time at which it leaves the queue.
type lapsing struct {
	job *simulate.Job
	at  float64
}

// ByEstimate is the key of shortest job first.
func ByEstimate(_ *simulate.Job, estimate float64) float64 { return estimate }

// ByDeadline is the key of earliest deadline first, by the deadline of a job that runs for the estimate. Jobs without a
// deadline come last.
func ByDeadline(j *simulate.Job, estimate float64) float64 {
	value := j.Stated(estimate)
	return value.Deadline(j.Submit)
}

// bounds are the limits for a job that starts before the head.
type bounds struct {
	free   int     // processors, now
	extra  int     // processors, at the shadow time
	shadow float64 // time
}

// within reports whether every job that fits into b, now or later, fits into c.
func (b bounds) within(c bounds) bool {
	return b.free <= c.free && b.extra <= c.extra && b.shadow <= c.shadow
}

// Arrive implements simulate.Policy.
func (b *Backfill) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, ok := b.Take(c, j)
	if !ok {
		return
	}
	estimate = b.forecast.predict(j, estimate)
	if b.Lapse {
		lapse := ByDeadline(j, estimate)
		if b.Latest {
			lapse -= estimate
		}
		if Before(lapse, c.Now()) { // it was eligible too late
			c.Reject(j, simulate.Lapsed)
			return
		}
		b.fresh = append(b.fresh, lapsing{j, lapse})
	} else {
		c.Admit(j)
	}
	b.enter(j, estimate, c.Processors())
}

// enter queues a job on a cluster with the given number of processors.
func (b *Backfill) enter(j *simulate.Job, estimate float64, processors int) {
	key := b.key(j, estimate)
	b.queue.insert(entry{key: key, estimate: estimate, width: int32(j.Width), job: j}, processors)
	if b.Limit != nil {
		b.Limit.Watch(j)
	}
	if m := (mark{key, j.ID - 1}); m.less(b.lowest) {
		b.lowest = m
	}
}

// key returns the place of a job in the queue.
func (b *Backfill) key(j *simulate.Job, estimate float64) float64 {
	if b.Key == nil || b.Order != nil {
		return float64(j.ID)
	}
	return b.Key(j, estimate)
}

// Finish implements simulate.Finisher.
func (b *Backfill) Finish(c *simulate.Cluster, j *simulate.Job) { b.vacate(c, j, false) }

// Stop implements simulate.Stopper. The job returns to its place in the queue.
func (b *Backfill) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	b.vacate(c, j, true)
	if again {
		b.enter(j, b.forecast.predict(j, b.RunTime(j)), c.Processors())
	}
}

// vacate releases the processors of a job that ends, or is stopped, until its expected end.
func (b *Backfill) vacate(c *simulate.Cluster, j *simulate.Job, stopped bool) {
	end := b.forecast.finish(b.Terms, j, stopped)
	b.profile.Advance(c.Now(), c.Processors())
	b.profile.Release(c.Now(), end, j.Width)
}

// Timer implements simulate.Timed: the deadline of a waiting job has come, or can
// no longer be kept.
func (b *Backfill) Timer(c *simulate.Cluster, j *simulate.Job) {
	if b.Latest {
		b.last = append(b.last, j)
		return
	}
	b.lapse(c, j)
}

// lapse rejects a waiting job unless it is overdue.
func (b *Backfill) lapse(c *simulate.Cluster, j *simulate.Job) {
	if b.Limit == nil || !b.Limit.has(j) {
		b.take(j)
		c.Reject(j, simulate.Lapsed)
	}
}

// Leave implements simulate.Leaver.
func (b *Backfill) Leave(_ *simulate.Cluster, j *simulate.Job) {
	if !b.Limit.leave(j) {
		b.take(j)
	}
}

// take takes a job out of the queue.
func (b *Backfill) take(j *simulate.Job) entry {
	e, ok := b.queue.remove(mark{b.key(j, b.RunTime(j)), j.ID})
	if !ok {
		m, _ := b.queue.markOf(j, b.queue.root) // its key has changed since
		e, _ = b.queue.remove(m)
	}
	return e
}

// Estimate implements simulate.Estimator. A job that would not be backfilled is expected
// when enough processors are free and the work of the queue is done.
func (b *Backfill) Estimate(c *simulate.Cluster, j *simulate.Job, queued float64) float64 {
	b.profile.Advance(c.Now(), c.Processors())
	at, _ := b.profile.first(j.Width)
	if b.queue.length > 0 {
		r := b.reservation(c, b.head(c.Now()))
		if j.Width <= r.free && (j.Width <= r.extra || !Before(r.shadow, c.Now()+b.RunTime(j))) {
			return c.Now()
		}
		at += queued
	}
	return at
}

// Schedule implements simulate.Policy.
func (b *Backfill) Schedule(c *simulate.Cluster) {
	if b.Limit != nil {
		b.Limit.due(c, b.take)
	}
	b.decide(c)
	for _, f := range b.fresh {
		switch {
		case !f.job.Waiting():
		case b.Latest && f.at <= c.Now():
			b.last = append(b.last, f.job)
		default:
			c.Timer(f.job, f.at)
		}
	}
	b.fresh = b.fresh[:0]
	left := b.queue.length
	for _, j := range b.last {
		if j.Waiting() {
			b.lapse(c, j)
		}
	}
	b.last = b.last[:0]
	if b.queue.length < left {
		b.decide(c)
	}
	if b.Limit != nil {
		b.Limit.wake(c)
	}
}

// decide starts the jobs that may start now.
func (b *Backfill) decide(c *simulate.Cluster) {
	b.profile.Advance(c.Now(), c.Processors())
	b.forecast.correct(c.Now(), &b.profile)
	b.down.Note(c, &b.profile)
	if b.Predict {
		b.outage = b.down.next(c)
	}
	late := b.Limit != nil && b.Limit.waits() && b.overdue(c)
	switch {
	case late && (b.InOrder || c.Free() <= 0):
		b.failed, b.lowest = bounds{}, last()
	case b.Order != nil:
		b.sorted(c, late || c.Ahead())
	case late || c.Ahead():
		b.around(c)
		b.failed, b.lowest = bounds{}, last()
	default:
		b.plain(c)
	}
	if late {
		b.Limit.release(&b.profile)
	}
}

// overdue starts overdue jobs, and reports whether any still waits.
func (b *Backfill) overdue(c *simulate.Cluster) bool {
	return c.Free() <= 0 || b.Limit.serve(c, &b.profile, b.InOrder,
		func(e entry) entry { return b.within(e, c.Now()) }, func(e *entry) { b.start(c, e) })
}

// plain is decide for jobs in order of their keys, in a profile of running jobs only.
func (b *Backfill) plain(c *simulate.Cluster) {
	b.serve(c)
	now := bounds{c.Free(), math.MaxInt, math.Inf(1)} // the head fails only for lack of free processors
	if b.queue.length > 1 && !b.InOrder {
		now = b.reservation(c, b.queue.head().leaf[0])
		if !now.within(b.failed) {
			b.lowest = first()
		}
		b.fill(c, &now)
	}
	b.failed, b.lowest = now, last()
}

// serve starts jobs from the head of the queue while they fit.
func (b *Backfill) serve(c *simulate.Cluster) {
	for b.queue.length > 0 {
		n := b.queue.head()
		started := 0
		for started < len(n.leaf) && int(n.leaf[started].width) <= c.Free() {
			b.start(c, &n.leaf[started])
			started++
		}
		all := started == len(n.leaf)
		if started > 0 {
			b.queue.cut(n, 0, started)
		}
		if !all {
			break
		}
	}
}

// around is serve, reservation and fill in a profile that may fall, because units will be
// down: the head holds its reservation in the profile, and a job starts if there is room for
// it until its expected end.
func (b *Backfill) around(c *simulate.Cluster) {
	for b.queue.length > 0 && c.Free() > 0 {
		n := b.queue.head()
		head := b.within(n.leaf[0], c.Now())
		if int(head.width) <= c.Free() && b.profile.Room(int(head.width), head.estimate) {
			b.queue.cut(n, 0, 1)
			b.start(c, &head)
			continue
		}
		if b.InOrder {
			break
		}
		b.profile.hold(&head, b.profile.Earliest(int(head.width), head.estimate))
		b.profile.each(&b.queue, head.mark(), func(e *entry) (leaves bool) {
			planned := b.within(*e, c.Now())
			leaves = int(e.width) <= c.Free() &&
				(planned.estimate == e.estimate || b.profile.Room(int(e.width), planned.estimate))
			if leaves {
				b.start(c, &planned)
			}
			return leaves
		})
		b.profile.give(&head)
		break
	}
}

// within returns a job as it is planned now: with its limit, not its prediction, if that reaches into an outage to come.
func (b *Backfill) within(e entry, now float64) entry {
	if b.Predict {
		if limit := b.RunTime(e.job); Before(b.outage, now+limit) {
			e.estimate = limit
		}
	}
	return e
}

// start runs a job and reserves its processors until its estimated end.
func (b *Backfill) start(c *simulate.Cluster, e *entry) {
	b.profile.Reserve(c.Now(), c.Now()+e.estimate, int(e.width))
	b.forecast.start(b.Terms, e.job, c.Now(), e.estimate)
	b.Terms.Start(c, e.job)
}

// reservation returns the bounds within which a job does not delay the head.
func (b *Backfill) reservation(c *simulate.Cluster, head entry) bounds {
	shadow, free := b.profile.first(int(head.width))
	return bounds{c.Free(), free - int(head.width), shadow}
}

// keyed returns the queue with the keys that jobs have now, by an order that may change with time.
func (b *Backfill) keyed(now float64) []entry {
	b.list = b.queue.append(b.queue.root, b.list[:0])
	for i := range b.list {
		e := &b.list[i]
		e.key = b.Order(e.job, e.estimate, now)
	}
	return b.list
}

// head returns the first job of a queue that is not empty.
func (b *Backfill) head(now float64) entry {
	if b.Order == nil {
		return b.queue.head().leaf[0]
	}
	return slices.MinFunc(b.keyed(now), byMark)
}

// sorted is decide for orders that may change with time. Drawn says that the profile may fall.
func (b *Backfill) sorted(c *simulate.Cluster, drawn bool) {
	if b.queue.length == 0 || c.Free() <= 0 {
		return
	}
	now := c.Now()
	var head entry // the first job that does not fit
	ready := b.keyed(now)[:0]
	for _, e := range b.list {
		if drawn {
			e = b.within(e, now)
		}
		if int(e.width) <= c.Free() {
			ready = append(ready, e)
		} else if head.job == nil || e.mark().less(head.mark()) {
			head = e
		}
	}
	slices.SortFunc(ready, byMark)
	for len(ready) > 0 && (head.job == nil || ready[0].mark().less(head.mark())) {
		e := ready[0]
		ready = ready[1:]
		if int(e.width) > c.Free() || drawn && !b.profile.Room(int(e.width), e.estimate) {
			head = e
			break
		}
		b.remove(c, &e)
	}
	if head.job == nil || b.InOrder || len(ready) == 0 {
		return
	}
	if !drawn {
		left := b.reservation(c, head)
		latest := left.shadow + hair*left.shadow
		for i := range ready {
			left.free = min(left.free, c.Free())
			if left.take(&ready[i], now, latest) {
				b.remove(c, &ready[i])
			}
		}
		return
	}
	b.profile.hold(&head, b.profile.Earliest(int(head.width), head.estimate))
	for i := range ready {
		if e := &ready[i]; int(e.width) <= c.Free() && b.profile.Room(int(e.width), e.estimate) {
			b.remove(c, e)
		}
	}
	b.profile.give(&head)
}

// remove starts a job and takes it out of a queue by arrival.
func (b *Backfill) remove(c *simulate.Cluster, e *entry) {
	b.queue.remove(mark{float64(e.job.ID), e.job.ID})
	b.start(c, e)
}

// byMark compares jobs by their places in a queue.
func byMark(a, b entry) int {
	if a.mark().less(b.mark()) {
		return -1
	}
	return 1
}

// take takes the processors of a job that starts now and does not delay the head. Latest
// is the shadow time with its margin.
func (b *bounds) take(e *entry, now, latest float64) bool {
	ends, width := now+e.estimate <= latest, int(e.width)
	if width > b.free || !ends && width > b.extra {
		return false
	}
	if !ends {
		b.extra -= width
	}
	b.free -= width
	return true
}

// fill starts the jobs behind the head, from the lowest fresh job on, that fit when their
// turn comes. It leaves in left the bounds into which the others did not fit.
func (b *Backfill) fill(c *simulate.Cluster, left *bounds) {
	if left.free <= 0 {
		return
	}
	now, latest := c.Now(), left.shadow+hair*left.shadow
	at := b.queue.head().leaf[0].mark()
	if at.less(b.lowest) {
		at = b.lowest
	}
	for left.free > 0 {
		if len(b.queue.root.kids) > 0 {
			b.queue.within(*left, latest)
		}
		n, i := b.queue.seek(at, now)
		if n == nil {
			break
		}
		q := n.leaf
		at = q[len(q)-1].mark()
		kept := i // the place of the next entry that stays
		for ; i < len(q) && left.free > 0; i++ {
			e := &q[i]
			left.free = min(left.free, c.Free())
			if !left.take(e, now, latest) {
				if kept < i {
					q[kept] = *e
				}
				kept++
				continue
			}
			b.start(c, e)
		}
		if kept < i {
			b.queue.cut(n, kept, i)
		} else {
			b.queue.settle(n) // the summary is stale: recompute it
		}
	}
}
