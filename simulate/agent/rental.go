package agent

import (
	"math"
	"slices"

	"revopt/internal/heap"
	"revopt/simulate"
)

// Burst says which waiting jobs of a site are sent to rented units. It is asked after the
// decisions of the policy, which does not know of rented units: to it, a job that is sent
// leaves the queue.
type Burst interface {
	// Wait is called when a job comes to the site, before its policy sees it, Gone when it no
	// longer waits, and Finish when it ends, here or on rented units.
	Wait(c *simulate.Cluster, j *simulate.Job)
	Gone(c *simulate.Cluster, j *simulate.Job)
	Finish(c *simulate.Cluster, j *simulate.Job)
	// Ask returns the gain if a waiting job is sent now. The job is sent if that is not
	// negative, and as soon as the limit allows it, the largest gain first. Otherwise Ask is
	// called again at the given time, or never if that is +Inf.
	Ask(c *simulate.Cluster, j *simulate.Job) (gain, again float64)
	// Refused reports whether a job that the admission refuses is sent.
	Refused(c *simulate.Cluster, j *simulate.Job) bool
}

// Rental rents units beside a site for the jobs that the rule chooses. Jobs of a recorded
// schedule stay.
type Rental struct {
	Site  int
	Terms simulate.Rent
	Burst Burst

	site   *simulate.Cluster
	timers *simulate.Timers
	asks   []inquiry        // by slot
	units  int              // that are rented now
	fresh  []waiter         // jobs for which the rule is to be asked
	ready  heap.Heap[offer] // jobs to send, also those that are beyond the limit
}

// inquiry is a question to the rule that is asked again later.
type inquiry struct {
	waiter
	timer simulate.Timer
}

// waiter is a job that may wait. Its slot may hold another job by now, with another number.
type waiter struct {
	*simulate.Job
	id int64
}

// offer is a job that is to be sent.
type offer struct {
	waiter
	gain, at float64
}

// Join implements simulate.Agent.
func (r *Rental) Join(sites []*simulate.Cluster, timers *simulate.Timers) error {
	c := sites[r.Site]
	if c.Recorded() {
		return nil
	}
	r.site, r.timers = c, timers
	r.ready.Less = func(a, b *offer) bool {
		return a.gain > b.gain || a.gain == b.gain && a.id < b.id
	}
	c.Watch(simulate.Waits, r.wait)
	c.Watch(simulate.Leaves, r.leave)
	c.Watch(simulate.Finishes, r.finish)
	c.AfterDecision(r.send)
	c.OnRefusal(r.refused)
	return c.Offer(r.Terms)
}

func (r *Rental) wait(c *simulate.Cluster, j *simulate.Job) {
	r.Burst.Wait(c, j)
	r.fresh = append(r.fresh, waiter{j, j.ID})
}

func (r *Rental) leave(c *simulate.Cluster, j *simulate.Job) {
	r.Burst.Gone(c, j)
	if j.Slot() < len(r.asks) {
		r.timers.Cancel(r.asks[j.Slot()].timer)
		r.asks[j.Slot()] = inquiry{}
	}
}

func (r *Rental) finish(c *simulate.Cluster, j *simulate.Job) {
	if j.Rented {
		r.units -= j.Width
	}
	r.Burst.Finish(c, j)
}

// refused sends a job that the admission refuses if the rule takes it. It must fit into the machine.
func (r *Rental) refused(c *simulate.Cluster, j *simulate.Job) bool {
	takes := j.Width <= c.Processors() && r.fits(j) && r.Burst.Refused(c, j)
	if takes {
		r.order(j)
	}
	return takes
}

func (r *Rental) order(j *simulate.Job) {
	r.units += j.Width
	r.site.Order(j)
}

// fits reports whether the limit allows the units of a job.
func (r *Rental) fits(j *simulate.Job) bool {
	return r.Terms.Limit == 0 || r.units+j.Width <= r.Terms.Limit
}

// send sends the jobs that are due, and reports whether there were any.
func (r *Rental) send(c *simulate.Cluster) (sent bool) {
	for _, w := range r.fresh {
		if r.waits(w) && (r.Terms.Limit == 0 || w.Width <= r.Terms.Limit) {
			r.ask(w)
		}
	}
	r.fresh = r.fresh[:0]
	r.forget()
	for r.ready.Len() > 0 {
		o := *r.ready.First()
		if !r.waits(o.waiter) {
			r.ready.Pop()
			continue
		}
		if !r.fits(o.Job) {
			break // the best offer waits for rented units to come back
		}
		r.ready.Pop()
		if o.at < c.Now() {
			r.ask(o.waiter) // the answer is old, so the rule is asked again
			continue
		}
		r.order(o.Job)
		sent = true
	}
	return sent
}

// forget drops the offers of jobs that no longer wait if most of them do not.
func (r *Rental) forget() {
	if r.ready.Len() > 2*r.site.Waiting()+64 {
		r.ready.List = slices.DeleteFunc(r.ready.List, func(o offer) bool { return !r.waits(o.waiter) })
		r.ready.Init()
	}
}

func (r *Rental) waits(w waiter) bool { return r.site.Holds(w.Job, w.id) }

// ask asks the rule about a job that waits.
func (r *Rental) ask(w waiter) {
	gain, again := r.Burst.Ask(r.site, w.Job)
	switch {
	case gain >= 0:
		r.ready.Push(offer{w, gain, r.site.Now()})
	case again <= math.MaxFloat64:
		for w.Slot() >= len(r.asks) {
			r.asks = append(r.asks, inquiry{})
		}
		r.asks[w.Slot()] = inquiry{w, r.timers.Set(again, simulate.PhaseAsk, r, w.Slot())}
	}
}

// Timer implements simulate.Agent: the rule is asked again about the job in a slot, after the decision of
// the instant.
func (r *Rental) Timer(slot int) {
	r.fresh = append(r.fresh, r.asks[slot].waiter)
	r.asks[slot] = inquiry{}
}
