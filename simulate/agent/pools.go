package agent

import (
	"math"

	"revopt/simulate"
)

// Pools makes the sites of a run the pools of one machine. A job runs in the pool of its
// class, and the admission sees that site only. Pools share nothing, and their policies
// do not know of each other. It is not changed by runs, see Router and Overflow.
type Pools struct {
	Site []int // by class; negative: no pool takes its jobs, which are rejected for NoPool

	// Choices are sets of sites that some jobs may run in, see Job.Choice. The first is
	// not used.
	Choices  [][]int
	Overflow []Path // by site; nil: no job moves
	// Move gives a job the class, rank, value and expiry that it has at another site.
	Move func(j *simulate.Job, site int)
}

// Router returns the router of a run.
func (p *Pools) Router() simulate.Router {
	if len(p.Choices) < 2 {
		return p
	}
	return &choosing{Pools: p}
}

// Agents returns the agent that moves jobs between pools in a run, none if no job moves.
func (p *Pools) Agents() []simulate.Agent {
	for _, path := range p.Overflow {
		if path.Hops > 0 {
			return []simulate.Agent{&overflow{Paths: p.Overflow, Move: p.Move}}
		}
	}
	return nil
}

// Route implements simulate.Router.
func (p *Pools) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	home := p.Site[j.Class]
	if home < 0 {
		return nil, simulate.NoPool
	}
	return sites[home], simulate.NoReason
}

// Next implements simulate.Router: a pool has the last word.
func (p *Pools) Next(*simulate.Job, *simulate.Cluster, []*simulate.Cluster) *simulate.Cluster {
	return nil
}

// choosing is the router of pools where some jobs have a choice. Of several sites a job goes to the one that
// starts it first, then to the first of them. As an agent it accounts for the jobs at the pools.
type choosing struct {
	*Pools
	load  []occupancy // by site
	trial simulate.Job
}

// Join implements simulate.Agent.
func (p *choosing) Join(sites []*simulate.Cluster, _ *simulate.Timers) error {
	p.load = make([]occupancy, len(sites))
	for i, c := range sites {
		o := &p.load[i]
		c.Watch(simulate.Waits, func(_ *simulate.Cluster, j *simulate.Job) { o.wait(j, 1) })
		c.Watch(simulate.Leaves, func(_ *simulate.Cluster, j *simulate.Job) { o.wait(j, -1) })
		c.Watch(simulate.Starts, func(_ *simulate.Cluster, j *simulate.Job) { o.run(j, 1) })
		c.Watch(simulate.Finishes, func(_ *simulate.Cluster, j *simulate.Job) { o.run(j, -1) })
		c.Watch(simulate.Drops, func(_ *simulate.Cluster, j *simulate.Job) { o.run(j, -1) })
	}
	return nil
}

// Timer implements simulate.Agent. There are no timers.
func (p *choosing) Timer(int) {}

// Route implements simulate.Router.
func (p *choosing) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	home, why := p.Pools.Route(j, sites)
	if home == nil || j.Choice == 0 || home.Recorded() {
		return home, why
	}
	best, soonest := home, math.Inf(1)
	for _, i := range p.Choices[j.Choice] {
		c := sites[i]
		if j.Width > c.Processors() {
			continue
		}
		p.trial = *j
		p.Move(&p.trial, i)
		c.Hide(&p.trial)
		if at := p.load[i].start(c, &p.trial); at < soonest {
			best, soonest = c, at
		}
	}
	if best != home {
		p.Move(j, best.Index())
	}
	return best, simulate.NoReason
}

// occupancy accounts for the jobs at a pool by their estimates.
type occupancy struct {
	width, busy int     // processors that jobs wait for, and that jobs have
	work        float64 // processor-seconds of the jobs that wait
	ends        float64 // sum of width times expected end of the jobs that have started
}

// start returns when a job that comes now is expected to start. If the policy makes no
// estimates, that is after all jobs that are there.
func (o *occupancy) start(c *simulate.Cluster, j *simulate.Job) float64 {
	processors := float64(c.Processors())
	queued := o.work / processors
	if e, ok := c.Policy().(simulate.Estimator); ok {
		return e.Estimate(c, j, queued)
	}
	if o.width+j.Width <= c.Free() {
		return c.Now()
	}
	return c.Now() + queued + max(0, o.ends-c.Now()*float64(o.busy))/processors
}

// length returns how long the user expects the job to run, s.
func length(j *simulate.Job) float64 {
	if e := j.Spec.Details.Estimate; e > 0 {
		return e
	}
	return j.Work
}

// wait notes a job that comes to a pool, or that no longer waits there.
func (o *occupancy) wait(j *simulate.Job, sign int) {
	o.width += sign * j.Width
	o.work += float64(sign*j.Width) * length(j)
	if o.width == 0 {
		o.work = 0 // without rounding
	}
}

// run notes a job that starts in a pool, or ends.
func (o *occupancy) run(j *simulate.Job, sign int) {
	o.busy += sign * j.Width
	o.ends += float64(sign*j.Width) * (j.Start + length(j))
	if o.busy == 0 {
		o.ends = 0
	}
}
