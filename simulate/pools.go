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
	Choices [][]int
	// Overflow moves jobs that still wait after some time; nil: they stay.
	Overflow []Overflow // by site
	// Move gives a job the class, rank, value and expiry that it has at another site.
	Move func(j *Job, site int)
}

// Overflow says where a job goes that still waits at a site.
type Overflow struct {
	To    int     // site
	After float64 // s since it came to the site
	Hops  int     // how often a job that is submitted here may move; 0: never
}

// Estimator is a policy that says when a job starts which comes now. A job with a choice
// of pools goes to the pool that starts it first. Other policies are expected to start it
// after the jobs that are there, see Cluster.Backlog.
type Estimator interface {
	Policy
	Estimate(c *Cluster, j *Job) float64
}

// pending is a job that moves at a time unless it has started.
type pending struct {
	waiter
	at float64
}

// occupancy accounts for the jobs at a pool by their estimates.
type occupancy struct {
	width, busy int     // processors that jobs wait for, and that jobs have
	work        float64 // processor-seconds, of jobs that wait
	ends        float64 // sum of width and expected end, of jobs that have started
	pending     []pending
	moved       int  // of pending, that are over
	moving      bool // a move is on the agenda, or about to be
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
	if p.Overflow != nil {
		j.hops = int32(p.Overflow[home].Hops)
	}
	return k.sites[home]
}

// expected returns when a job is expected to start that comes now.
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
	if o.width += sign * j.Width; o.width == 0 {
		o.work = 0 // without rounding
		return
	}
	o.work += float64(sign*j.Width) * j.expected()
}

// run notes a job that starts in a pool, or ends.
func (o *occupancy) run(j *Job, sign int) {
	if o.busy += sign * j.Width; o.busy == 0 {
		o.ends = 0
		return
	}
	o.ends += float64(sign*j.Width) * (j.Start + j.expected())
}

// enter notes a job that waits in a pool, and when it moves on.
func (k *kernel) enter(j *Job, c *Cluster) {
	c.taken.wait(j, 1)
	if j.hops == 0 || c.recorded {
		return
	}
	t := c.taken
	if t.moved > 64 && 2*t.moved > len(t.pending) {
		t.pending, t.moved = append(t.pending[:0], t.pending[t.moved:]...), 0
	}
	t.pending = append(t.pending, pending{waiter{j, j.ID}, k.now + k.pools.Overflow[c.index].After})
	if !t.moving {
		t.moving = true
		k.overflow = append(k.overflow, c)
	}
}

// await puts the next move of each pool on the agenda that has none. Moves of one pool come
// in the order in which its jobs came. A move follows the decision of the instant at which
// the job came.
func (k *kernel) await() {
	for _, c := range k.overflow {
		t := c.taken
		for t.moved < len(t.pending) && !t.pending[t.moved].waitsAt(c) {
			t.moved++
		}
		if t.moving = t.moved < len(t.pending); t.moving {
			k.events.push(max(t.pending[t.moved].at, k.now), move, ^c.index, 0)
		}
	}
	k.overflow = k.overflow[:0]
}

// waitsAt reports whether the job still waits at a site.
func (w waiter) waitsAt(c *Cluster) bool { return w.ID == w.id && w.state == waiting && w.site == c }

// flow moves the jobs of a pool whose time has come.
func (k *kernel) flow(c *Cluster) {
	t := c.taken
	for ; t.moved < len(t.pending) && t.pending[t.moved].at <= k.now; t.moved++ {
		if w := t.pending[t.moved]; w.waitsAt(c) {
			k.move(w.Job, c, k.sites[k.pools.Overflow[c.index].To])
		}
	}
	k.overflow = append(k.overflow, c)
}

// move moves a waiting job to another site unless the job is too wide for it or the
// admission refuses the job there.
func (k *kernel) move(j *Job, from, to *Cluster) {
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
	k.place(j, to)
}
