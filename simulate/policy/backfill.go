package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// Backfill is EASY backfilling on dedicated processors, for any order of the
// queue: Lifka (1995), and Mu'alem and Feitelson (2001). The zero value is plain
// EASY in order of arrival. A policy with another order is a Backfill with a Key
// of its own. Use one per run.
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
// With Lapse it is FCFS-BF, SJF-BF (Key: ByEstimate) and EDF-BF (Key:
// ByDeadline) of Yeo and Buyya (2007), section VII.
type Backfill struct {
	Terms

	// Key returns the place of a job in the queue, which it keeps: the least
	// comes first, and of equals the one that came first. Nil is the order of
	// arrival. The estimate is the runtime that the policy plans with, s.
	Key func(j *simulate.Job, estimate float64) float64

	// Lapse removes a job that still waits at its deadline from the queue at
	// once, as rejected, for Lapsed; it could only end late. A job that starts
	// before its deadline runs to its end, late or not. A job that may lapse is
	// admitted only when it starts.
	Lapse bool

	profile profile // of the running jobs
	queue   waiting
	fresh   []*simulate.Job // came since the last decision; used with Lapse
	lowest  int             // no fresh job is before this place
	failed  bounds          // what the jobs that are not fresh did not fit into
}

// ByEstimate is the key of shortest job first.
func ByEstimate(_ *simulate.Job, estimate float64) float64 { return estimate }

// ByDeadline is the key of earliest deadline first. Jobs without a deadline come
// last.
func ByDeadline(j *simulate.Job, _ float64) float64 { return j.Deadline() }

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

// Arrive implements simulate.Policy.
func (b *Backfill) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, ok := b.take(c, j)
	if !ok {
		return
	}
	if b.Lapse {
		b.fresh = append(b.fresh, j)
	} else {
		c.Admit(j)
	}
	place := b.queue.insert(b.entry(j, estimate))
	b.lowest = min(b.lowest, place)
}

// entry returns the entry of a job in the queue.
func (b *Backfill) entry(j *simulate.Job, estimate float64) entry {
	e := entry{estimate: estimate, width: j.Width, job: j}
	if b.Key != nil {
		e.key = b.Key(j, estimate)
	}
	return e
}

// Finish implements simulate.Finisher.
func (b *Backfill) Finish(c *simulate.Cluster, j *simulate.Job) {
	b.profile.release(c.Now(), j.Start+b.estimate(j), j.Width)
}

// Timer implements simulate.Timed: the deadline of a waiting job has come.
func (b *Backfill) Timer(c *simulate.Cluster, j *simulate.Job) {
	b.Leave(c, j)
	c.Reject(j, simulate.Lapsed)
}

// Leave implements simulate.Leaver.
func (b *Backfill) Leave(_ *simulate.Cluster, j *simulate.Job) {
	place := b.queue.place(b.entry(j, b.estimate(j)))
	if place == len(b.queue) || b.queue[place].job != j {
		// The key has changed since: look for the job itself.
		place = slices.IndexFunc(b.queue, func(e entry) bool { return e.job == j })
	}
	b.queue = slices.Delete(b.queue, place, place+1)
	b.lowest = min(b.lowest, place)
}

// Schedule implements simulate.Policy.
func (b *Backfill) Schedule(c *simulate.Cluster) {
	b.profile.advance(c.Now(), c.Processors())
	b.serve(c)
	now := bounds{c.Free(), math.MaxInt, math.Inf(1)} // the head fails for free alone
	if len(b.queue) > 1 {
		now = b.reservation(c)
		if !now.within(b.failed) {
			b.lowest = 0
		}
		b.fill(c, &now)
	}
	b.failed, b.lowest = now, len(b.queue)
	for _, j := range b.fresh {
		if j.Waiting() {
			c.Timer(j, j.Deadline())
		}
	}
	b.fresh = b.fresh[:0]
}

// serve starts jobs from the head of the queue while they fit.
func (b *Backfill) serve(c *simulate.Cluster) {
	n := 0
	for n < len(b.queue) && b.queue[n].width <= c.Free() {
		b.start(c, &b.queue[n])
		n++
	}
	if n > 0 {
		b.queue = slices.Delete(b.queue, 0, n)
		b.lowest = max(b.lowest-n, 0)
	}
}

// start runs a job and reserves its processors until its estimated end.
func (b *Backfill) start(c *simulate.Cluster, e *entry) {
	b.profile.reserve(c.Now(), c.Now()+e.estimate, e.width)
	b.Terms.start(c, e.job)
}

// reservation returns what a job must fit into not to delay the head.
func (b *Backfill) reservation(c *simulate.Cluster) bounds {
	head := b.queue[0].width
	shadow, free := b.profile.first(head)
	return bounds{c.Free(), free - head, shadow}
}

// fill starts the jobs behind the head, from the lowest fresh one on, that fit
// when their turn comes, and leaves in b what the others did not fit into.
func (b *Backfill) fill(c *simulate.Cluster, left *bounds) {
	q := b.queue
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
	clear(q[kept:])
	b.queue = q[:kept]
}

// waiting is a queue of jobs in an order, and of equals by arrival. It is one
// array of what a scan needs to know, so that a scan touches no job.
type waiting []entry

// entry is a job that waits.
type entry struct {
	key      float64 // who is first
	estimate float64 // s
	width    int
	job      *simulate.Job
}

// less orders entries.
func (e entry) less(f entry) bool {
	if e.key != f.key {
		return e.key < f.key
	}
	return e.job.ID < f.job.ID
}

// place returns the place of an entry, or where it would be.
func (w waiting) place(e entry) int {
	low, high := 0, len(w)
	for low < high {
		middle := int(uint(low+high) / 2)
		if w[middle].less(e) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// insert queues an entry and returns its place.
func (w *waiting) insert(e entry) int {
	i := len(*w)
	if i > 0 && !(*w)[i-1].less(e) {
		i = w.place(e)
	}
	*w = slices.Insert(*w, i, e)
	return i
}
