package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

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
	Kill     bool // stopped jobs end, and pay nothing; otherwise they wait again, and restart
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

// Level is a number of units from a time on.
type Level struct {
	From  float64
	Units int
}

// Levels returns the number of units that are up over time, from time 0 on. Units that drain
// count as up, because jobs may still run on them.
func Levels(units int, down []Outage) []Level {
	type change struct {
		at float64
		by int
	}
	changes := make([]change, 0, 2*len(down)+1)
	changes = append(changes, change{})
	for _, o := range down {
		if !o.Drain {
			changes = append(changes, change{max(o.From, 0), -o.Units}, change{max(o.To, 0), o.Units})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	var list []Level
	sum := units
	for i, c := range changes {
		if sum += c.by; i+1 == len(changes) || changes[i+1].at > c.at {
			list = append(list, Level{c.at, max(sum, 0)})
		}
	}
	return list
}

// UnitSeconds returns the unit-seconds of levels up to a time.
func UnitSeconds(levels []Level, until float64) float64 {
	var sum float64
	for i, l := range levels {
		end := until
		if i+1 < len(levels) {
			end = min(end, levels[i+1].From)
		}
		sum += float64(l.Units) * max(end-l.From, 0)
	}
	return sum
}

// downtime is the outages of a cluster.
type downtime struct {
	known  []Outage // planned or begun, by the time at which they became known
	ahead  int      // number of these that are not over
	levels []Level
	sum    int // units of the outages in progress, which may be more than there are
}

// plan checks the outages of a site and puts them on the agenda. At one instant units come
// back before others go down, and before jobs arrive.
func (c *Cluster) plan(down []Outage) error {
	if len(down) == 0 {
		return nil
	}
	if c.stopper, _ = c.policy.(Stopper); !c.recorded && (c.stopper == nil || c.sharing != nil) {
		return fmt.Errorf("simulate: policy %T cannot run on a machine with outages", c.policy)
	}
	down = slices.Clone(down)
	slices.SortStableFunc(down, func(a, b Outage) int { return cmp.Compare(a.From, b.From) })
	c.outages, c.levels = down, Levels(c.processors, down)
	for _, o := range down {
		if !(o.From >= 0 && o.From < o.To && o.To <= math.MaxFloat64) || o.Units < 1 || o.Units > c.processors {
			return fmt.Errorf("simulate: outage of %d of %d processors from %g s to %g s",
				o.Units, c.processors, o.From, o.To)
		}
		if o.Planned {
			c.known = append(c.known, o)
		}
	}
	c.ahead = len(c.known)
	for i := 0; i < len(down) && !c.recorded; i++ {
		c.kernel.events.push(down[i].To, arrival, toUp+2*c.index, uint32(i))
	}
	for i := 0; i < len(down) && !c.recorded; i++ {
		c.kernel.events.push(down[i].From, arrival, toDown+2*c.index, uint32(i))
	}
	return nil
}

// Outages returns the outages that are known, planned ones first. The list only grows. A
// policy that makes plans checks in every decision whether it has grown.
func (c *Cluster) Outages() []Outage { return c.known }

// Ahead reports whether one of them is not over.
func (c *Cluster) Ahead() bool { return c.ahead > 0 }

// UnitSeconds returns the processor-seconds of the processors that were up, until now.
func (c *Cluster) UnitSeconds() float64 {
	if c.levels == nil {
		return c.kernel.now * float64(c.processors)
	}
	return UnitSeconds(c.levels, c.kernel.now)
}

// turn takes the units of an outage away, or gives them back. Units that are still to leave
// make the number of free ones negative.
func (c *Cluster) turn(o Outage, begins bool) {
	units, floor := -o.Units, min(c.free, 0)
	if begins {
		units = o.Units
	} else {
		c.ahead--
	}
	if begins && !o.Planned {
		c.known, c.ahead = append(c.known, o), c.ahead+1
	}
	c.sum += units
	c.free -= units
	c.restless = true
	for j := c.latest(); j != nil && c.free < floor && !o.Drain; j = c.latest() {
		c.stop(j, o.Kill)
	}
}

// latest returns the running job that started last, nil if none runs.
func (c *Cluster) latest() *Job {
	var last *Job
	for j := range c.Served() {
		if last == nil || j.since > last.since || j.since == last.since && j.ID > last.ID {
			last = j
		}
	}
	return last
}

// stop takes the processors of a running job away. Its work so far is lost.
func (c *Cluster) stop(j *Job, kill bool) {
	c.kernel.current = j.ID
	j.Revenue = 0 // policies may charge at the start
	c.preempt(j, 0, true)
	c.stopper.Stop(c, j, !kill)
	if j.felled = kill; kill {
		c.Expire(j)
	}
}
