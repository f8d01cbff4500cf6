package simulate

// Observer sees every transition, in order, and changes nothing. Job.Revenue
// already includes the money that a transition books.
type Observer interface {
	Observe(e Event)
}

// Follower is an Observer with a method for each step that nearly every job takes, so that no Event is made
// for it. Observe tells it of the other transitions. It must not depend on Admitted and Rated, which are left out
// if no other observer watches: Job.Admitted tells at the end of a job whether it was admitted.
type Follower interface {
	Observer
	Submit(c *Cluster, j *Job, now float64)   // in place of Submitted
	Start(c *Cluster, j *Job, now float64)    // in place of Started
	Complete(c *Cluster, j *Job, now float64) // in place of Completed
}

// watch lets observers see the run. All of them together are one follower.
func (k *kernel) watch(list []Observer) {
	var all followers
	for _, o := range list {
		f, ok := o.(Follower)
		if !ok {
			f = spectator{o}
			k.spectators = true
		}
		all = append(all, f)
	}
	k.observer = all
	if len(all) == 1 {
		k.observer = all[0]
	}
}

// notify tells the observers of a transition for which followers have no method.
func (k *kernel) notify(e Event) {
	e.Time = k.now
	k.observer.Observe(e)
}

// announce tells the observers of something that concerns every site.
func (k *kernel) announce(kind Kind) {
	for _, c := range k.sites {
		k.notify(Event{Kind: kind, Site: c})
	}
}

// spectator makes a follower of any observer.
type spectator struct{ Observer }

// Submit implements Follower.
func (s spectator) Submit(c *Cluster, j *Job, now float64) {
	s.Observe(Event{Kind: Submitted, Time: now, Site: c, Job: j})
}

// Start implements Follower.
func (s spectator) Start(c *Cluster, j *Job, now float64) {
	s.Observe(Event{Kind: Started, Time: now, Site: c, Job: j})
}

// Complete implements Follower.
func (s spectator) Complete(c *Cluster, j *Job, now float64) {
	s.Observe(Event{Kind: Completed, Time: now, Site: c, Job: j})
}

// followers are several followers as one, or none.
type followers []Follower

// Observe implements Observer.
func (l followers) Observe(e Event) {
	for _, f := range l {
		f.Observe(e)
	}
}

// Submit implements Follower.
func (l followers) Submit(c *Cluster, j *Job, now float64) {
	for _, f := range l {
		f.Submit(c, j, now)
	}
}

// Start implements Follower.
func (l followers) Start(c *Cluster, j *Job, now float64) {
	for _, f := range l {
		f.Start(c, j, now)
	}
}

// Complete implements Follower.
func (l followers) Complete(c *Cluster, j *Job, now float64) {
	for _, f := range l {
		f.Complete(c, j, now)
	}
}
