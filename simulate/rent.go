package simulate

import (
	"fmt"
	"math"
	"slices"

	"revopt/internal/heap"
)

// Rent is the terms of units that can be rented beside a site, for one job each time. Units
// are paid from the order to the end of the job.
type Rent struct {
	Price   float64 // $ per unit and second
	Startup float64 // s from the order until the job begins
	Limit   int     // units that are rented at a time; 0: any number
	Minimum float64 // s that are paid at least
}

// Billed returns the unit-seconds that a job of the given run time pays.
func (r *Rent) Billed(width int, length float64) float64 {
	return float64(width) * max(r.Startup+length, r.Minimum)
}

// Cost returns what it pays for them, $.
func (r *Rent) Cost(width int, length float64) float64 { return r.Price * r.Billed(width, length) }

// Burst says which waiting jobs of a site are sent to rented units. It is asked after the
// decisions of the policy, which does not know of rented units: to it, a job that is sent
// leaves the queue.
type Burst interface {
	// Wait is called when a job comes to the site, before its policy sees it, Gone when it no
	// longer waits, and Finish when it ends, here or on rented units.
	Wait(c *Cluster, j *Job)
	Gone(c *Cluster, j *Job)
	Finish(c *Cluster, j *Job)
	// Ask returns the gain if a waiting job is sent now. The job is sent if that is not
	// negative, and as soon as the limit allows it, the largest gain first. Otherwise Ask is
	// called again at the given time, or never if that is +Inf.
	Ask(c *Cluster, j *Job) (gain, again float64)
	// Refused reports whether a job that the admission refuses is sent.
	Refused(c *Cluster, j *Job) bool
}

// rental is the rented units of a site.
type rental struct {
	Rent
	burst Burst
	units int              // that are rented now
	fresh []waiter         // jobs for which the rule is to be asked
	ready heap.Heap[offer] // jobs to send, also those that are beyond the limit
}

// offer is a job that is to be sent.
type offer struct {
	waiter
	gain, at float64
}

// rents sets the rented units of a site.
func (c *Cluster) rents(s Site) error {
	switch {
	case s.Rent == nil || s.Burst == nil || s.Recorded:
		return nil
	case c.leaver == nil || c.sharing != nil:
		return fmt.Errorf("simulate: policy %T cannot send jobs to rented units", s.Policy)
	case !(s.Rent.Price >= 0 && s.Rent.Startup >= 0 && s.Rent.Minimum >= 0) || s.Rent.Limit < 0:
		return fmt.Errorf("simulate: rent with negative terms: %+v", *s.Rent)
	}
	c.rental = &rental{Rent: *s.Rent, burst: s.Burst}
	c.rental.ready.Less = func(a, b *offer) bool {
		return a.gain > b.gain || a.gain == b.gain && a.id < b.id
	}
	return nil
}

// Terms returns the terms of rented units, nil if the site has none.
func (c *Cluster) Terms() *Rent {
	if c.rental == nil {
		return nil
	}
	return &c.rental.Rent
}

// burst sends jobs until the rule has no more, and lets the policy decide anew without them.
func (c *Cluster) burst() {
	for c.rental.send(c) {
		c.restless = false
		c.policy.Schedule(c)
	}
}

// send sends the jobs that are due, and reports whether there were any.
func (r *rental) send(c *Cluster) (sent bool) {
	now := c.kernel.now
	for _, w := range r.fresh {
		if w.waits() && w.site == c && (r.Limit == 0 || w.Width <= r.Limit) {
			r.ask(c, w)
		}
	}
	r.fresh = r.fresh[:0]
	if r.ready.Len() > 2*c.waiting+slotBlock { // most of them have left
		r.ready.List = slices.DeleteFunc(r.ready.List, func(o offer) bool { return !o.waits() || o.site != c })
		r.ready.Init()
	}
	for r.ready.Len() > 0 {
		o := *r.ready.First()
		waits := o.waits() && o.site == c
		if waits && !r.fits(o.Job) {
			break
		}
		if r.ready.Pop(); waits && o.at < now {
			r.ask(c, o.waiter)
		} else if waits {
			c.Rent(o.Job)
			sent = true
		}
	}
	return sent
}

// ask asks the rule about a job that waits.
func (r *rental) ask(c *Cluster, w waiter) {
	k := c.kernel
	gain, again := r.burst.Ask(c, w.Job)
	switch {
	case gain >= 0:
		r.ready.Push(offer{w, gain, k.now})
	case again <= math.MaxFloat64:
		w.asked = true
		k.events.push(max(again, k.now), ask, w.slot, uint32(w.id))
	}
}

// Rent sends a waiting job to rented units. It starts there after their startup and runs to its
// end. It must be within the limit.
func (c *Cluster) Rent(j *Job) {
	k, r := c.kernel, c.rental
	if c.mustWait(j); r == nil || !r.fits(j) {
		panic(fmt.Sprintf("simulate: job %d is sent to rented units that there are not", j.ID))
	}
	k.current = j.ID
	c.leaver.Leave(c, j)
	c.stopWaiting(j)
	c.list(j, &c.queue, nil)
	c.order(j)
}

// takes reports whether a job that the admission refuses is sent. It must fit into the machine.
func (r *rental) takes(c *Cluster, j *Job) bool {
	return r != nil && j.Width <= c.processors && r.fits(j) && r.burst.Refused(c, j)
}

// fits reports whether the limit allows the units of a job.
func (r *rental) fits(j *Job) bool {
	return r.Limit == 0 || r.units+j.Width <= r.Limit
}

// order rents the units of a job that does not wait.
func (c *Cluster) order(j *Job) {
	k, r := c.kernel, c.rental
	if !j.admitted {
		c.Admit(j)
	}
	r.units += j.Width
	j.state, j.Rented, j.RentPaid = running, true, r.Cost(j.Width, j.Work)
	k.notify(Event{Kind: Ordered, Site: c, Job: j})
	if j.Finish = k.now + r.Startup; r.Startup == 0 {
		k.occupy(j)
		return
	}
	k.events.push(early(j.Finish), completion, j.slot, j.stint)
}

// occupy starts a job on its rented units.
func (k *kernel) occupy(j *Job) {
	j.Start, j.since, j.tasks = k.now, k.now, 1
	j.Finish = k.now + j.Work
	k.events.push(early(j.Finish), completion, j.slot, j.stint)
	k.notify(Event{Kind: Started, Site: j.site, Job: j})
}

// unask tells the rule that a job no longer waits.
func (c *Cluster) unask(j *Job) {
	c.rental.burst.Gone(c, j)
	if j.asked {
		j.asked = false
		c.kernel.stale++
	}
}

// giveBack ends a job on rented units, or its startup.
func (k *kernel) giveBack(j *Job) {
	k.current = j.ID
	if j.tasks == 0 {
		k.occupy(j)
		return
	}
	r := j.site.rental
	j.state, j.Finish = ending, k.now
	r.units -= j.Width
	if r.burst.Finish(j.site, j); j.site.byValue {
		j.Revenue = j.Worth(k.now)
	} else {
		j.Revenue -= j.RentPaid
	}
	k.notify(Event{Kind: Completed, Site: j.site, Job: j})
	k.end(j)
}
