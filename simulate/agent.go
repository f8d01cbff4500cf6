package simulate

// Agent acts on a run beside the policies: outages and overflow between pools are agents, see
// package agent. An agent belongs to one run.
//
// It acts through the methods of a Cluster that are in this file and in outage.go; the
// documentation of the package lists them.
type Agent interface {
	// Join is called once, before the first event. The agent sets its first timers, and says
	// with Cluster.Watch and Cluster.AfterDecision what it has to know.
	Join(sites []*Cluster, timers *Timers) error
	// Timer is called when a timer that the agent set with this tag runs out.
	Timer(tag int)
}

// Phases in which timers of agents run out, see the order of events in the documentation of
// the package.
const (
	PhaseArrival = arrival // before the arrivals of jobs, if it was set before the run
	PhaseMove    = move
)

// Timers are the timers of the agents of a run.
type Timers struct {
	kernel *kernel
	list   []alarm
	free   []int32 // alarms that are not set
}

// alarm is a timer that is set. Versions continue, so that events of earlier timers are
// recognized as stale.
type alarm struct {
	agent   Agent
	tag     int
	version uint32
}

// Timer is a timer that was set; the zero value is none.
type Timer struct {
	number  int32 // of the alarm, from 1
	version uint32
}

// Set lets Agent.Timer be called with the tag at the given time, now or later.
func (t *Timers) Set(at float64, p Phase, agent Agent, tag int) Timer {
	last := len(t.free) - 1
	if last < 0 {
		t.free = append(t.free, int32(len(t.list)))
		t.list = append(t.list, alarm{})
		last = 0
	}
	i := t.free[last]
	t.free = t.free[:last]
	a := &t.list[i]
	a.agent, a.tag = agent, tag
	t.kernel.events.push(max(at, t.kernel.now), p, i+toAgents, a.version)
	return Timer{i + 1, a.version}
}

// Cancel clears a timer that has not run out, and none.
func (t *Timers) Cancel(timer Timer) {
	if timer.number > 0 && t.list[timer.number-1].version == timer.version {
		t.release(timer.number - 1)
		t.kernel.stale++
	}
}

// fire tells the agent of the timer.
func (t *Timers) fire(target int32) {
	a := t.list[target-toAgents]
	t.release(target - toAgents)
	a.agent.Timer(a.tag)
}

func (t *Timers) release(i int32) {
	t.list[i].version++
	t.free = append(t.free, i)
}

// Transition is a step in the life of a job at a site, of which agents can be told.
type Transition uint8

// The transitions.
const (
	Waits    Transition = iota // the job comes to the site; its policy does not know it yet
	Leaves                     // it no longer waits
	Starts                     // it starts on processors of the site
	Finishes                   // it ends; the policy knows, and its value is not charged yet
	Drops                      // it leaves the site while it is preempted

	transitions // their number
)

// hooks are the functions of agents at a site.
type hooks struct {
	watch   [transitions][]func(*Cluster, *Job)
	decided []func(*Cluster)
}

// Watch lets f be called at a transition of every job at the site. It is called by
// Agent.Join, as is AfterDecision.
func (c *Cluster) Watch(t Transition, f func(c *Cluster, j *Job)) {
	c.watch[t] = append(c.watch[t], f)
}

// AfterDecision lets f be called after the decision of every instant, also if the policy had
// none to make.
func (c *Cluster) AfterDecision(f func(c *Cluster)) {
	c.decided = append(c.decided, f)
	c.call()
}

// tell tells agents of a transition.
func (c *Cluster) tell(t Transition, j *Job) {
	for _, f := range c.watch[t] {
		f(c, j)
	}
}

// Slot returns the place of the job in the tables of the run. It is a small number, which no
// other job has before this one has ended.
func (j *Job) Slot() int { return int(j.slot) }

// Policy returns the policy of the site.
func (c *Cluster) Policy() Policy { return c.policy }

// Recorded reports whether the policy repeats the schedule of a log, see Site.
func (c *Cluster) Recorded() bool { return c.recorded }

// Holds reports whether the job waits here. Its slot may hold another job by now, which has another
// ID.
func (c *Cluster) Holds(j *Job, id int64) bool {
	return j.site == c && j.ID == id && j.state == waiting
}

// Knows reports whether a job that waits here, with this ID, is known to the policy. The others are passed over, see
// Limit.
func (c *Cluster) Knows(j *Job, id int64) bool { return c.Holds(j, id) && !c.kernel.limits.passes(j) }

// Admits reports whether the admission of the run lets a job in at the site.
func (c *Cluster) Admits(j *Job) bool {
	k := c.kernel
	return k.admission == nil || k.admission.Admit(j, k.sites[c.index:c.index+1])
}

// Transfer moves a waiting job to another site. It is Moved from one site and Submitted to
// the next, and its time of submission stays the first. Change gives it what it has there:
// its class, rank, value and expiry.
func (c *Cluster) Transfer(j *Job, to *Cluster, change func(*Job)) {
	c.mustWait(j)
	c.withdraw(j)
	c.stir()
	j.reveal()
	c.kernel.notify(Event{Kind: Moved, Site: c, Job: j})
	j.admitted = false
	change(j)
	j.work = j.Work
	c.kernel.observer.Submit(to, j, c.kernel.now)
	c.list(j, &c.queue, nil)
	c.kernel.place(j, to)
}

// withdraw takes a waiting job from its policy, a Leaver.
func (c *Cluster) withdraw(j *Job) {
	c.kernel.current = j.ID
	c.release(j)
	c.stopWaiting(j)
}

// release takes a waiting job from its policy, if the policy knows it.
func (c *Cluster) release(j *Job) {
	if !c.kernel.limits.passes(j) {
		c.leaver.Leave(c, j)
	}
}

// Site returns the site of the job, nil before it has one.
func (j *Job) Site() *Cluster { return j.site }
