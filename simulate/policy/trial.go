package policy

import (
	"math"

	"revopt/simulate"
)

// machine is the processors for which a Backfill decides: a cluster, or those of a Trial.
type machine interface {
	Now() float64
	Free() int
	Processors() int
	Outages() []simulate.Outage
	Ahead() bool
	Start(j *simulate.Job)
}

// Trial says which jobs a policy would start in states that the caller makes up, without a
// run. The queue stays from one state to the next, so that a decision takes time logarithmic
// in its length. Jobs have a number in order of arrival, a width, work and an estimate, but
// no deadline.
type Trial struct {
	rule       Backfill // with the queue
	plain      bool     // no processors are kept for the first job
	now        float64
	free       int
	processors int
	started    []*simulate.Job
}

// NewTrial returns the trial of a policy on a number of processors. It is nil unless the
// decisions of the policy depend on the first waiting job and on those that start alone.
func NewTrial(p simulate.Policy, processors int) *Trial {
	switch p := p.(type) {
	case *Backfill:
		if !p.Predict && !p.varies() && p.Limit == nil {
			return &Trial{rule: Backfill{Terms: p.Terms, Key: p.Key, InOrder: p.InOrder}, processors: processors}
		}
	case *hol:
		if p.limit != nil {
			return nil
		}
		return &Trial{rule: Backfill{Key: p.key, InOrder: true}, plain: true, processors: processors}
	case *holFill:
		if p.limit != nil {
			return nil
		}
		return &Trial{rule: Backfill{Key: p.key}, plain: true, processors: processors}
	}
	return nil
}

// Wait puts a job into the queue, and Leave takes it, or one like it, out.
func (t *Trial) Wait(j *simulate.Job)  { t.rule.enter(j, t.plan(j), t.processors) }
func (t *Trial) Leave(j *simulate.Job) { t.rule.Leave(nil, j) }

// plan returns the estimate of a job and, with Kill, cuts its work to it.
func (t *Trial) plan(j *simulate.Job) float64 {
	estimate := t.rule.RunTime(j)
	if t.rule.Kill {
		j.Work = min(j.Work, estimate)
	}
	return estimate
}

// Begin makes all processors idle at time 0.
func (t *Trial) Begin() {
	t.now, t.free = 0, t.processors
	t.rule.profile.reset(0, t.processors)
	t.rule.failed, t.rule.lowest = bounds{}, first()
}

// Run starts a job that is not in the queue at time 0. In order of estimates it is cheapest.
func (t *Trial) Run(j *simulate.Job) {
	t.free -= j.Width
	t.rule.profile.Reserve(0, t.plan(j), j.Width)
}

// Finish ends a running job.
func (t *Trial) Finish(j *simulate.Job, now float64) {
	t.free += j.Width
	t.rule.profile.Advance(now, t.processors)
	t.rule.profile.Release(now, j.Start+t.rule.RunTime(j), j.Width)
}

// Decide starts jobs of the queue and returns them, valid until the next call.
func (t *Trial) Decide(now float64) []*simulate.Job {
	t.now, t.started = now, t.started[:0]
	if !t.plain {
		t.rule.decide(t)
		return t.started
	}
	t.rule.serve(t)
	if !t.rule.InOrder && t.rule.queue.length > 1 {
		t.rule.fill(t, &bounds{t.free, math.MaxInt, math.Inf(1)})
	}
	return t.started
}

// Now, Free, Processors and Start implement machine.
func (t *Trial) Now() float64    { return t.now }
func (t *Trial) Free() int       { return t.free }
func (t *Trial) Processors() int { return t.processors }

// Outages and Ahead implement machine: no outages are known.
func (t *Trial) Outages() []simulate.Outage { return nil }
func (t *Trial) Ahead() bool                { return false }

func (t *Trial) Start(j *simulate.Job) {
	j.Start, j.Finish = t.now, t.now+j.Work
	t.free -= j.Width
	t.started = append(t.started, j)
}
