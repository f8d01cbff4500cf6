package policy

import (
	"math"

	"revopt/simulate"
)

// LibraTerms are the choices that Libra leaves open. The zero value charges nothing; the
// factors of Yeo and Buyya (2007), section VII.B, are 1.
type LibraTerms struct {
	LeastLoaded bool    // take the nodes with the most capacity left, Sherwani et al. (2004), not the least
	Spare       Spare   // the rule for capacity that is left over
	Gamma       float64 // $ per second of estimated runtime
	Delta       float64 // $ for a deadline as short as the runtime
	Wish        Wish    // the users' objective
	TimeSharing
}

// libraOptions are the terms as options of a policy.
func libraOptions() []Option {
	return append([]Option{
		{Name: "choice", Values: []string{"best-fit", "least-loaded"}},
		spareOption(), NumberOption("gamma", "1"), NumberOption("delta", "1"), wishOption(),
	}, timeSharingOptions()...)
}

func (s Settings) libra() LibraTerms {
	return LibraTerms{
		LeastLoaded: s["choice"] == "least-loaded", Spare: s.spare(),
		Gamma: s.Number("gamma"), Delta: s.Number("delta"), Wish: s.wish(),
		TimeSharing: s.timeSharing(),
	}
}

// Cost returns the cost of a job with the given estimate and deadline,
//
//	C = gamma E + delta E/D
//
// Sherwani et al. (2004); Yeo and Buyya (2007), section VII.B.
func (l LibraTerms) Cost(estimate, deadline float64) float64 {
	return l.Gamma*estimate + l.Delta*estimate/deadline
}

// libra is proportional share with hard deadlines. See NewLibra.
type libra struct {
	LibraTerms
	roster
	loads

	// Of the job at hand:
	need   simulate.Requirements
	share  float64 // on a node of speed 1
	cost   float64 // at a base price of 1
	budget float64
	due    float64
}

// NewLibra returns Libra: every accepted job has on each of its nodes a share of the
// processor with which it ends by its deadline. A node can take a job if the sum of the
// shares including the job's is at most 1.
//
// A job is rejected, in this order, if fewer than Width nodes could ever hold it
// (resources), if its cost exceeds its price (budget), or if fewer than Width nodes can
// take it now (deadline). A job without a deadline or runtime is rejected for deadline.
// The job gets the best fit, the nodes with the least capacity left, or the least loaded
// nodes, or those of its Wish. It pays when it has ended, nothing if it is late. If nodes
// have prices, the cost is multiplied by them, nodes that cost more than the budget are
// excluded, and the job pays the largest cost of its nodes. If jobs pay their value there
// is no cost.
//
// Sherwani et al. (2004); best fit is of Yeo and Buyya (2005, 2007). With exact
// estimates no job is ever late.
func NewLibra(terms LibraTerms) simulate.Finisher { return &libra{LibraTerms: terms} }

// Arrive implements simulate.Policy.
func (l *libra) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if !l.receive(c, j) {
		return
	}
	estimate, v := j.Spec.Details.Estimate, &j.Value
	l.now = c.Now()
	l.need, l.share, l.tolerance, l.byLow = j.Spec.Requirements, estimate/v.Due, slack, l.LeastLoaded
	l.cost, l.due, l.budget, l.relative = l.Cost(estimate, v.Due), v.Due, v.Price*(1+slack), l.Wish != NoWish
	if c.ByValue() {
		l.budget = math.Inf(1)
	}
	within := func(k *machineKind) bool { return l.cost*base(&k.Machine) <= l.budget && suits(&k.Machine, &l.need) }
	if l.count(within) < j.Width {
		c.Reject(j, simulate.Budget)
		return
	}
	processors, ok := l.search(c, j.Width, l)
	if !ok {
		c.Reject(j, simulate.Deadline)
		return
	}
	most := 0.0
	for _, i := range processors {
		most = max(most, base(&l.kind(i).Machine))
	}
	c.Charge(j, l.cost*most)
	l.take(processors)
	c.StartOn(j, processors)
}

// Finish implements simulate.Finisher.
func (l *libra) Finish(c *simulate.Cluster, j *simulate.Job) { refund(c, j) }

// SetRates implements simulate.Sharing.
func (l *libra) SetRates(n *simulate.Node, now float64) {
	l.now = now
	l.Spare.rate(n, now, l.at(n.ID), l.TimeSharing)
	l.file(n, l)
}

// isBound reports whether a job has a runtime and a deadline, and so a share.
func isBound(j *simulate.Job) bool {
	return j.Spec.Details.Estimate > 0 && j.Value.Dated && j.Value.Due > 0
}

// refund cancels the charge of a job that has ended late.
func refund(c *simulate.Cluster, j *simulate.Job) {
	if j.Lateness(c.Now()) > 0 {
		c.Charge(j, -j.Revenue)
	}
}

// look implements seeker. It adds up the shares of a node only if their bounds do not
// decide.
func (l *libra) look(k *machineKind, node int, changed *simulate.Node) {
	c := l.at(node)
	if changed != nil {
		*c = loadBound{changed: true, limit: -1}
	} else if c.changed {
		return
	}
	if l.cost*base(&k.Machine) > l.budget || limited(&k.Machine) && !hasRoom(l.site.Node(node), l.need) {
		return
	}
	if l.Wish != NoWish {
		if l.left(k, node) >= -slack {
			l.propose(l.wished(k, l.load(l.site.Node(node)), len(l.site.Node(node).Tasks)), node)
		}
		return
	}
	if t, room := l.now-c.since, l.capacity(2); t <= c.limit {
		most := room - c.most(t) - k.share
		switch {
		case most >= -slack && l.LeastLoaded:
			l.suggest(c.least(t)+k.share-room, node)
			return
		case most >= -slack:
			l.suggest(most, node)
			return
		case room-c.least(t)-k.share < -slack:
			return
		}
	}
	if capacity := l.left(k, node); capacity >= -slack {
		l.propose(l.key(capacity), node)
	}
}

// scan implements seeker.
func (l *libra) scan(k *machineKind, entries []listing) { l.scanLoads(k, entries, l, l.now) }

// keyOf implements keyer.
func (l *libra) keyOf(node int) float64 { return l.key(l.left(l.kindAt(node), node)) }

// left returns the remaining capacity of a node with the job.
func (l *libra) left(k *machineKind, node int) float64 {
	return l.capacity(len(l.site.Node(node).Tasks)+1) - l.load(l.site.Node(node)) - k.share
}

// key returns the key of a node with the given remaining capacity.
func (l *libra) key(capacity float64) float64 {
	if l.LeastLoaded {
		return -capacity
	}
	return capacity
}

// wished returns the key of a node of the given load by the wish.
func (l *libra) wished(k *machineKind, load float64, tasks int) float64 {
	if l.Wish == Cheapest {
		return l.cost * base(&k.Machine)
	}
	return k.share * l.due / l.Spare.rateOf(k.share, load, tasks, l.TimeSharing)
}

// bound implements seeker. The rank is the load, or minus the load with LeastLoaded.
func (l *libra) bound(k *machineKind, node int) listing {
	e := l.within(k, l.site.Node(node))
	if l.LeastLoaded {
		e.rank = -e.low
	}
	return e
}

// demands implements seeker.
func (l *libra) demands(k *machineKind) demands {
	share := l.share / k.Speed
	capacity, empty := l.capacity(2)-share, 1-share
	d := demands{
		share: share, room: capacity + 2*slack, most: math.Inf(1), dear: math.Inf(1),
		offset: l.key(capacity), sure: math.Inf(-1), empty: math.Inf(1),
	}
	if !limited(&k.Machine) {
		d.sure = capacity
	}
	dear := l.cost*base(&k.Machine) > l.budget
	if empty >= -slack && !dear && suits(&k.Machine, &l.need) {
		d.empty = l.key(empty)
	}
	if l.Wish != NoWish {
		d.offset, d.sure = math.Inf(-1), math.Inf(-1)
		if k.share = share; d.empty < math.Inf(1) {
			d.empty = l.wished(k, 0, 0)
		}
	}
	if dear {
		d.room, d.sure, d.dear = math.Inf(-1), math.Inf(-1), math.Inf(-1)
	}
	return d
}
