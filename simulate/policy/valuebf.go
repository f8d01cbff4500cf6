package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// ValueBF is backfilling by what a wait would cost: at every decision the queue
// is ordered anew by the value that a job loses if it does not start now, per
// processor-second that it needs. Use one per run.
//
// A job that starts at time t and runs for R seconds is worth v(t + R). If it is
// passed over, its next chance comes after a delay X that is exponential with
// mean H. Its index is
//
//	E[v(t + R)^+ - g v(t + R + X)^+] / (width E[R])
//
// over the run times R that are thought possible. With g = 0 that is the value
// density of FirstPrice, Chun and Culler (2002). With g = 1 a job that loses
// nothing by waiting has index 0 and waits. The delay H is the mean time that
// the jobs seen so far allow from submission to end, so that a workload brings
// its own clock.
//
// The jobs are gone through in order of the index, and of equals by arrival. A
// job that fits starts. One that does not fit is given a reservation at the
// earliest time at which enough processors are expected to be free, for as many
// jobs as Reservations says, and no later job starts that would run into one. A
// job that would be worth nothing leaves the queue, for Lapsed; it was not
// admitted, so that it costs nothing. Jobs that pay nothing from the start come
// last, and stay.
type ValueBF struct {
	Terms
	Predict      bool    // learn from the jobs that have ended how long others run; else the estimates are believed
	Future       float64 // g, from 0 to 1
	Reservations int     // how many jobs may hold one at a time

	profile   profile
	predictor predictor
	queue     []candidacy
	order     []int32       // of those not yet looked at, a heap
	planned   []reservation // those of this decision
	allowed   float64       // s, summed over the jobs seen
	seen      float64
}

// leastRun is the shortest run time, s, by which a value is divided.
const leastRun = 1e-3

// valueOptions are the options of ValueBF.
func valueOptions() []Option {
	return []Option{
		{Name: "estimates", Values: []string{"predicted", "user", "exact"}},
		termOptions()[1], NumberOption("future", "0.98"), NumberOption("reservations", "8"),
	}
}

// value reads them.
func (s Settings) value() *ValueBF {
	return &ValueBF{
		Terms: s.terms(), Predict: s["estimates"] == "predicted",
		Future: min(s.Number("future"), 1), Reservations: int(min(s.Number("reservations"), math.MaxInt32)),
	}
}

// candidacy is a job that waits.
type candidacy struct {
	index    float64
	job      *simulate.Job
	estimate float64 // s, to plan with
	mean     float64 // s, of the outcomes
	outcomes outcomes
}

// Arrive implements simulate.Policy.
func (p *ValueBF) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, ok := p.take(c, j)
	if !ok {
		return
	}
	q := candidacy{job: j, estimate: estimate}
	if p.Predict && !p.Exact && j.Spec.Details.Estimate > 0 {
		q.outcomes = p.predictor.of(j, estimate)
	} else {
		q.outcomes.add(estimate)
	}
	q.mean = max(q.outcomes.mean(), leastRun)
	p.queue = append(p.queue, q)
	if due := j.Value.Due; due < math.Inf(1) {
		p.allowed += due
		p.seen++
	}
}

// Leave implements simulate.Leaver.
func (p *ValueBF) Leave(_ *simulate.Cluster, j *simulate.Job) {
	i := slices.IndexFunc(p.queue, func(q candidacy) bool { return q.job == j })
	p.queue = slices.Delete(p.queue, i, i+1)
}

// Finish implements simulate.Finisher.
func (p *ValueBF) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.profile.release(c.Now(), j.Start+p.estimate(j), j.Width)
	p.predictor.learn(j)
}

// Schedule implements simulate.Policy.
func (p *ValueBF) Schedule(c *simulate.Cluster) {
	p.profile.advance(c.Now(), c.Processors())
	p.appraise(c)
	for len(p.order) > 0 && c.Free() > 0 {
		q := &p.queue[p.pop()]
		if fits := q.job.Width <= c.Free(); fits || len(p.planned) < p.Reservations {
			p.place(c, q, fits)
		}
	}
	for _, r := range p.planned {
		p.profile.release(r.start, r.start+r.estimate, r.job.Width)
	}
	p.planned = p.planned[:0]
	p.queue = slices.DeleteFunc(p.queue, func(q candidacy) bool { return q.job == nil })
}

// place starts a job or gives it a reservation.
func (p *ValueBF) place(c *simulate.Cluster, q *candidacy, fits bool) {
	start := p.profile.earliest(q.job.Width, q.estimate)
	if fits && !before(c.Now(), start) {
		p.profile.reserve(c.Now(), c.Now()+q.estimate, q.job.Width)
		p.start(c, q.job)
		q.job = nil
		return
	}
	if len(p.planned) < p.Reservations {
		p.profile.reserve(start, start+q.estimate, q.job.Width)
		p.planned = append(p.planned, reservation{q.job, q.estimate, start})
	}
}

// appraise computes the index of every job, drops those that are worth nothing
// any more, and makes the heap of the others.
func (p *ValueBF) appraise(c *simulate.Cluster) {
	p.queue = slices.DeleteFunc(p.queue, func(q candidacy) bool {
		if p.worthless(&q, c.Now()) {
			c.Reject(q.job, simulate.Lapsed)
			return true
		}
		return false
	})
	p.order = p.order[:0]
	if c.Free() == 0 {
		return
	}
	horizon := p.allowed / p.seen
	for i := range p.queue {
		q := &p.queue[i]
		q.index = p.index(q, c.Now(), horizon)
		p.order = append(p.order, int32(i))
	}
	for i := len(p.order)/2 - 1; i >= 0; i-- {
		p.sink(i)
	}
}

// worthless reports whether a job that once was worth something is not any more,
// whichever its run time.
func (p *ValueBF) worthless(q *candidacy, now float64) bool {
	if q.job.Value.Price <= 0 {
		return false
	}
	for _, run := range q.outcomes.at[:q.outcomes.n] {
		if q.job.Worth(now+run) > 0 {
			return false
		}
	}
	return true
}

// index returns the index of a job, with delays of the given mean.
func (p *ValueBF) index(q *candidacy, now, horizon float64) float64 {
	var sum float64
	for _, run := range q.outcomes.at[:q.outcomes.n] {
		if worth := q.job.Worth(now + run); worth > 0 {
			sum += worth - p.Future*(worth-waitLoss(q.job, now+run, worth, horizon))
		}
	}
	return sum / (float64(q.outcomes.n) * float64(q.job.Width) * q.mean)
}

// waitLoss returns what a job that would be worth something at the given end is
// expected to lose by a delay X that is exponential with mean h,
//
//	E[v(end) - v(end + X)^+]
//
// With s the time from the end to the deadline, 0 if that is past, and z the
// time until nothing is left, it is v e^(-s/h) for a hard job and
// decay h (e^(-s/h) - e^(-z/h)) for a soft one.
func waitLoss(j *simulate.Job, end, worth, h float64) float64 {
	if !(h > 0) {
		return 0
	}
	v := &j.Value
	s := math.Max(j.Submit+v.Due-end, 0)
	switch {
	case v.Hard:
		return worth * math.Exp(-s/h)
	case v.Decay == 0:
		return 0
	}
	return v.Decay * h * (math.Exp(-s/h) - math.Exp(-(s+worth/v.Decay)/h))
}

// pop takes the job with the highest index out of the heap.
func (p *ValueBF) pop() int32 {
	top := p.order[0]
	last := len(p.order) - 1
	p.order[0] = p.order[last]
	p.order = p.order[:last]
	p.sink(0)
	return top
}

// sink moves an entry of the heap to its place.
func (p *ValueBF) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(p.order) {
			return
		}
		if child+1 < len(p.order) && p.sooner(p.order[child+1], p.order[child]) {
			child++
		}
		if !p.sooner(p.order[child], p.order[i]) {
			return
		}
		p.order[i], p.order[child] = p.order[child], p.order[i]
		i = child
	}
}

// sooner reports whether job a of the queue comes before job b. The queue is in
// order of arrival.
func (p *ValueBF) sooner(a, b int32) bool {
	x, y := p.queue[a].index, p.queue[b].index
	return x > y || x == y && a < b
}

// reservation is a place in the future for a job that waits.
type reservation struct {
	job      *simulate.Job
	estimate float64 // s
	start    float64 // time
}
