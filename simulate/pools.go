package simulate

import (
	"fmt"
	"math"
)

// Pools makes the sites of a run the pools of one machine. A job runs in the pool of its
// class, and the admission sees that site only. Pools share nothing, and their policies
// do not know of each other.
//
// A job may move to another pool, at most once to each, before it starts. It then belongs
// to another class: it is Moved from one site and Submitted to the next, where the
// admission has to take it as well, else it stays. Its time of submission stays the first.
type Pools struct {
	Site []int // by class; negative: no pool takes its jobs, which are rejected for NoPool

	// Choices are sets of sites that some jobs may run in, see Job.Choice. The first is
	// not used.
	Choices  [][]int
	Overflow []Overflow // by site
	// Move gives a job the class, rank, value and expiry that it has at another site.
	Move func(j *Job, site int)
}

// Overflow moves jobs that still wait at a site after some time.
type Overflow struct {
	To    int     // site
	After float64 // s since it came to the site
	Hops  int     // how often a job that is submitted here may move; 0: never
}

// Estimator is a policy that says when it would start a job that comes now. A job with a
// choice of pools goes to the pool that starts it first. Under other policies a job is
// expected to start after all jobs that are there.
type Estimator interface {
	Policy
	Estimate(c *Cluster, j *Job) float64
}

// occupancy accounts for the jobs at a pool by their estimates. A nil occupancy is that of
// a site that is no pool.
type occupancy struct {
	width, busy int     // processors that jobs wait for, and that jobs have
	work        float64 // processor-seconds of the jobs that wait
	ends        float64 // sum of width times expected end of the jobs that have started
}

// home returns the site of a job that was just submitted, nil if no pool takes it. Of
// several sites it is the one that starts the job first, then the first of them.
func (p *Pools) home(k *kernel, j *Job) *Cluster {
	home := p.Site[j.Class]
	if home < 0 {
		return nil
	}
	if j.Choice > 0 && !k.sites[home].recorded {
		best, soonest := home, math.Inf(1)
		for _, i := range p.Choices[j.Choice] {
			c := k.sites[i]
			if j.Width > c.processors {
				continue
			}
			k.trial = *j
			p.Move(&k.trial, i)
			if at := c.expected(&k.trial); at < soonest {
				best, soonest = i, at
			}
		}
		if best != home {
			p.Move(j, best)
		}
		home = best
	}
	j.hops = int32(p.Overflow[home].Hops)
	return k.sites[home]
}

// expected returns when a job that comes now is expected to start.
func (c *Cluster) expected(j *Job) float64 {
	if e, ok := c.policy.(Estimator); ok {
		return e.Estimate(c, j)
	}
	if c.taken.width+j.Width <= c.free {
		return c.kernel.now
	}
	return c.kernel.now + c.Queued() + max(0, c.taken.ends-c.kernel.now*float64(c.taken.busy))/float64(c.processors)
}

// Queued returns the time that the cluster takes for the jobs that wait, by their
// estimates, s. It is known in runs with pools only.
func (c *Cluster) Queued() float64 { return c.taken.work / float64(c.processors) }

// expected returns how long the user expects the job to run, s.
func (j *Job) expected() float64 {
	if e := j.Spec.Details.Estimate; e > 0 {
		return e
	}
	return j.Work
}

// wait notes a job that comes to a pool, or that no longer waits there.
func (o *occupancy) wait(j *Job, sign int) {
	if o == nil {
		return
	}
	if o.width += sign * j.Width; o.width == 0 {
		o.work = 0 // without rounding
		return
	}
	o.work += float64(sign*j.Width) * j.expected()
}

// run notes a job that starts in a pool, or ends.
func (o *occupancy) run(j *Job, sign int) {
	if o == nil {
		return
	}
	if o.busy += sign * j.Width; o.busy == 0 {
		o.ends = 0
		return
	}
	o.ends += float64(sign*j.Width) * (j.Start + j.expected())
}

// await puts the moves of jobs that came at this instant on the agenda, after the decision
// of the instant.
func (k *kernel) await() {
	for _, w := range k.movers {
		if w.waits() {
			k.events.push(k.now+k.pools.Overflow[w.site.index].After, move, w.slot, uint32(w.id))
		}
	}
	k.movers = k.movers[:0]
}

// move moves a waiting job to another site unless the job is too wide for it or the
// admission refuses the job there.
func (k *kernel) move(j *Job) {
	from := j.site
	to := k.sites[k.pools.Overflow[from.index].To]
	k.trial = *j
	k.pools.Move(&k.trial, int(to.index))
	if j.Width > to.processors || k.admission != nil && !k.admission.Admit(&k.trial, k.sites[to.index:to.index+1]) {
		return
	}
	if from.leaver == nil {
		k.err = fmt.Errorf("simulate: job %d moves at %g s, and policy %T has no Leave method", j.ID, k.now, from.policy)
		return
	}
	k.current = j.ID
	from.restless = true
	from.leaver.Leave(from, j)
	from.stopWaiting(j)
	k.notify(Event{Kind: Moved, Site: from, Job: j})
	j.admitted = false
	j.hops--
	k.pools.Move(j, int(to.index))
	k.notify(Event{Kind: Submitted, Site: to, Job: j})
	from.list(j, &from.queue, nil)
	k.place(j, to)
}
