package policy

import (
	"math"

	"revopt/simulate"
)

// easy is EASY backfilling on dedicated processors, for any order of the queue.
//
// Jobs start from the head of the queue while they fit. The head that does not
// fit holds a reservation at the shadow time, the earliest time at which enough
// processors are expected to be free. A later job, in order, starts if it fits
// now and either ends by the shadow time, by its estimate, or needs no more
// than the extra processors, those the head leaves over at the shadow time.
//
// The reservation is recomputed at every decision, so that a better job that
// arrives takes it over, and an early end moves it up. Processors of every job
// expected to end by the shadow time count as extra; a job past its estimate is
// expected to end now. Decisions are taken when jobs arrive, end or lapse: that
// an estimate runs out is no occasion for one.
//
// With lapsing, a job that still waits at its deadline leaves the queue at once
// as rejected, for Lapsed; it could only end late. A job that starts before its
// deadline runs to its end, late or not.
type easy struct {
	Terms
	order   order
	lapsing bool

	profile profile // of the running jobs
	queue   waiting
	fresh   []*simulate.Job // came since the last decision; used with lapsing
	lowest  int             // no fresh job is before this place
	failed  bounds          // what the jobs that are not fresh did not fit into
}

// bounds are what a job must fit into to start before the head.
type bounds struct {
	free   int     // processors, now
	extra  int     // processors, at the shadow time
	shadow float64 // time
}

// within reports whether no job fits into b, now or later, that did not fit
// into c before.
func (b bounds) within(c bounds) bool {
	return b.free <= c.free && b.extra <= c.extra && b.shadow <= c.shadow
}

// Arrive implements simulate.Policy. A job that may lapse is taken on only when
// it starts.
func (b *easy) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, ok := b.take(c, j)
	if !ok {
		return
	}
	if b.lapsing {
		b.fresh = append(b.fresh, j)
	} else {
		c.Admit(j)
	}
	place := b.queue.insert(b.entry(j, estimate))
	b.lowest = min(b.lowest, place)
}

// entry returns the entry of a job in the queue.
func (b *easy) entry(j *simulate.Job, estimate float64) entry {
	e := entry{estimate: estimate, width: j.Width, job: j}
	switch b.order {
	case byEstimate:
		e.key = estimate
	case byDeadline:
		e.key = due(j)
	}
	return e
}

// due returns the time of a job's deadline, +Inf if it has none.
func due(j *simulate.Job) float64 {
	if d := j.Spec.Constraints.Deadline; d > 0 {
		return j.Submit + d
	}
	return math.Inf(1)
}

// Finish implements simulate.Finisher.
func (b *easy) Finish(c *simulate.Cluster, j *simulate.Job) {
	b.profile.release(c.Now(), j.Start+b.estimate(j), j.Width)
}

// Timer implements simulate.Timed: the deadline of a waiting job has come.
func (b *easy) Timer(c *simulate.Cluster, j *simulate.Job) {
	place := b.queue.find(b.entry(j, b.estimate(j)))
	b.queue.remove(place, 1)
	b.lowest = min(b.lowest, place)
	c.Reject(j, simulate.Lapsed)
}

// Schedule implements simulate.Policy.
func (b *easy) Schedule(c *simulate.Cluster) {
	b.profile.advance(c.Now(), c.Processors())
	b.serve(c)
	now := bounds{c.Free(), math.MaxInt, math.Inf(1)} // the head fails for free alone
	if len(b.queue.entries) > 1 {
		now = b.reservation(c)
		if !now.within(b.failed) {
			b.lowest = 0
		}
		b.fill(c, &now)
	}
	b.failed, b.lowest = now, len(b.queue.entries)
	for _, j := range b.fresh {
		if j.Waiting() {
			c.Timer(j, due(j))
		}
	}
	b.fresh = b.fresh[:0]
}

// serve starts jobs from the head of the queue while they fit.
func (b *easy) serve(c *simulate.Cluster) {
	n := 0
	for n < len(b.queue.entries) && b.queue.entries[n].width <= c.Free() {
		b.start(c, &b.queue.entries[n])
		n++
	}
	if n > 0 {
		b.queue.remove(0, n)
		b.lowest = max(b.lowest-n, 0)
	}
}

// start runs a job and reserves its processors until its estimated end.
func (b *easy) start(c *simulate.Cluster, e *entry) {
	b.profile.reserve(c.Now(), c.Now()+e.estimate, e.width)
	b.Terms.start(c, e.job)
}

// reservation returns what a job must fit into not to delay the head.
func (b *easy) reservation(c *simulate.Cluster) bounds {
	head := b.queue.entries[0].width
	shadow, free := b.profile.first(head)
	return bounds{c.Free(), free - head, shadow}
}

// fill starts the jobs behind the head, from the lowest fresh one on, that fit
// when their turn comes, and leaves in b what the others did not fit into.
func (b *easy) fill(c *simulate.Cluster, left *bounds) {
	q := b.queue.entries
	now, latest := c.Now(), left.shadow+hair*left.shadow
	first := max(b.lowest, 1)
	kept := first // where the next entry that stays goes
	for i := first; i < len(q); i++ {
		if left.free == 0 {
			kept += copy(q[kept:], q[i:])
			break
		}
		e := &q[i]
		ends := now+e.estimate <= latest
		if e.width > left.free || !ends && e.width > left.extra {
			if kept < i {
				q[kept] = *e
			}
			kept++
			continue
		}
		if !ends {
			left.extra -= e.width
		}
		left.free -= e.width
		b.start(c, e)
	}
	b.queue.truncate(kept)
}
