package share

import (
	"revopt/simulate"
	"revopt/simulate/policy"
)

// DollarTerms are the choices that Libra+$ leaves open. The zero value is free of charge;
// in Yeo and Buyya (2007), Table I, alpha is 1, beta 0.1, and only processor time is priced.
type DollarTerms struct {
	Pricing
	Base  Prices
	Free  Free  // the time committed to other jobs in RESFree
	Spare Spare // the rule for capacity that is left over
	Wish  Wish  // the users' objective
	TimeSharing
}

// Free says how much processor time of a node, between the arrival of a job and its
// deadline D seconds later, is committed to another job k on the node. Job k has the
// estimate RE_k, the deadline D_k after its arrival, and a seconds until that. Yeo and
// Buyya (2007), (5) and (6), leave this open.
type Free uint8

// The readings. The text speaks of the units that are committed between the arrival and
// the deadline of the new job; the formula has RE_k.
const (
	FullEstimate Free = iota // RE_k, even if k has run in part
	Remaining                // the rest of RE_k
	Window                   // the rest if k is due before the new job, else the rest times D/a
	Nominal                  // RE_k/D_k min(D, a): k holds its share at admission until it ends
)

// dollarOptions are the terms as options of a policy.
func dollarOptions() []policy.Option {
	return append([]policy.Option{
		policy.NumberOption("alpha", "1"), policy.NumberOption("beta", "0.1"),
		{Name: "free", Values: []string{"full", "remaining", "window", "nominal"}},
		spareOption(), policy.NumberOption("memory_price", "0"), policy.NumberOption("disk_price", "0"), wishOption(),
	}, timeSharingOptions()...)
}

func dollarTerms(s policy.Settings) DollarTerms {
	free := map[string]Free{"full": FullEstimate, "remaining": Remaining, "window": Window, "nominal": Nominal}
	return DollarTerms{
		Pricing: Pricing{Alpha: s.Number("alpha"), Beta: s.Number("beta")},
		Base:    Prices{Processor: policy.PBase, Memory: s.Number("memory_price"), Disk: s.Number("disk_price")},
		Free:    free[s["free"]], Spare: spareOf(s), Wish: wishOf(s), TimeSharing: timeSharingOf(s),
	}
}

// libraDollar is Libra with prices that follow demand. See NewLibraDollar.
type libraDollar struct {
	DollarTerms
	placement
	now float64

	// Of the job at hand:
	job      *simulate.Job
	anyPrice bool // it has no budget
	tooDear  bool // a node could take it that costs more than its budget
}

// NewLibraDollar returns Libra+$. If jobs pay their value, no node is too expensive. A node without a limit of memory
// or disk asks (alpha + beta) times the base price for it.
//
// # Policy libra+$
//
// Yeo and Buyya (2007), (3)-(6) and Algorithm 1: proportional share as in libra, at a price for each node that grows
// with the time committed on it until the job's deadline:
//
//	P = alpha PBase + beta RESMax/RESFree PBase      RESMax = D      RESFree = D - sum of RE_k - RE
//
// A node can take a job if the shares fit and RESFree > 0. Nodes are taken in ascending order of RESFree, without
// those where RE P exceeds the budget, and the job pays the largest node cost. Rejected, in this order: for resources;
// for deadline if too few nodes can take the job; for budget if too few of them are within it. The options
// memory_price and disk_price, in $ per unit and second, add the same formula for memory and disk.
//
// The free time: (6) deducts RE_k for every other job k on the node; the text around (4) and (5) is less clear. Let L
// be what is left of RE_k, D_k the deadline of k after its arrival, and a the time until then.
//
//   - free=full: RE_k, (6) as printed.
//   - free=remaining: L, by (5), where work that has run is no longer committed.
//   - free=window: L if a ≤ D, else L D/a, by (4) and (5): units committed until the deadline of the new job.
//   - free=nominal: RE_k/D_k min(D, a), 0 if k is overdue; the same with the first share of k.
func NewLibraDollar(terms DollarTerms) simulate.Finisher { return &libraDollar{DollarTerms: terms} }

// Arrive implements simulate.Policy.
func (l *libraDollar) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if !l.receive(c, j) {
		return
	}
	l.now = c.Now()
	l.job = j
	l.anyPrice = c.ByValue()
	l.tooDear = false
	near := tolerance{l.Wish != NoWish, policy.Slack * l.value.Due}
	processors := l.search(c, j.Width, l, near)
	if processors != nil {
		c.Charge(j, l.largestCost(c, processors))
		l.start(c, j, processors)
		return
	}
	l.anyPrice = true
	if l.tooDear && l.search(c, j.Width, l, near) != nil {
		c.Reject(j, simulate.Budget)
		return
	}
	c.Reject(j, simulate.Deadline)
}

// largestCost returns the cost of the most expensive of some processors.
func (l *libraDollar) largestCost(c *simulate.Cluster, processors []int) float64 {
	var largest float64
	var last *simulate.Node
	for _, i := range processors {
		n := c.NodeOf(i)
		if n == nil {
			n = l.idleNode(c.Machine(i))
		} else if n == last {
			continue
		}
		last = n
		largest = max(largest, l.cost(n, l.free(n)))
	}
	return largest
}

// key implements keyer.
func (l *libraDollar) key(n *simulate.Node) float64 {
	free := l.free(n)
	if !l.hasTime(free) {
		return impossible
	}
	cost := l.cost(n, free)
	dear := !l.anyPrice && cost > l.value.Price*(1+policy.Slack)
	if dear && l.tooDear || !l.fits(n) {
		return impossible
	}
	if dear {
		l.tooDear = true
		return impossible
	}
	switch l.Wish {
	case Soonest:
		estimate := l.job.Spec.Details.Estimate / n.Speed
		load := l.Spare.load(n, l.now)
		return estimate / l.Spare.rateOf(estimate/l.value.Due, load, len(n.Tasks), l.TimeSharing)
	case Cheapest:
		return cost
	}
	return free
}

// free returns RESFree of the processor time of a node.
func (l *libraDollar) free(n *simulate.Node) float64 {
	committed := 0.0
	if l.Free == FullEstimate {
		for i := range n.Tasks {
			committed += n.Tasks[i].Estimate
		}
	} else {
		committed = l.committed(n, processor)
	}
	return l.value.Due - committed - l.job.Spec.Details.Estimate/n.Speed
}

// hasTime reports whether free processor time is positive.
func (l *libraDollar) hasTime(free float64) bool { return free > policy.Slack*l.value.Due }

// committed returns the amount of a resource committed to the tasks of a node, the sum of
// RES_k in (5).
func (l *libraDollar) committed(n *simulate.Node, r resource) float64 {
	var sum float64
	for i := range n.Tasks {
		t := &n.Tasks[i]
		time := l.committedTo(t, n.Left(i, l.now))
		if r != processor {
			time *= r.need(t.Job)
		}
		sum += time
	}
	return sum
}

// committedTo returns the processor time committed to a task, of whose estimate the given time is
// left, RES_k. See Free.
func (l *libraDollar) committedTo(t *simulate.Task, left float64) float64 {
	due, ahead := l.value.Due, t.Due-l.now
	switch l.Free {
	case FullEstimate:
		return t.Estimate
	case Nominal:
		return t.Estimate / t.Allowed * max(0, min(due, ahead))
	}
	estimated := max(0, left)
	if l.Free == Window && due < ahead {
		return estimated * due / ahead
	}
	return estimated
}

// fits reports whether a node has room for the job beside the shares, memory and disk of
// its tasks.
func (l *libraDollar) fits(n *simulate.Node) bool {
	j := l.job
	if !hasRoom(n, j.Spec.Requirements) {
		return false
	}
	for r := memory; r <= disk; r++ {
		if l.prices(r) {
			if most, free := l.other(n, r); free <= policy.Slack*most {
				return false
			}
		}
	}
	room := l.capacity(len(n.Tasks)+1) + policy.Slack - j.Spec.Details.Estimate/n.Speed/l.value.Due
	if len(n.Tasks) == 0 {
		return 0 <= room
	}
	if l.Free == Nominal {
		var shares float64
		for i := range n.Tasks {
			shares += n.Tasks[i].Estimate / n.Tasks[i].Allowed
		}
		return shares <= room
	}
	return l.Spare.load(n, l.now) <= room
}

// prices reports whether the job pays for its use of memory or disk on a node.
func (l *libraDollar) prices(r resource) bool { return l.Base.price(r) > 0 && r.need(l.job) > 0 }

// other returns RESMax and RESFree of the memory or disk of a node.
func (l *libraDollar) other(n *simulate.Node, r resource) (most, free float64) {
	if r.limit(n) == 0 {
		return 1, 1
	}
	most = r.limit(n) * l.value.Due
	return most, most - l.committed(n, r) - r.need(l.job)*l.job.Spec.Details.Estimate/n.Speed
}

// cost returns the cost of the job on a node with the given free processor time.
func (l *libraDollar) cost(n *simulate.Node, free float64) float64 {
	price := l.Rate(l.Base.Processor*base(&n.Machine), l.value.Due, free)
	for r := memory; r <= disk; r++ {
		if l.prices(r) {
			most, free := l.other(n, r)
			price += r.need(l.job) * l.Rate(l.Base.price(r), most, free)
		}
	}
	return l.job.Spec.Details.Estimate / n.Speed * price
}

// Finish implements simulate.Finisher.
func (l *libraDollar) Finish(c *simulate.Cluster, j *simulate.Job) { refund(c, j) }

// SetRates implements simulate.Sharing.
func (l *libraDollar) SetRates(n *simulate.Node, now float64) { l.Spare.rate(n, now, l.TimeSharing) }

// Pricing is the pricing function of Libra+$.
type Pricing struct {
	Alpha float64 // weight of the base price
	Beta  float64 // weight of the utilization price
}

// Rate returns the price of a unit of a resource. The node has most units between the
// arrival of the job and its deadline, and free units that no job, including this one,
// needs:
//
//	P = alpha PBase + beta PUtil    PUtil = RESMax/RESFree PBase
//
// Yeo and Buyya (2007), (3) and (4). Free must be positive.
func (p Pricing) Rate(base, most, free float64) float64 {
	return p.Alpha*base + p.Beta*(most/free)*base
}

// Prices are the base prices PBase of the resources of a node. Memory and disk are
// measured in unit-seconds: a node has its amount times the deadline, and a job takes its
// amount times its runtime.
type Prices struct {
	Processor float64 // $/s; multiplied by the node's price if it has one
	Memory    float64 // $/s for a unit of Requirements.Memory
	Disk      float64 // $/s for a unit of Requirements.Disk
}

// resource is something that nodes have and jobs need.
type resource uint8

const (
	processor resource = iota
	memory
	disk
)

func (p *Prices) price(r resource) float64 { return [...]float64{p.Processor, p.Memory, p.Disk}[r] }

// need returns the amount of a resource that a job holds on a node.
func (r resource) need(j *simulate.Job) float64 {
	return [...]float64{1, j.Spec.Requirements.Memory, j.Spec.Requirements.Disk}[r]
}

// limit returns the amount of a resource of a node; 0 is no limit.
func (r resource) limit(n *simulate.Node) float64 { return [...]float64{1, n.Memory, n.Disk}[r] }
