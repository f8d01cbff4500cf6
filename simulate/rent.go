package simulate

import "fmt"

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

// Offer sets the terms of units that agents can rent for jobs of the site. Jobs leave the queue of
// its policy, which must be a Leaver on dedicated processors.
func (c *Cluster) Offer(terms Rent) error {
	if c.leaver == nil || c.sharing != nil {
		return fmt.Errorf("simulate: policy %T cannot send jobs to rented units", c.policy)
	}
	if !(terms.Price >= 0 && terms.Startup >= 0 && terms.Minimum >= 0) || terms.Limit < 0 {
		return fmt.Errorf("simulate: rent with negative terms: %+v", terms)
	}
	c.terms = &terms
	return nil
}

// Terms returns the terms of rented units, nil if the site has none.
func (c *Cluster) Terms() *Rent { return c.terms }

// Order sends a job that waits here, or that the admission has just refused here, to rented units.
// It starts there after their startup and runs to its end. The policy, which does not know of
// rented units, is told that a waiting job leaves. The agent keeps the limit.
func (c *Cluster) Order(j *Job) {
	if j.site == nil {
		j.site = c
	} else {
		c.mustWait(j)
		c.withdraw(j)
		c.list(j, &c.queue, nil)
	}
	if !j.admitted {
		c.Admit(j)
	}
	j.state = running
	j.Rented = true
	j.RentPaid = c.terms.Cost(j.Width, j.Work)
	c.kernel.notify(Event{Kind: Ordered, Site: c, Job: j})
	if c.terms.Startup == 0 {
		c.kernel.occupy(j)
		return
	}
	j.Finish = c.kernel.now + c.terms.Startup
	c.kernel.events.push(early(j.Finish), completion, j.slot, j.stint)
}

// occupy starts a job on its rented units.
func (k *kernel) occupy(j *Job) {
	j.tasks = 1
	j.Start = k.now
	j.since = k.now
	j.Finish = k.now + j.Work
	k.events.push(early(j.Finish), completion, j.slot, j.stint)
	k.observer.Start(j.site, j, k.now)
}

// giveBack ends a job on rented units, or their startup.
func (k *kernel) giveBack(j *Job) {
	k.current = j.ID
	if j.tasks == 0 {
		k.occupy(j)
		return
	}
	c := j.site
	j.state = ending
	j.Finish = k.now
	c.tell(Finishes, j)
	if c.byValue {
		j.Revenue = j.Worth(k.now)
	} else {
		j.Revenue -= j.RentPaid
	}
	k.observer.Complete(c, j, k.now)
	k.end(j)
}
