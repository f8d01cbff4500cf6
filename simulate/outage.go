package simulate

import "fmt"

// Outage is a time at which some units of a site cannot run jobs. Outages at the same time
// are of different units, until all units are down.
//
// A planned outage is known from the start, so that policies keep the units free. Of any
// other a policy knows from its beginning on, when it will end. If too few units are free at
// the beginning, the jobs that started last are stopped: the least work is lost.
type Outage struct {
	From, To float64 // s
	Units    int
	Planned  bool
	Kill     bool // stopped jobs end, and pay nothing; otherwise they are suspended, and restart
	Drain    bool // no job is stopped: units leave when they are or become free
}

// Stopper is a policy on dedicated processors whose running jobs an outage may stop.
type Stopper interface {
	Policy
	// Stop is called when an outage has taken the processors of j. If the job is to run
	// again, it is Suspended, and Cluster.Start runs it from its beginning; otherwise the
	// policy only forgets it.
	Stop(c *Cluster, j *Job, again bool)
}

// downtime is the processors of a cluster that agents have taken.
type downtime struct {
	known []Outage // see Announce
	ahead int      // number of these that are not over
	sum   int      // processors that are taken, which may be more than there are
	lost  int      // of these, those that do not drain
	area  float64  // processor-seconds that were up before since
	since float64  // when lost changed
}

// Announce tells the policy of an outage, which may begin now or later. The agent that announces it
// takes the processors with Take. At its end it calls Over and gives them back with Give.
func (c *Cluster) Announce(o Outage) {
	c.known = append(c.known, o)
	c.ahead++
}

// Over says that one of the announced outages is over.
func (c *Cluster) Over() { c.ahead-- }

// Outages returns the outages that are known, planned ones first. The list only grows. A
// policy that makes plans checks in every decision whether it has grown.
func (c *Cluster) Outages() []Outage { return c.known }

// Ahead reports whether one of them is not over.
func (c *Cluster) Ahead() bool { return c.ahead > 0 }

// Take takes processors away, busy ones as well: the number of free ones becomes negative until
// jobs have ended or the agent has stopped them. Processors that drain count as up, because
// jobs may still run on them. A recorded schedule uses processors that are away.
func (c *Cluster) Take(units int, drain bool) {
	c.sum += units
	if !drain {
		c.area = c.UnitSeconds()
		c.since = c.kernel.now
		c.lost += units
	}
	if !c.recorded {
		c.free -= units
		c.stir()
	}
}

// Give gives processors back that Take has taken.
func (c *Cluster) Give(units int, drain bool) { c.Take(-units, drain) }

// UnitSeconds returns the processor-seconds of the processors that were up, until now.
func (c *Cluster) UnitSeconds() float64 {
	up := max(c.processors-c.lost, 0)
	return c.area + float64(up)*(c.kernel.now-c.since)
}

// Latest returns the running job that started last, nil if none runs. Of jobs that started at one instant it is
// the one that was submitted last.
func (c *Cluster) Latest() *Job {
	var last *Job
	for j := range c.Served() {
		if last == nil || j.since > last.since || j.since == last.since && j.ID > last.ID {
			last = j
		}
	}
	return last
}

// Stop takes the processors of a running job away, whose policy is a Stopper. Its work so far is lost,
// and so is what it was charged. A killed job ends and pays nothing. Any other is suspended until its policy
// starts it again: it is not among the waiting jobs, never expires, and is not moved.
func (c *Cluster) Stop(j *Job, kill bool) {
	stopper, ok := c.policy.(Stopper)
	if !ok {
		panic(fmt.Sprintf("simulate: policy %T has no Stop method", c.policy))
	}
	c.kernel.current = j.ID
	j.Revenue, j.fee = 0, 0 // policies may charge at the start
	c.preempt(j, 0, true)
	stopper.Stop(c, j, !kill)
	if kill {
		j.felled = true
		c.Expire(j)
	}
}
