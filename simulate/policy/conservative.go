package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// conservative gives every job a reservation when it arrives.
type conservative struct {
	Terms
	profile profile // of the running and the waiting jobs
	queue   []promise
	planned int     // so many of the queue hold a reservation
	next    float64 // the earliest of them
	early   bool    // a job ended before its estimate
}

// promise is a waiting job and its reservation.
type promise struct {
	job      *simulate.Job
	estimate float64 // s
	start    float64 // time, where it is planned
}

// NewConservative returns conservative backfilling: Mu'alem and Feitelson
// (2001). Every job is given, on arrival, the earliest reservation that
// disturbs no other, and starts when that comes.
//
// When a job ends before its estimate the schedule is compressed: in order of
// arrival, every waiting job moves to the earliest place it finds with all the
// others where they are, over and over until none moves. So no reservation is
// ever put off while estimates hold or jobs are killed at them.
//
// A job past its estimate is expected to end now. If a reservation cannot be
// kept because of one, no promise is safe, and at the next decision all are
// made anew in order of arrival. Decisions are taken when jobs arrive or end.
func NewConservative(t Terms) simulate.Finisher {
	return &conservative{Terms: t, next: math.Inf(1)}
}

// Arrive implements simulate.Policy.
func (p *conservative) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if estimate, ok := p.take(c, j); ok {
		c.Admit(j)
		p.queue = append(p.queue, promise{job: j, estimate: estimate})
	}
}

// Leave implements simulate.Leaver.
func (p *conservative) Leave(_ *simulate.Cluster, j *simulate.Job) {
	i := slices.IndexFunc(p.queue, func(q promise) bool { return q.job == j })
	if q := p.queue[i]; i < p.planned {
		p.profile.release(q.start, q.start+q.estimate, j.Width)
		p.planned--
		p.early = true
	}
	p.queue = slices.Delete(p.queue, i, i+1)
	p.next = math.Inf(1)
	for _, q := range p.queue[:p.planned] {
		p.next = min(p.next, q.start)
	}
}

// Finish implements simulate.Finisher.
func (p *conservative) Finish(c *simulate.Cluster, j *simulate.Job) {
	end := j.Start + p.estimate(j)
	p.profile.release(c.Now(), end, j.Width)
	p.early = p.early || before(c.Now(), end)
}

// Schedule implements simulate.Policy.
func (p *conservative) Schedule(c *simulate.Cluster) {
	p.profile.advance(c.Now(), c.Processors())
	switch {
	case before(p.next, c.Now()):
		for i := range p.queue[:p.planned] {
			q := &p.queue[i]
			p.profile.release(q.start, q.start+q.estimate, q.job.Width)
		}
		p.planned = 0
	case p.early:
		p.compress()
	}
	p.early = false
	p.plan()
	p.serve(c)
}

// compress moves reservations up. Once none moves, each begins where another
// or a running job is expected to end, so that every start comes with an event.
func (p *conservative) compress() {
	for moved := true; moved; {
		moved = false
		for i := range p.queue[:p.planned] {
			q := &p.queue[i]
			start := p.profile.sooner(q.job.Width, q.estimate, q.start)
			if !before(start, q.start) {
				continue
			}
			moved = true
			p.profile.release(q.start, q.start+q.estimate, q.job.Width)
			q.start = start
			p.profile.reserve(q.start, q.start+q.estimate, q.job.Width)
		}
	}
}

// plan gives a reservation to the jobs that have none.
func (p *conservative) plan() {
	for i := range p.queue[p.planned:] {
		q := &p.queue[p.planned+i]
		q.start = p.profile.earliest(q.job.Width, q.estimate)
		p.profile.reserve(q.start, q.start+q.estimate, q.job.Width)
	}
}

// serve starts the jobs whose time has come, unless a job past its estimate is
// still on their processors.
func (p *conservative) serve(c *simulate.Cluster) {
	now := c.Now()
	p.next = math.Inf(1)
	kept := 0
	for _, q := range p.queue {
		if before(now, q.start) || q.job.Width > c.Free() {
			p.next = min(p.next, q.start)
			p.queue[kept] = q
			kept++
			continue
		}
		if q.start != now { // by a hair
			p.profile.release(q.start, q.start+q.estimate, q.job.Width)
			p.profile.reserve(now, now+q.estimate, q.job.Width)
		}
		p.start(c, q.job)
	}
	clear(p.queue[kept:])
	p.queue = p.queue[:kept]
	p.planned = kept
}
