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
func (p *Slurmctld) preempt(t *ticket, in *policy.Profile) bool {
	c, now := p.cluster, p.cluster.Now()
	need := t.width - c.Free()
	if need <= 0 || len(t.party.qos.preempts) == 0 || policy.Before(now, t.claims) {
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
		in.Release(stop, v.end, v.width)
		until = max(until, stop)
	}
	if policy.Before(until, in.Earliest(t.width, t.estimate)) { // others have reservations
		for _, v := range p.victims {
			in.Reserve(now+v.party.qos.grace, v.end, v.width)
		}
		return false
	}
	t.claims = until
	p.batches = p.batches[:0]
	p.hopeless = nil
	for _, v := range p.victims {
		v.leaves = now + v.party.qos.grace
		if in != &p.running {
			p.running.Release(v.leaves, v.end, v.width)
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

// Timer implements simulate.Timed: the time of grace of a job is over.
func (p *Slurmctld) Timer(c *simulate.Cluster, j *simulate.Job) {
	p.meet(c)
	p.evict(p.tickets[j])
	p.clear()
}

// evict preempts a job. It waits again with clear, unless it is canceled.
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

// requeue lets a job wait again from clear on. Slurm counts it as submitted anew.
func (p *Slurmctld) requeue(t *ticket) {
	if !p.basic {
		t.since = p.cluster.Now()
	}
	t.resumes, t.estimate = false, p.RunTime(t.job)
	p.back = append(p.back, t)
}
