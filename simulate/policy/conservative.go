package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// conservative gives every job a reservation when it arrives.
type conservative struct {
	Terms
	limit    *Limit
	forecast forecaster // used with Predict
	depth    int
	profile  Profile // of the running and the waiting jobs
	running  Profile // of the running jobs alone
	fresh    []entry // jobs since the last decision, without a reservation
	front    []entry // the first jobs, at most depth, by arrival
	rest     waiting // the later jobs, by arrival
	next     float64 // the earliest reservation
	wake     float64 // the decision asked for
	anew     []entry // replanned at this decision
	raised   stretch // the times freed since the front was compressed
	loose    bool    // processors became free earlier than expected
	down     Outages
	coming   []simulate.Outage // the known ones while one is not over; used with Predict
	wary     bool              // a prediction was in doubt while a job waits: starts need not coincide with events
}

// depth is the number of waiting jobs, the first by arrival, whose reservations are
// compressed and replanned. It bounds the time of a decision, so that the time of a run
// is linear in the number of jobs; with whole queues it is quadratic or worse. Queues of
// at most this length are treated as in the literature.
const depth = 512

// NewConservative returns conservative backfilling.
//
// In a queue of more than 512 jobs the schedule of the first 512 is compressed. A later job moves only if it can start
// at once beside all reservations, including its own. A job past its estimate is expected to end now. If it prevents
// the start of a reserved job, the next decision makes all reservations anew in order of arrival; in a longer queue,
// those of the first 512 and of jobs that should have started, as if the later jobs held none.
//
// With a limit on waiting, reservations are made anew whenever a job becomes overdue, or processors become free while
// one is. A job whose limit reaches into an outage to come is planned with the limit, not the prediction, from then on.
// Decisions are taken when jobs arrive or end, and when the next reservation begins in a longer queue or after such a job
// was planned. A decision examines at most 512 jobs one by one, and searches trees for the others.
//
// # Policy conservative
//
// Mu'alem and Feitelson (2001). Every job is given, on arrival, the earliest reservation that disturbs no other, and
// starts when that comes.
//
// When a job ends before its estimate the schedule is compressed: in order of arrival, every waiting job moves to the
// earliest place that the others leave, repeatedly until none moves. In a queue of more than 512 jobs this applies to
// the first 512. No reservation is put off while estimates hold or jobs are killed at them; if a job past its estimate
// prevents a start, reservations are made anew.
func NewConservative(t Terms) simulate.Finisher { return newConservative(t, nil) }

func newConservative(t Terms, limit *Limit) simulate.Finisher {
	p := &conservative{Terms: t, limit: limit, depth: depth, next: math.Inf(1), wake: math.Inf(1), raised: never()}
	p.rest.strict = true
	return p
}

// Arrive implements simulate.Policy.
func (p *conservative) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if estimate, ok := p.Take(c, j); ok {
		c.Admit(j)
		p.enter(j, estimate)
	}
}

// enter lets a job wait for a reservation.
func (p *conservative) enter(j *simulate.Job, estimate float64) {
	estimate = p.forecast.predict(j, estimate)
	p.fresh = append(p.fresh, entry{key: float64(j.ID), estimate: estimate, width: int32(j.Width), job: j})
	if p.limit != nil {
		p.limit.Watch(j)
	}
}

// Leave implements simulate.Leaver.
func (p *conservative) Leave(_ *simulate.Cluster, j *simulate.Job) {
	is := func(e entry) bool { return e.job == j }
	if i := slices.IndexFunc(p.fresh, is); i >= 0 {
		p.fresh = slices.Delete(p.fresh, i, i+1)
		return
	}
	if i := slices.IndexFunc(p.front, is); i >= 0 {
		p.free(&p.front[i])
		p.front = slices.Delete(p.front, i, i+1)
	} else {
		e, _ := p.rest.remove(mark{float64(j.ID), j.ID})
		p.free(&e)
	}
	p.next = p.soonest()
}

// Finish implements simulate.Finisher.
func (p *conservative) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.vacate(c, j, false)
}

// Stop implements simulate.Stopper.
func (p *conservative) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	p.vacate(c, j, true)
	if again {
		p.enter(j, p.RunTime(j))
	}
}

// vacate releases the processors of a job that ends, or is stopped, until its expected end.
func (p *conservative) vacate(c *simulate.Cluster, j *simulate.Job, stopped bool) {
	now, end := c.Now(), p.forecast.finish(p.Terms, j, stopped)
	p.advance(c)
	p.profile.Release(now, end, j.Width)
	p.running.Release(now, end, j.Width)
	if Before(now, end) {
		p.raised, p.loose = p.raised.with(stretch{now, end}), true
	}
}

// Estimate implements simulate.Estimator. Jobs of this instant have no reservations yet.
func (p *conservative) Estimate(c *simulate.Cluster, j *simulate.Job, _ float64) float64 {
	p.advance(c)
	at := p.profile.Earliest(j.Width, p.RunTime(j))
	for i := range p.fresh {
		at += p.fresh[i].estimate * float64(p.fresh[i].width) / float64(c.Processors())
	}
	return at
}

// Schedule implements simulate.Policy.
func (p *conservative) Schedule(c *simulate.Cluster) {
	now := c.Now()
	p.advance(c)
	known := len(p.front)
	for len(p.front) < p.depth && p.rest.length > 0 {
		n := p.rest.head()
		p.front = append(p.front, n.leaf[0])
		p.rest.cut(n, 0, 1)
	}
	down := p.down.Note(c, &p.profile, &p.running)
	p.coming = nil
	if p.Predict && c.Ahead() {
		p.coming = c.Outages()
	}
	p.wary = p.wary && known+p.rest.length > 0
	raised := p.forecast.correct(now, &p.profile, &p.running)
	late := p.limit != nil && p.overdue(c)
	switch {
	case down, raised, late, Before(p.next, now), p.unsure(now):
		p.replan(now)
	case p.loose:
		p.compress(known)
		for p.pull(now) {
			p.compress(len(p.front))
		}
	}
	p.raised = never()
	p.plan(c)
	if !Before(now, p.next) {
		p.serve(c)
	}
	wake := math.Inf(1)
	if (p.rest.length > 0 || p.wary) && Before(now, p.next) {
		wake = p.next
	}
	if p.limit != nil {
		wake = min(wake, p.limit.Next(c))
	}
	if wake != p.wake {
		c.WakeAt(wake)
		p.wake = wake
	}
}

// overdue reports whether a job has become overdue, or processors have become free while one is: then
// the reservations are made anew in order of arrival, so that none is before that of an earlier job
// because it was there first.
func (p *conservative) overdue(c *simulate.Cluster) bool {
	fresh := false
	for p.limit.Pop(c) != nil {
		fresh = true
	}
	first := len(p.front) > 0 && !Before(c.Now(), p.front[0].job.Submit+p.limit.After)
	return fresh || first && p.raised.from < math.Inf(1)
}

func (p *conservative) advance(c *simulate.Cluster) {
	p.profile.Advance(c.Now(), c.Processors())
	p.running.Advance(c.Now(), c.Processors())
}

// hold makes a reservation for a job.
func (p *conservative) hold(e *entry, start float64) {
	p.next = min(p.next, start)
	p.profile.hold(e, start)
}

// free gives back the reservation of a job that leaves.
func (p *conservative) free(e *entry) {
	p.profile.give(e)
	p.raised, p.loose = p.raised.with(stretch{e.start, e.start + e.estimate}), true
}

func (p *conservative) soonest() float64 {
	next := p.rest.soonest()
	for i := range p.front {
		if start := p.front[i].start; start < next {
			next = start
		}
	}
	return next
}

// compress moves reservations of the front up. Afterwards each begins at the expected
// end of another job, so that every start coincides with an event. The known jobs can
// move only to places that touch the times freed since the last compression.
func (p *conservative) compress(known int) {
	for last := p.raised; known < len(p.front) || p.raised.from < math.Inf(1); known = len(p.front) {
		p.raised = never()
		for i := range p.front {
			e := &p.front[i]
			where := last.with(p.raised)
			if i >= known {
				where = stretch{p.profile.now, math.Inf(1)}
			} else if !Before(where.from, e.start) {
				continue
			}
			if start := p.profile.soonerIn(where, int(e.width), e.estimate, e.start); Before(start, e.start) && !p.doubts(e, start) {
				p.move(e, start)
			}
		}
		last = p.raised
	}
}

// move moves a reservation up.
func (p *conservative) move(e *entry, start float64) {
	p.raised = p.raised.with(stretch{max(e.start, start+e.estimate), e.start + e.estimate})
	p.profile.give(e)
	p.hold(e, start)
}

// pull moves the reservations of jobs behind the front that can start now, in
// order of arrival, and reports whether there were any.
func (p *conservative) pull(now float64) (moved bool) {
	if p.rest.length == 0 {
		return false
	}
	p.profile.each(&p.rest, first(), func(e *entry) (leaves bool) {
		if Before(now, e.start) && !p.doubts(e, now) {
			p.move(e, now)
			moved = true
		}
		return false
	})
	return moved
}

// replan makes the reservations of the front, and of jobs that should have started, anew,
// as if the other jobs held none.
func (p *conservative) replan(now float64) {
	p.anew = p.anew[:0]
	for i := range p.front {
		p.renew(&p.front[i])
	}
	p.due(now, func(e *entry) bool {
		p.renew(e)
		return true
	})
	for i := range p.anew {
		p.running.give(&p.anew[i])
	}
	p.loose, p.next = true, p.soonest()
}

// unsure reports whether the prediction of a job that is to start now is in doubt, as the outage was not known before.
func (p *conservative) unsure(now float64) bool {
	return len(p.coming) > 0 && !Before(now, p.next) &&
		slices.ContainsFunc(p.front, func(e entry) bool { return !Before(now, e.start) && p.doubts(&e, now) })
}

// renew plans a job beside the running jobs and those planned before it.
func (p *conservative) renew(e *entry) {
	held := *e
	start := p.earliest(&p.running, e)
	p.running.Reserve(start, start+e.estimate, int(e.width))
	if start != held.start || e.estimate != held.estimate {
		p.profile.give(&held)
		p.hold(e, start)
	}
	p.anew = append(p.anew, *e)
}

// earliest returns the earliest start of a job in a profile. The job is planned with its limit if the prediction is in
// doubt then.
func (p *conservative) earliest(in *Profile, e *entry) float64 {
	start := in.Earliest(int(e.width), e.estimate)
	if p.doubts(e, start) {
		e.estimate = p.RunTime(e.job)
		start = in.Earliest(int(e.width), e.estimate)
	}
	return start
}

// doubts reports whether a job that is planned with a prediction would reach into an outage to come by its limit.
func (p *conservative) doubts(e *entry, start float64) bool {
	if len(p.coming) == 0 {
		return false
	}
	limit := p.RunTime(e.job)
	doubted := e.estimate != limit && slices.ContainsFunc(p.coming, func(o simulate.Outage) bool {
		return Before(start, o.From) && Before(o.From, start+limit)
	})
	p.wary = p.wary || doubted
	return doubted
}

// due calls a function for every job behind the front whose time has come, in
// order of arrival, and removes those for which it returns false.
func (p *conservative) due(now float64, keep func(*entry) bool) {
	if p.rest.length == 0 {
		return
	}
	p.rest.latest = append(p.rest.latest[:0], now+(now+hair*now))
	for at := first(); ; {
		n, i := p.rest.seek(at, now)
		if n == nil {
			break
		}
		at = n.leaf[len(n.leaf)-1].mark()
		kept := i
		for ; i < len(n.leaf); i++ {
			if e := &n.leaf[i]; Before(now, e.start) || keep(e) {
				n.leaf[kept] = *e
				kept++
			}
		}
		p.rest.cut(n, kept, i)
	}
}

// plan gives a reservation to the jobs that have none.
func (p *conservative) plan(c *simulate.Cluster) {
	for i := range p.fresh {
		e := &p.fresh[i]
		p.hold(e, p.earliest(&p.profile, e))
		at := len(p.front)
		for at > 0 && e.key < p.front[at-1].key { // it has moved here
			at--
		}
		if at == len(p.front) && (at == p.depth || p.rest.length > 0) {
			p.rest.insert(*e, c.Processors())
			continue
		}
		p.front = slices.Insert(p.front, at, *e)
		if len(p.front) > p.depth {
			p.rest.insert(p.front[p.depth], c.Processors())
			p.front = p.front[:p.depth]
		}
	}
	clear(p.fresh)
	p.fresh = p.fresh[:0]
}

// serve starts the jobs whose time has come, unless a job past its estimate is
// still on their processors.
func (p *conservative) serve(c *simulate.Cluster) {
	now := c.Now()
	latest := now + hair*now // of a start that has come
	next := math.Inf(1)
	kept, from := 0, 0 // jobs from here on are kept, but not yet moved
	for i := range p.front {
		switch e := &p.front[i]; {
		case e.start <= latest && p.starts(c, e):
			kept += copy(p.front[kept:], p.front[from:i])
			from = i + 1
		case e.start < next:
			next = e.start
		}
	}
	kept += copy(p.front[kept:], p.front[from:])
	clear(p.front[kept:])
	p.front = p.front[:kept]
	p.due(now, func(e *entry) bool { return !p.starts(c, e) })
	p.next = min(next, p.rest.soonest())
}

// starts starts a job whose time has come if it can.
func (p *conservative) starts(c *simulate.Cluster, e *entry) bool {
	now := c.Now()
	if int(e.width) > c.Free() || c.Ahead() && (p.doubts(e, now) || !p.running.Room(int(e.width), e.estimate)) {
		return false
	}
	if e.start != now { // by a hair
		p.profile.give(e)
		p.hold(e, now)
	}
	p.running.Reserve(now, now+e.estimate, int(e.width))
	p.forecast.start(p.Terms, e.job, now, e.estimate)
	p.Start(c, e.job)
	return true
}
