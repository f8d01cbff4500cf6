package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// ValueBF is backfilling by the cost of waiting: every decision orders the queue by the value that a job loses if it
// does not start now, per processor-second. Use one per run.
//
// A decision takes time logarithmic in the waiting jobs for every job that it considers, see indexTree. If no waiting
// job is narrow enough, it takes constant time.
//
// # Policy value-bf
//
// Backfilling by the cost of waiting. A job that starts now and runs for R seconds is worth v(now + R). If it does not
// start, its next chance comes after a delay X, exponential with mean H. Every decision orders the queue by the index
//
//	E[v(now + R) - future v(now + R + X)^+] / (width E[R]),    largest first.
//
// Indexes are rounded to 33 binary digits, so that rounding does not decide; equal ones stand by arrival. In the divisor
// E[R] is at least 0.001 s. A job that has run and would pay a penalty if it never ended has no ^+.
//
//   - v is the value of a job that runs for E[R]. H is the mean time from submission to end that v allows without a
//     loss: the deadline, or the grace plus E[R], of the jobs that have come, also of those without decay, but not of
//     those that allow any time. It is updated at a decision with waiting jobs, if the number of jobs is more than
//     17/16 of that of the last update.
//   - Jobs start in this order while they fit. A job that does not fit gets a reservation at the earliest time at which
//     enough processors are expected to be free, up to the option reservations, and no later job starts that would
//     disturb one: it counts as a job that does not fit. Reservations are made again at every decision. A job past its
//     estimate is expected to end now.
//   - A job with an expected loss, an index below 0, waits. So does a job of index 0 that pays if it is in time, unless
//     only jobs of these two kinds wait, because estimates may be too long. Jobs that pay nothing from the start have
//     index 0, come last and stay. With future=1 a job that loses nothing by waiting has index 0.
//   - A job lapses when it would be worth nothing even if it ended at once, or, if its run time is known (by
//     estimates=exact or as on job classes, not because an estimate happens to be right), after that time. Each
//     decision first rejects the lapsed jobs. They were not admitted, so that they cost nothing.
//   - Decisions are taken when jobs come, end or leave, or the number of units changes. While units are free, and a job
//     has a reservation or waits by the third rule, a decision is also taken when the next job lapses.
//   - With estimates=predicted R is the estimate times one of these, equally likely, as known when the job comes: the
//     ratio of run time to estimate, at most 1, of each of the user's last four ended jobs; the quantiles 0.1, 0.3,
//     0.5, 0.7 and 0.9 of that ratio over all ended jobs, as the middles of 128 equal bins of 0 to 1 (the first bin up
//     to which at least that share of them lies); and 1. Places are reserved by the estimates. With estimates=user R is
//     the estimate, with estimates=exact, or where the estimate is the run time as on job classes, the run time.
type ValueBF struct {
	Terms
	Future       float64 // g, from 0 to 1
	Reservations int     // the largest number of jobs with a reservation
	Preemption           // whether running jobs are preempted; the zero value is no
	Limit        *Limit  // on waiting, without preemption; nil: there is none

	predictor predictor
	clock     clock
	indexTree
	length    int          // of the entries
	queued    int64        // entries so far
	gone      []*candidate // entries of jobs that wait no more
	narrowest int32        // no waiting job is narrower
	soonest   float64      // the next waiting job lapses then; -Inf: look it up
	waits     bool         // some doubtful job was passed over, or a job has a reservation
	all       bool         // all jobs are doubtful
	running   []holding    // by expected end
	profile   Profile      // of the running jobs
	plan      *Profile     // with the reservations of a decision: draft, or the profile if that is long
	draft     Profile
	down      Outages
	planned   []*candidate // jobs that hold a reservation
	victims   []victim
	rivals    []float64 // indexes of the jobs that run
	spare     []*candidate
	drawn     bool // the profile may fall, so that a job needs room in it

	bySlot []*candidate // by Job.Slot those of waiting jobs; used with Limit
	asked  float64      // the time of the wake that was asked for
}

// leastRun is the least divisor of a value, s.
const leastRun = 1e-3

// valuePlan are the options common to all orders of ValueBF.
func valuePlan(reservations string) []Option {
	return []Option{
		{Name: "estimates", Values: []string{"predicted", "user", "exact"}},
		TermOptions()[1], NumberOption("reservations", reservations),
		{Name: "preempt", Values: []string{"none", "suspend", "restart"}}, NumberOption("preempt-cost", "0"),
	}
}

// withoutPreemption refuses a limit on waiting for a policy that preempts jobs: one that has started may wait again.
func withoutPreemption(name string) func(Settings) error {
	return func(s Settings) error {
		if s.Limit() != nil && s["preempt"] != "none" {
			return &OptionError{Policy: name, Option: LongestWait, Value: s[LongestWait], Want: "none with preempt=" + s["preempt"]}
		}
		return nil
	}
}

// valuePlan reads them.
func (s Settings) valuePlan() *ValueBF {
	return &ValueBF{
		Terms: s.Terms(), Reservations: int(min(s.Number("reservations"), math.MaxInt32)),
		Preemption: s.preemption(), Limit: s.Limit(), asked: math.Inf(1),
	}
}

// candidate is a waiting or running job with what the policy expects of it.
type candidate struct {
	job      *simulate.Job
	value    simulate.Value // if it runs for the mean of the outcomes
	estimate float64        // s, to plan with
	mean     float64        // s, of the outcomes
	outcomes outcomes
	served   float64 // s of service at its last preemption
	delayed  bool    // the cost of preemption is in the run times

	// Of an entry:
	key, lapse   float64 // its place among the entries, and the time from which it is worth nothing
	turn         int64   // its number
	index, start float64 // of the last decision; the time of its reservation
}

// holding is a job that runs.
type holding struct {
	end float64 // as expected
	*candidate
}

// clock is the mean delay H of a policy.
type clock struct {
	allowed, seen float64 // s, summed over the jobs that state it, and their number
	since         float64 // seen at the last update of the mean
	mean          float64 // H, s; 0 if unknown
	epoch         float64
}

// update updates the mean if the number of jobs has grown by more than a sixteenth, and moves the epoch then, or when it
// is so far that the wave would overflow. It reports whether it moved the epoch.
func (k *clock) update(now float64) bool {
	grown := k.seen > k.since*(1+1.0/16)
	if !grown && !(k.mean > 0 && now-k.epoch > 64*k.mean) {
		return false
	}
	k.epoch = now
	if grown {
		k.since = k.seen
		k.mean = k.allowed / k.seen
	}
	return true
}

// wave returns e^((t - epoch)/H), 0 without a mean.
func (k *clock) wave(t float64) float64 {
	if !(k.mean > 0) {
		return 0
	}
	return math.Exp((t - k.epoch) / k.mean)
}

// Arrive implements simulate.Policy.
func (p *ValueBF) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, ok := p.Take(c, j)
	if !ok {
		return
	}
	q := p.blank()
	q.job = j
	p.expect(q, estimate)
	if due := q.value.Due; due < math.Inf(1) {
		p.clock.allowed += due
		p.clock.seen++
	}
	p.queue(q)
}

// expect sets the run times of a job that starts from its beginning.
func (p *ValueBF) expect(q *candidate, estimate float64) {
	*q = candidate{job: q.job, estimate: estimate}
	if p.Predict && p.doubts(q.job) {
		q.outcomes = p.predictor.predict(q.job, estimate)
	} else {
		q.outcomes.add(estimate)
	}
	mean := q.outcomes.mean()
	q.mean = max(mean, leastRun)
	q.value = q.job.Stated(mean)
}

// doubts reports whether a job has an estimate that need not be its run time.
func (p *ValueBF) doubts(j *simulate.Job) bool {
	d := &j.Spec.Details
	return !p.Exact && !d.Exact && d.Estimate > 0
}

// worth returns what a job is worth that ends at the given time.
func (q *candidate) worth(end float64) float64 { return q.value.From(q.job.Submit, end) }

// blank returns a candidate of no job.
func (p *ValueBF) blank() *candidate {
	if len(p.spare) == 0 {
		block := make([]candidate, 64)
		for i := range block {
			p.spare = append(p.spare, &block[i])
		}
	}
	q := p.spare[len(p.spare)-1]
	p.spare = p.spare[:len(p.spare)-1]
	*q = candidate{}
	return q
}

// Leave implements simulate.Leaver.
func (p *ValueBF) Leave(_ *simulate.Cluster, j *simulate.Job) {
	if p.Limit.leave(j) {
		p.spare = append(p.spare, p.bySlot[j.Slot()])
		return
	}
	p.root.visit(func(*branchSummary) bool { return true }, func(q *indexEntry) {
		if q.job == j {
			p.gone = append(p.gone, q.candidate)
		}
	})
	p.spare = append(p.spare, p.gone...)
	p.sweep()
}

// Finish implements simulate.Finisher.
func (p *ValueBF) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.spare = append(p.spare, p.vacate(c, j))
	p.predictor.learn(j)
	if !c.ByValue() {
		p.Charge(c, j)
	}
}

// vacate returns a running job that runs no longer.
func (p *ValueBF) vacate(c *simulate.Cluster, j *simulate.Job) *candidate {
	i := slices.IndexFunc(p.running, func(h holding) bool { return h.job == j })
	h := p.running[i]
	p.running = slices.Delete(p.running, i, i+1)
	p.profile.Advance(c.Now(), c.Processors())
	p.profile.Release(c.Now(), h.end, j.Width)
	return h.candidate
}

// Stop implements simulate.Stopper.
func (p *ValueBF) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	q := p.vacate(c, j)
	if !again {
		p.spare = append(p.spare, q)
		return
	}
	p.expect(q, p.RunTime(j))
	q.served = j.Served(c.Now())
	p.queue(q)
}

// Schedule implements simulate.Policy.
func (p *ValueBF) Schedule(c *simulate.Cluster) {
	p.waits = false
	late := p.Limit != nil && p.Limit.due(c, p.take)
	for again := true; again; {
		p.review(c)
		p.profile.Advance(c.Now(), c.Processors())
		p.down.Note(c, &p.profile)
		again = false
		p.drawn = c.Ahead()
		p.plan = &p.profile
		if late && c.Free() > 0 {
			p.overdue(c)
		}
		switch {
		case p.length == 1 && !p.drawn && p.certain(c, p.root.leaf[0].candidate):
			p.launch(c, p.root.leaf[0].candidate)
		case p.length > 0 && (int(p.narrowest) <= c.Free() || p.Preemption.Mode != NoPreemption):
			p.rank(c)
			p.serve(c)
			again = p.Preemption.Mode != NoPreemption && p.displace(c)
			p.revoke()
		}
		if late {
			p.Limit.release(&p.profile)
		}
		p.sweep()
	}
	p.wake(c)
}

// wake asks for the next decision beside those at events: when a job lapses that others wait for or that is passed over,
// or when a job will be overdue.
func (p *ValueBF) wake(c *simulate.Cluster) {
	at := math.Inf(1)
	if p.length > 0 && c.Free() > 0 && p.waits {
		at = p.nextLapse()
	}
	if p.Limit != nil {
		at = min(at, p.Limit.Next(c))
	}
	if at != p.asked {
		p.asked = at
		c.WakeAt(at)
	}
}

// nextLapse returns the time at which the next waiting job lapses.
func (p *ValueBF) nextLapse() float64 {
	if math.IsInf(p.soonest, -1) {
		p.summarize(&p.whole, p.root)
		p.soonest = p.whole.lapse
	}
	return p.soonest
}

// follow takes note of a job that waits under a limit.
func (p *ValueBF) follow(q *candidate) {
	for q.job.Slot() >= len(p.bySlot) {
		p.bySlot = append(p.bySlot, nil)
	}
	p.bySlot[q.job.Slot()] = q
	p.Limit.Watch(q.job)
}

// take takes a job that is overdue out of the queue.
func (p *ValueBF) take(j *simulate.Job) entry {
	q := p.bySlot[j.Slot()]
	p.withdraw(q)
	return entry{estimate: q.estimate, width: int32(j.Width), job: j}
}

// overdue starts the overdue jobs that can start, and holds places for others in the profile.
func (p *ValueBF) overdue(c *simulate.Cluster) {
	left := p.Limit.serve(c, &p.profile, false, asStated, func(e *entry) { p.begin(c, p.bySlot[e.job.Slot()]) })
	p.drawn = p.drawn || left
}

// certain reports whether a job that waits alone starts in any order.
func (p *ValueBF) certain(c *simulate.Cluster, q *candidate) bool {
	return q.job.Width <= c.Free() && q.worth(c.Now()+q.estimate) > 0
}

// lapses returns the time from which a job is worth nothing with any of its possible run
// times; with doubt, even if it ended at once. An admitted job with a floor never lapses.
func (q *candidate) lapses(doubt bool) float64 {
	v := &q.value
	if v.Price <= 0 || v.Decay == 0 && !v.Hard || !q.job.Waiting() && v.Forsaken() != 0 {
		return math.Inf(1)
	}
	last := math.Inf(-1)
	if doubt {
		_, last = starts(v, q.job.Submit+v.Due, 0)
	}
	for _, run := range q.outcomes.at[:q.outcomes.n] {
		_, none := starts(v, q.job.Submit+v.Due, run)
		last = max(last, none)
	}
	return last
}

// review rejects jobs that have lapsed, and updates the mean delay if that is due.
func (p *ValueBF) review(c *simulate.Cluster) {
	p.now = c.Now()
	lapsed := p.length > 0 && p.now >= p.soonest
	if lapsed {
		p.expel(c)
	}
	if p.length == 0 {
		return
	}
	if p.clock.update(p.now) {
		p.whole.until = math.Inf(-1)
		p.root.visit(func(s *branchSummary) bool { s.until = math.Inf(-1); return true }, func(q *indexEntry) {
			if q.until < math.Inf(1) { // otherwise it does not depend on H
				q.until = math.Inf(-1)
			}
		})
	}
	p.wave = p.clock.wave(p.now)
	if lapsed {
		p.summarize(&p.whole, p.root)
		p.soonest = p.whole.lapse
	}
	p.sweep()
}

// expel rejects jobs that have lapsed.
func (p *ValueBF) expel(c *simulate.Cluster) {
	p.root.visit(func(s *branchSummary) bool { return p.now >= s.lapse }, func(q *indexEntry) {
		if p.now >= q.lapse {
			p.gone = append(p.gone, q.candidate)
		}
	})
	slices.SortFunc(p.gone, func(a, b *candidate) int { return cmp.Compare(a.turn, b.turn) })
	for _, q := range p.gone {
		if q.job.Waiting() {
			c.Reject(q.job, simulate.Lapsed)
		} else {
			c.Expire(q.job)
		}
	}
	p.spare = append(p.spare, p.gone...)
	p.sweep()
}

// sweep withdraws the entries of jobs that no longer wait.
func (p *ValueBF) sweep() {
	for _, q := range p.gone {
		p.withdraw(q)
	}
	p.gone = p.gone[:0]
}

// appraise sets the form of an index from now on. A form without an end does not depend on H.
//
// The expected loss E[v(e) - v(e + X)^+] of a job that would end at e, by an exponential
// delay X with mean h, has a closed form. Let s be the time from the end to the deadline,
// or 0 if that is past, and z the time until nothing is left. The loss is v e^(-s/h) for
// a hard job and decay h (e^(-s/h) - e^(-z/h)) for a soft job. For an admitted job z is
// infinite, because it can lose more than its value.
func (p *ValueBF) appraise(q *indexEntry, now float64) {
	v, g, h := &q.value, p.Future, p.clock.mean
	q.constant, q.slope, q.wave = 0, 0, 0
	q.until = math.Inf(1)
	if v.Price <= 0 {
		return
	}
	due := q.job.Submit + v.Due
	held := !q.job.Waiting() && v.Forsaken() != 0
	if held {
		q.until = math.MaxFloat64
	}
	early := g * v.Price // the loss of a job in time, over e^(-s/h)
	if !v.Hard {
		early = g * v.Decay * h
		if !held && early > 0 {
			early *= -math.Expm1(-v.Price / (v.Decay * h))
		}
	}
	for _, run := range q.outcomes.at[:q.outcomes.n] {
		last, none := starts(v, due, run)
		if now < last {
			q.until = min(q.until, last)
			q.constant += (1 - g) * v.Price
			if early > 0 && h > 0 {
				q.wave += early * math.Exp((p.clock.epoch+run-due)/h)
			}
			continue
		}
		switch {
		case now < none:
			q.until = min(q.until, none)
			q.constant += (1 - g) * (v.Price + v.Decay*(due-run))
			q.slope -= (1 - g) * v.Decay
		case held || math.IsInf(v.Floor, 1) && v.Hard:
		case v.Hard:
			q.constant -= v.Floor
		default: // a loss that a job avoids by not starting
			if end := due - run + (v.Price+v.Floor)/v.Decay; now < end {
				q.until = min(q.until, end)
				q.constant += v.Price + v.Decay*(due-run)
				q.slope -= v.Decay
			} else {
				q.constant -= v.Floor
			}
		}
		if h > 0 && !v.Hard && (now < none || held) {
			q.constant += g * v.Decay * h
			if !held {
				q.wave -= g * v.Decay * h * math.Exp((p.clock.epoch-none)/h)
			}
		}
	}
	scale := 1 / (float64(q.outcomes.n) * float64(q.width) * q.mean)
	q.constant, q.slope, q.wave = q.constant*scale, q.slope*scale, q.wave*scale
}

// starts returns the start times from which a job with the given run time is late, as
// the kernel computes it, and from which it is worth nothing.
func starts(v *simulate.Value, due, run float64) (late, none float64) {
	late = due - run + 1e-8*v.Due + hair*due
	switch {
	case v.Hard:
		return late, late
	case v.Decay == 0:
		return math.Inf(1), math.Inf(1)
	}
	return late, max(due-run+v.Price/v.Decay, late)
}

// serve starts the jobs that can start, in order, and makes reservations for
// those before them that cannot.
func (p *ValueBF) serve(c *simulate.Cluster) {
	for p.fit > 0 {
		q, fits := p.pop(c)
		switch {
		case fits:
			p.launch(c, q)
		case q != nil:
			p.reserve(q)
		}
		p.narrow(c)
	}
}

// launch starts a job of the queue.
func (p *ValueBF) launch(c *simulate.Cluster, q *candidate) {
	p.begin(c, q)
	p.gone = append(p.gone, q)
}

// begin runs a job.
func (p *ValueBF) begin(c *simulate.Cluster, q *candidate) {
	c.Start(q.job)
	end := c.Now() + q.estimate
	p.profile.Reserve(c.Now(), end, q.job.Width)
	if p.plan == &p.draft {
		p.draft.Reserve(c.Now(), end, q.job.Width)
	}
	at := len(p.running)
	for at > 0 && p.running[at-1].end > end {
		at--
	}
	p.running = slices.Insert(p.running, at, holding{end, q})
}

// reserve gives a job the earliest place that disturbs no earlier reservation.
func (p *ValueBF) reserve(q *candidate) {
	if len(p.planned) == 0 && len(p.profile.root.kids) == 0 {
		p.draft.Copy(&p.profile)
		p.plan = &p.draft
	}
	p.drawn, p.waits = true, true
	p.planned = append(p.planned, q)
	q.start = p.plan.Earliest(q.job.Width, q.estimate)
	p.plan.Reserve(q.start, q.start+q.estimate, q.job.Width)
}

// revoke takes all reservations back.
func (p *ValueBF) revoke() {
	if p.plan == &p.profile {
		for _, q := range p.planned {
			p.profile.Release(q.start, q.start+q.estimate, q.job.Width)
		}
	}
	p.planned, p.plan = p.planned[:0], &p.profile
}
