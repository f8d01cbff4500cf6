package agent

import (
	"fmt"

	"revopt/simulate"
)

// Overflow moves jobs that have waited for some time in their pool to another one, see Path.
// A job moves at most once to each pool, and before it starts. It then belongs to another class. The
// admission has to take it as well, and it has to fit, else it stays. A job that need not wait moves before
// the decision at which it could start.
type overflow struct {
	Paths []Path // by site
	// Move gives a job the class, rank, value and expiry that it has at another site.
	Move func(j *simulate.Job, site int)

	sites  []*simulate.Cluster
	timers *simulate.Timers
	jobs   []mover       // by slot
	came   []moving      // jobs that came at this instant and may move
	trial  *simulate.Job // as it would be in another pool
}

// Path is the way of jobs that overflow from a site.
type Path struct {
	To    int     // site
	After float64 // s since the job came to the site
	Hops  int     // how often a job that is submitted here may move; 0: never
}

// mover is a job that waits.
type mover struct {
	job   *simulate.Job
	id    int64
	hops  int // how often it may still move
	timer simulate.Timer
}

// moving is a job that waits at a site.
type moving struct {
	*simulate.Job
	id   int64
	site *simulate.Cluster
}

// Join implements simulate.Agent. Jobs of a recorded schedule stay.
func (o *overflow) Join(sites []*simulate.Cluster, timers *simulate.Timers) error {
	o.sites, o.timers = sites, timers
	o.trial = new(simulate.Job)
	for _, c := range sites {
		if !c.Recorded() {
			c.Watch(simulate.Waits, o.wait)
			c.Watch(simulate.Leaves, o.leave)
		}
	}
	sites[len(sites)-1].AfterDecision(o.settle)
	return nil
}

// wait notes a job that comes to a site. A job that comes again has moved.
func (o *overflow) wait(c *simulate.Cluster, j *simulate.Job) {
	for j.Slot() >= len(o.jobs) {
		o.jobs = append(o.jobs, mover{id: -1})
	}
	m := &o.jobs[j.Slot()]
	if m.id == j.ID {
		m.hops--
	} else {
		*m = mover{job: j, id: j.ID, hops: o.Paths[c.Index()].Hops}
	}
	switch {
	case m.hops <= 0:
	case o.Paths[c.Index()].After == 0: // moves come before the decision of the instant
		m.timer = o.timers.Set(c.Now(), simulate.PhaseMove, o, j.Slot())
	default:
		o.came = append(o.came, moving{j, j.ID, c})
	}
}

func (o *overflow) leave(_ *simulate.Cluster, j *simulate.Job) {
	m := &o.jobs[j.Slot()]
	o.timers.Cancel(m.timer)
	m.timer = simulate.Timer{}
}

// settle sets the timers of the jobs that still wait after the decisions of the instant at which they came.
func (o *overflow) settle(c *simulate.Cluster) {
	for _, w := range o.came {
		if w.site.Holds(w.Job, w.id) {
			at := c.Now() + o.Paths[w.site.Index()].After
			o.jobs[w.Slot()].timer = o.timers.Set(at, simulate.PhaseMove, o, w.Slot())
		}
	}
	o.came = o.came[:0]
}

// Timer implements simulate.Agent: the job in a slot moves.
func (o *overflow) Timer(slot int) {
	m := &o.jobs[slot]
	j := m.job
	m.timer = simulate.Timer{}
	from := j.Site()
	to := o.sites[o.Paths[from.Index()].To]
	*o.trial = *j
	o.Move(o.trial, to.Index())
	if j.Width > to.Processors() || !to.Admits(o.trial) {
		return
	}
	if _, ok := from.Policy().(simulate.Leaver); !ok {
		from.Fail(fmt.Errorf("job %d moves at %g s, and the policy has no Leave method", j.ID, from.Now()))
		return
	}
	from.Transfer(j, to, func(j *simulate.Job) { o.Move(j, to.Index()) })
}
