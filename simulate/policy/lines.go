package policy

import "revopt/simulate"

// lines are queues of waiting jobs, one per rank: the highest rank is served
// first, and within a rank the job that came first. They are non-preemptive.
//
// Jobs pay their value at the start of service. A job whose time of expiry
// comes while it waits leaves and costs its penalty.
type lines struct {
	ranked   bool             // false: everybody is of rank 0
	queues   []simulate.Queue // by rank; not used with backfill
	backfill bool
	ranks    []shelves // by rank; used with backfill
	waiting  int
	fresh    []*simulate.Job
}

// Arrive queues a job, unless no cluster of this size can ever run it.
func (l *lines) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
		return
	}
	c.Admit(j)
	l.queue(j).Push(j)
	l.waiting++
	l.fresh = append(l.fresh, j)
}

// Schedule starts what can start. Jobs that came at this instant and still
// wait get their timer only now: most jobs of a light load never need one.
func (l *lines) Schedule(c *simulate.Cluster) {
	if l.waiting > 0 {
		if l.backfill {
			l.fill(c)
		} else {
			l.serve(c)
		}
	}
	for _, j := range l.fresh {
		if j.Waiting() {
			c.Timer(j, j.Expire)
		}
	}
	l.fresh = l.fresh[:0]
}

// serve starts jobs in order until the first that does not fit.
func (l *lines) serve(c *simulate.Cluster) {
	for r := len(l.queues) - 1; r >= 0; r-- {
		for j := l.queues[r].Head(); j != nil; j = l.queues[r].Head() {
			if j.Width > c.Free() {
				return
			}
			l.start(c, j)
		}
	}
}

// fill starts every job, in order, that fits when its turn comes. Processors only
// become fewer meanwhile, so a job that did not fit need not be looked at again.
func (l *lines) fill(c *simulate.Cluster) {
	for r := len(l.ranks) - 1; r >= 0 && c.Free() > 0; r-- {
		for j := l.ranks[r].first(c.Free()); j != nil; j = l.ranks[r].first(c.Free()) {
			l.start(c, j)
		}
	}
}

func (l *lines) start(c *simulate.Cluster, j *simulate.Job) {
	l.remove(j)
	c.Charge(j, j.Value(c.Now()-j.Submit))
	c.Start(j)
}

// Timer removes a job that has waited for too long.
func (l *lines) Timer(c *simulate.Cluster, j *simulate.Job) {
	l.remove(j)
	c.Charge(j, -j.Penalty)
	c.Expire(j)
}

func (l *lines) remove(j *simulate.Job) {
	l.queue(j).Remove(j)
	l.waiting--
}

// queue returns the queue of j.
func (l *lines) queue(j *simulate.Job) *simulate.Queue {
	rank := 0
	if l.ranked {
		rank = j.Rank
	}
	if l.backfill {
		for rank >= len(l.ranks) {
			l.ranks = append(l.ranks, nil)
		}
		return l.ranks[rank].of(j.Width)
	}
	for rank >= len(l.queues) {
		l.queues = append(l.queues, simulate.Queue{})
	}
	return &l.queues[rank]
}
