package policy

import (
	"math"

	"revopt/simulate"
)

// librasla is proportional share by return. See NewLibraSLA.
type librasla struct {
	shortlist
	books []book // by node

	// Of the job that is looked at:
	site  *simulate.Cluster
	share float64 // on a node of speed 1
	fresh claim
}

// NewLibraSLA returns LibraSLA: proportional share in which soft deadlines may
// give way, at a penalty, and spare capacity goes to the job with the highest
// return,
//
//	return = utility/runtime/deadline    (5)
//
// A node whose shares sum to more than 1 is short: hard deadlines and the best
// job, of the highest return by the budgets, keep their shares, and the other
// soft jobs share the shortfall in proportion to theirs. A best job that is
// soft is cut to what the hard ones leave.
//
// A node qualifies for a job if its return, the sum over its jobs, does not
// fall and, for a hard deadline, if the hard shares fit. The returns with and
// without the job are computed as of now: on a node with capacity for all
// everybody earns the budget, on one that is short the jobs that are cut earn
// the utility of the time at which they would end, minus infinity with a share
// of zero. The Width nodes of the highest return with the job are taken.
//
// A job is rejected if the cluster has not Width nodes that could ever hold it
// (resources), if its deadline is shorter than its runtime, missing, or hard
// and met by fewer than Width nodes (deadline), or if fewer than Width qualify
// (return). It pays its utility once, with its last task.
//
// Yeo and Buyya (2005), Algorithms 1 and 2; line 11 of the latter is inverted
// in print, and the prose is followed. With exact estimates no hard deadline
// is missed.
func NewLibraSLA() simulate.Finisher { return new(librasla) }

// Arrive implements simulate.Policy.
func (l *librasla) Arrive(c *simulate.Cluster, j *simulate.Job) {
	switch {
	case isTooLarge(c, j):
		c.Reject(j, simulate.Resources)
	case !isBound(j) || !l.canMeet(c, j):
		c.Reject(j, simulate.Deadline)
	default:
		l.place(c, j)
	}
}

// place starts a job on the nodes of the highest return, or rejects it.
func (l *librasla) place(c *simulate.Cluster, j *simulate.Job) {
	if !l.find(c, j) {
		c.Reject(j, simulate.Return)
		return
	}
	nodes, ok := l.choose(j.Width, slack*l.largest(), l)
	if !ok {
		c.Reject(j, simulate.Return)
		return
	}
	c.StartOn(j, nodes)
	for _, i := range nodes {
		tasks := c.Nodes()[i].Tasks
		termsOf(j).note(&tasks[len(tasks)-1])
	}
}

// canMeet reports whether enough nodes could take a job and, where its deadline
// is hard, meet it.
func (l *librasla) canMeet(c *simulate.Cluster, j *simulate.Job) bool {
	now, hard := c.Now(), j.Value.Hard
	share := j.Spec.Details.Estimate / j.Value.Due
	dispensable := c.Processors() - j.Width
	for _, n := range c.Nodes() {
		sum := share / n.Speed
		if hard && len(n.Tasks) > 0 {
			sum += l.hard(n, now)
		}
		if sum > 1+slack || !hasRoom(n, &j.Spec.Requirements) {
			if dispensable--; dispensable < 0 {
				return false
			}
		}
	}
	return true
}

// find puts the nodes that qualify for a job on the list and reports whether
// they are enough.
func (l *librasla) find(c *simulate.Cluster, j *simulate.Job) bool {
	due := j.Value.Due
	l.site, l.share = c, j.Spec.Details.Estimate/due
	l.fresh = claim{terms: termsOf(j), ahead: due, reach: due}
	l.reset()
	now, dispensable := c.Now(), c.Processors()-j.Width
	for _, n := range c.Nodes() {
		if limited(n) && !hasRoom(n, &j.Spec.Requirements) || !l.look(n, now) {
			if dispensable--; dispensable < 0 {
				return false
			}
		}
	}
	return true
}

// look puts a node on the list if it qualifies, and reports whether that is so.
// Its return is computed only where bounds on it do not say.
func (l *librasla) look(n *simulate.Node, now float64) bool {
	fresh := &l.fresh
	fresh.share = l.share / n.Speed
	if fresh.share > 1+slack {
		return false
	}
	switch b := l.open(n); {
	case b == nil:
	case !b.short:
		if b.load(n, now)+fresh.share <= 1+slack {
			l.propose(-b.worth-fresh.worth, n.ID) // everybody earns the budget, before and after
			return true
		}
	default:
		switch p, most := b.foresee(n, fresh, now); p {
		case gain:
			l.suggest(-most, n.ID)
			return true
		case loss:
			return false
		}
	}
	value, ok := l.qualifies(n, now)
	if ok {
		l.propose(-value, n.ID)
	}
	return ok
}

// judge implements judge.
func (l *librasla) judge(node int) float64 {
	n := l.site.Nodes()[node]
	l.fresh.share = l.share / n.Speed
	if value, ok := l.qualifies(n, l.site.Now()); ok {
		return -value
	}
	return math.Inf(1)
}

// qualifies returns the return of a node with the new claim, and whether it may
// take it.
func (l *librasla) qualifies(n *simulate.Node, now float64) (value float64, ok bool) {
	var s standing
	l.sum(n, &s, now)
	present := s.value()
	s.add(&l.fresh)
	if l.fresh.hard && s.hard > 1+slack {
		return 0, false
	}
	value = s.value()
	return value, value >= present-slack*s.worth && !math.IsInf(value, -1)
}

// open returns the book of a node, nil where it does not hold.
func (l *librasla) open(n *simulate.Node) *book {
	if n.Changed() || n.ID >= len(l.books) || !l.books[n.ID].quiet {
		return nil
	}
	return &l.books[n.ID]
}

// sum sets s to what the tasks of a node add up to.
func (l *librasla) sum(n *simulate.Node, s *standing, now float64) {
	if b := l.open(n); b != nil {
		b.sum(n, s, now)
		return
	}
	*s = standing{}
	for i := range n.Tasks {
		c := claimOf(&n.Tasks[i], n.Left(i, now), now)
		s.add(&c)
	}
}

// hard returns the sum of the shares with hard deadlines on a node.
func (l *librasla) hard(n *simulate.Node, now float64) float64 {
	if b := l.open(n); b != nil {
		return b.hardShare(n, now)
	}
	var sum float64
	for i := range n.Tasks {
		if t := &n.Tasks[i]; t.Hard {
			sum += demand(t, n.Left(i, now), now)
		}
	}
	return sum
}

// Schedule implements simulate.Policy: everything is decided on arrival.
func (l *librasla) Schedule(*simulate.Cluster) {}

// Finish implements simulate.Finisher.
func (l *librasla) Finish(c *simulate.Cluster, j *simulate.Job) { c.Charge(j, j.Worth(c.Now())) }

// SetRates implements simulate.Sharing.
func (l *librasla) SetRates(n *simulate.Node, now float64) {
	for n.ID >= len(l.books) {
		l.books = append(l.books, book{})
	}
	b := &l.books[n.ID]
	b.write(n, now)
	if b.short {
		for i := range n.Tasks {
			t := &n.Tasks[i]
			t.Rate *= b.cut.of(t.Hard, i == b.best)
		}
	}
	if b.total < 1 && len(n.Tasks) > 0 {
		n.Tasks[b.best].Rate += 1 - b.total
	}
	if b.blunder {
		review(n, now)
	}
}
