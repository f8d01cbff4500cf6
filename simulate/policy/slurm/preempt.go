package slurm

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// preempt lets a job take the processors of running jobs whose QOS its own may preempt, and
// reports whether they are free now. Jobs of the lowest QOS are taken first, then narrow
// ones, then those that started last; jobs that are not needed are spared. A job that is
// preempted runs on for the GraceTime of its QOS. The profile says which processors other
// jobs have or will have.
func (p *Slurmctld) preempt(t *ticket, in *plan) bool {
	c, now := p.cluster, p.cluster.Now()
	need := t.width - c.Free()
	if need <= 0 || len(t.party.qos.preempts) == 0 {
		return false
	}
	if policy.Before(now, t.claims) {
		p.quiet = min(p.quiet, t.claims)
		return false
	}
	p.candidates(t)
	var ok bool
	p.victims, ok = policy.Enough(p.victims, need, func(v *ticket) int { return v.width })
	if !ok {
		return false
	}
	until := now
	for _, v := range p.victims {
		stop := now + v.party.qos.grace
		in.release(stop, v.end, v.width)
		until = max(until, stop)
	}
	if policy.Before(until, in.earliest(now, t.width, t.estimate)) { // others have reservations
		p.disturb() // later they may allow it
		for _, v := range p.victims {
			in.reserve(now+v.party.qos.grace, v.end, v.width)
		}
		return false
	}
	t.claims = until
	p.batches = p.batches[:0]
	p.hopeless = p.hopeless[:0]
	for _, v := range p.victims {
		v.leaves = now + v.party.qos.grace
		if in != &p.running {
			p.running.release(v.leaves, v.end, v.width)
		}
		v.end = min(v.end, v.leaves)
		if v.leaves == now {
			p.evict(v)
		} else {
			c.Timer(v.job, v.leaves)
		}
	}
	return until == now
}

// candidates finds the jobs that may be preempted, in order.
func (p *Slurmctld) candidates(t *ticket) {
	p.victims = p.victims[:0]
	for _, v := range p.live {
		q := v.party.qos
		if math.IsInf(v.leaves, 1) && q.mode != "off" && slices.Contains(t.party.qos.preempts, q) {
			p.victims = append(p.victims, v)
		}
	}
	slices.SortFunc(p.victims, func(a, b *ticket) int {
		return cmp.Or(cmp.Compare(a.party.qos.priority, b.party.qos.priority), cmp.Compare(a.width, b.width),
			cmp.Compare(b.begun, a.begun), cmp.Compare(b.job.ID, a.job.ID))
	})
}

// Timer implements simulate.Timed: the time of grace of a running job is over, or a requeued job may start again.
func (p *Slurmctld) Timer(c *simulate.Cluster, j *simulate.Job) {
	p.meet(c)
	t := p.tickets[j]
	if t.delayed {
		t.delayed = false
		p.queue(t)
		p.submitted = true
		p.disturb()
		return
	}
	p.evict(t)
	p.clear()
}

// evict preempts a job. If it is suspended, it waits again with clear.
func (p *Slurmctld) evict(t *ticket) {
	c, now := p.cluster, p.cluster.Now()
	p.stop(t)
	switch t.party.qos.mode {
	case "suspend":
		c.Suspend(t.job, 0)
		t.resumes, t.estimate = true, max(t.estimate-(now-t.begun), 0)
		p.back = append(p.back, t)
	case "requeue":
		c.Requeue(t.job, 0)
		p.requeue(t)
	default:
		j := t.job
		p.forget(t)
		c.Suspend(j, 0)
		c.Expire(j)
	}
}

// requeueDelay is the time after which a requeued job may start again, s. Slurm waits until the
// credential of the last start has expired, which is valid for 120 s. Measured with Slurm 22.05.8.
const requeueDelay = 121

// requeue lets a job wait again after the delay. Slurm counts it as submitted now, and its age from the
// end of the delay; with priority/basic it keeps its place.
func (p *Slurmctld) requeue(t *ticket) {
	again := p.cluster.Now() + requeueDelay
	switch {
	case p.age > 0:
		t.since = again
	case !p.basic:
		t.since = p.cluster.Now()
	}
	t.resumes, t.estimate, t.delayed = false, p.RunTime(t.job), true
	p.cluster.Timer(t.job, again)
}
