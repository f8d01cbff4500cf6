package simulate

// Router says to which site a submitted job goes. The brokers of grids, chains of providers
// and the pools of a machine are routers, see package agent. A run without one has a single
// site, or sends every job to the first.
type Router interface {
	// Route returns the site of a job that was just submitted. With a reason other than
	// NoReason the job is rejected there; the site may then be nil.
	Route(j *Job, sites []*Cluster) (*Cluster, Reason)
	// Next returns the site that decides on a job that another one has refused at its
	// submission: its admission, or its policy, which has neither admitted the job nor let it wait.
	// Nil rejects the job.
	Next(j *Job, from *Cluster, sites []*Cluster) *Cluster
}

// Estimator is a policy that says when it would start a job that comes now, so that routers can
// choose the site that starts it first. Queued is the time that the cluster takes for the jobs that wait,
// by their estimates, s.
type Estimator interface {
	Policy
	Estimate(c *Cluster, j *Job, queued float64) float64
}

// route hands a job that was just submitted to the policy of its site.
func (k *kernel) route(j *Job) {
	c, why := k.sites[0], NoReason
	if c.recorded {
		j.Void = false
		j.Expire = 0
	}
	if k.router != nil {
		c, why = k.router.Route(j, k.sites)
	}
	if j.Void {
		why = NeverRan
	}
	enters := why == NoReason && c.Admits(j)
	k.observer.Submit(c, j, k.now)
	switch {
	case enters:
		k.enter(j, c)
	case why == NoReason:
		k.refuse(j, c)
	default:
		k.reject(j, c, why)
	}
}

// refuse lets the router send a job on that the admission refuses at a site. Otherwise it is rejected.
func (k *kernel) refuse(j *Job, c *Cluster) {
	if !k.pass(j, c, Refused) {
		k.reject(j, c, Refused)
	}
}

func (k *kernel) reject(j *Job, c *Cluster, why Reason) {
	k.notify(Event{Kind: Rejected, Reason: why, Site: c, Job: j})
	k.end(j)
}

// pass hands a job that a site refuses to the next one, and reports whether there is one.
func (k *kernel) pass(j *Job, c *Cluster, why Reason) bool {
	if k.router == nil {
		return false
	}
	j.reveal()
	next := k.router.Next(j, c, k.sites)
	if next == nil {
		return false
	}
	if j.site != nil {
		c.list(j, &c.queue, nil)
		j.site = nil
	}
	k.notify(Event{Kind: Forwarded, Reason: why, Site: c, Job: j})
	if next.Admits(j) {
		k.enter(j, next)
	} else {
		k.refuse(j, next)
	}
	return true
}

// place lets a job wait at a site and tells its policy. A job that moves to a site where it has less patience
// may give up at once, and so may one that was held.
func (k *kernel) place(j *Job, c *Cluster) {
	c.stir()
	if k.limits != nil && !k.limits.meet(j, c) {
		k.reject(j, c, Resources)
		return
	}
	j.site = c
	c.list(j, nil, &c.queue)
	c.waiting++
	if j.Class >= len(c.use) {
		c.expectClass(j.Class)
	}
	if c.watch[Waits] != nil {
		c.tell(Waits, j)
	}
	if j.expires() {
		if (k.now > j.Submit || j.Eligible > k.now) && k.now >= j.Expire {
			k.forsake(j)
			return
		}
		w := waiter{j, j.ID}
		if j.Expire > k.horizon {
			k.patient = append(k.patient, w)
		} else {
			k.fresh = append(k.fresh, w)
		}
	}
	c.Hide(j)
	if k.limits == nil || k.limits.enter(j) {
		c.policy.Arrive(c, j)
	}
}
