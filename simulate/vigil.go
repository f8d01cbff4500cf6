package simulate

import (
	"fmt"
	"math"
)

// vigil counts the decisions of a site that wakes alone ask for, since a job last started, was resumed or
// left the queue.
type vigil struct {
	wakes int
	since float64 // time of the first
	stuck bool    // the run was stuck after half of idleWakes
}

const (
	idleWakes = 100_000 // decisions in a row that do nothing, after which a run that is stuck ends
	idlePace  = 10_000  // the wait for the next event, over the time in which these decisions were made
)

// woken counts a decision that the policy has asked for. A run that is stuck after the last idleWakes of
// them, and was so after half of these, ends with an error.
func (c *Cluster) woken() {
	v := &c.idle
	v.wakes++
	switch v.wakes {
	case 1:
		v.since = c.kernel.now
	case idleWakes / 2:
		v.stuck = c.stuck()
	case idleWakes:
		v.wakes = 0
		if v.stuck && c.stuck() {
			c.Fail(fmt.Errorf("%d decisions in a row, from %.15g s to %.15g s, only ask for the next "+
				"one; %d jobs wait", idleWakes, v.since, c.kernel.now, c.waiting))
		}
	}
}

// stuck reports whether jobs wait although all processors are up and free, or whether nothing happens by
// itself for a time that is very long beside the time that passed since the first wake.
func (c *Cluster) stuck() bool {
	return c.waiting > 0 && c.running == 0 && c.free == c.processors ||
		c.upcoming()-c.kernel.now > idlePace*(c.kernel.now-c.idle.since)
}

// upcoming returns the time of the first event to come that is no wake, +Inf if there is none.
func (c *Cluster) upcoming() float64 {
	k := c.kernel
	next := math.Inf(1)
	if k.arrival.time != never {
		next = k.arrival.at()
	}
	for _, events := range [][]event{k.events.front[k.events.head:k.events.tail], k.events.heap} {
		for _, e := range events {
			if e.phase() != wake && !k.isStale(e) {
				next = min(next, e.at())
			}
		}
	}
	for _, w := range k.patient {
		if w.waits() {
			next = min(next, w.Expire)
		}
	}
	return next
}
