package policy

import "revopt/simulate"

// DollarTerms are the choices that Libra+$ leaves open. The zero value is free
// of charge; DefaultDollar has the factors of the literature.
type DollarTerms struct {
	Pricing
	Base      Prices
	Remaining bool  // RESFree counts what is left of the other jobs' estimates rather than all of them
	Spare     Spare // who gets capacity that is left over
}

// DefaultDollar returns the settings of Yeo and Buyya (2007), Table I: only
// processor time is priced.
func DefaultDollar() DollarTerms {
	return DollarTerms{Pricing: Pricing{Alpha: 1, Beta: 0.1}, Base: Prices{Processor: PBase}}
}

// dollarOptions are the terms as options of a policy.
func dollarOptions() []Option {
	return []Option{
		NumberOption("alpha", "1"), NumberOption("beta", "0.1"), {Name: "free", Values: []string{"full", "remaining"}},
		spareOption(), NumberOption("memory_price", "0"), NumberOption("disk_price", "0"),
	}
}

// dollar reads them.
func (s Settings) dollar() DollarTerms {
	return DollarTerms{
		Pricing:   Pricing{Alpha: s.Number("alpha"), Beta: s.Number("beta")},
		Base:      Prices{Processor: PBase, Memory: s.Number("memory_price"), Disk: s.Number("disk_price")},
		Remaining: s["free"] == "remaining", Spare: s.spare(),
	}
}

// libraDollar is Libra with prices that follow demand. See NewLibraDollar.
type libraDollar struct {
	DollarTerms
	placement
	commitments []commitment // by node, when its rates were set
}

// commitment is what the tasks of a node add up to.
type commitment struct {
	share float64 // of the processor. Until the tasks change it can only fall
	time  float64 // s, the sum of the full estimates
}

// NewLibraDollar returns Libra+$: proportional share as in Libra, at a price
// for each node that grows with what is committed on it until the job's
// deadline:
//
//	RESFree = D - sum of RE_k - RE    (6)
//
// A node can take a job if the sum of the shares with it is at most 1 and
// RESFree is positive. Nodes are taken in ascending order of RESFree, those
// that cost more than the budget left out; the job pays the largest node cost
// when it has ended, nothing if that is late. It is rejected if the cluster has
// not Width nodes that could ever hold it (resources), if not Width nodes can
// take it now (deadline), or if not Width of these are within the budget
// (budget). Where jobs pay their value no node is too dear.
//
// The cost of a node is RE P summed over the resources that have a price, each
// by Pricing.Rate in its own units. A node without limit of memory or disk
// asks alpha + beta times the base price for it.
//
// Yeo and Buyya (2007), (3)-(6) and Algorithm 1.
func NewLibraDollar(terms DollarTerms) simulate.Finisher { return &libraDollar{DollarTerms: terms} }

// Arrive implements simulate.Policy.
func (l *libraDollar) Arrive(c *simulate.Cluster, j *simulate.Job) {
	switch {
	case isTooLarge(c, j):
		c.Reject(j, simulate.Resources)
		return
	case !isBound(j) || !l.proposeNodes(c, j):
		c.Reject(j, simulate.Deadline)
		return
	case len(l.candidates) < j.Width:
		c.Reject(j, simulate.Budget)
		return
	}
	nodes := l.take(j.Width, slack*j.Value.Due)
	var cost float64
	for _, i := range nodes {
		n := c.Nodes()[i]
		cost = max(cost, l.cost(n, j, l.free(n, j, c.Now()), c.Now()))
	}
	c.Charge(j, cost)
	c.StartOn(j, nodes)
}

// proposeNodes proposes the nodes that can take a job within its budget, and reports
// whether enough can take it at any price.
func (l *libraDollar) proposeNodes(c *simulate.Cluster, j *simulate.Job) bool {
	now, v := c.Now(), &j.Value
	l.reset()
	dispensable := c.Processors() - j.Width
	for _, n := range c.Nodes() {
		free := l.free(n, j, now)
		if free <= slack*v.Due || !l.fits(n, j, now) {
			if dispensable--; dispensable < 0 {
				return false
			}
			continue
		}
		if c.ByValue() || l.cost(n, j, free, now) <= v.Price*(1+slack) {
			l.propose(free, n.ID)
		}
	}
	return true
}

// free returns RESFree of the processor time of a node.
func (l *libraDollar) free(n *simulate.Node, j *simulate.Job, now float64) float64 {
	var committed float64
	if !l.Remaining && !n.Changed() && n.ID < len(l.commitments) {
		committed = l.commitments[n.ID].time
	} else {
		committed = l.committed(n, processor, now)
	}
	return j.Value.Due - committed - j.Spec.Details.Estimate/n.Speed
}

// committed returns how much of a resource the tasks of a node take, the sum
// of RES_k in (5).
func (l *libraDollar) committed(n *simulate.Node, r resource, now float64) float64 {
	var sum float64
	for i := range n.Tasks {
		t := &n.Tasks[i]
		estimate := t.Estimate
		if l.Remaining {
			estimate = max(0, n.Left(i, now)-(t.Work-t.Estimate))
		}
		if r != processor {
			estimate *= r.need(t.Job)
		}
		sum += estimate
	}
	return sum
}

// fits reports whether a node has room for a job beside the shares of its
// tasks, their memory and their disk.
func (l *libraDollar) fits(n *simulate.Node, j *simulate.Job, now float64) bool {
	if !hasRoom(n, &j.Spec.Requirements) {
		return false
	}
	for r := memory; r <= disk; r++ {
		if l.prices(r, j) {
			if most, free := l.other(n, j, r, now); free <= slack*most {
				return false
			}
		}
	}
	room := 1 + slack - j.Spec.Details.Estimate/n.Speed/j.Value.Due
	if !n.Changed() && n.ID < len(l.commitments) && l.commitments[n.ID].share <= room {
		return true
	}
	return loadOf(n, now) <= room
}

// prices reports whether a job pays for its use of memory or disk on a node.
func (l *libraDollar) prices(r resource, j *simulate.Job) bool {
	return l.Base.of(r) > 0 && r.need(j) > 0
}

// other returns RESMax and RESFree of the memory or disk of a node.
func (l *libraDollar) other(n *simulate.Node, j *simulate.Job, r resource, now float64) (most, free float64) {
	if r.limit(n) == 0 {
		return 1, 1
	}
	most = r.limit(n) * j.Value.Due
	return most, most - l.committed(n, r, now) - r.need(j)*j.Spec.Details.Estimate/n.Speed
}

// cost returns what a node of which the given processor time is free asks for
// a job.
func (l *libraDollar) cost(n *simulate.Node, j *simulate.Job, free, now float64) float64 {
	price := l.Rate(l.Base.Processor, j.Value.Due, free)
	for r := memory; r <= disk; r++ {
		if l.prices(r, j) {
			most, free := l.other(n, j, r, now)
			price += r.need(j) * l.Rate(l.Base.of(r), most, free)
		}
	}
	return j.Spec.Details.Estimate / n.Speed * price
}

// Schedule implements simulate.Policy: everything is decided on arrival.
func (l *libraDollar) Schedule(*simulate.Cluster) {}

// Finish implements simulate.Finisher.
func (l *libraDollar) Finish(c *simulate.Cluster, j *simulate.Job) { refund(c, j) }

// SetRates implements simulate.Sharing.
func (l *libraDollar) SetRates(n *simulate.Node, now float64) {
	for n.ID >= len(l.commitments) {
		l.commitments = append(l.commitments, commitment{})
	}
	var time float64
	for i := range n.Tasks {
		time += n.Tasks[i].Estimate
	}
	l.commitments[n.ID] = commitment{share: l.Spare.rate(n, now), time: time}
}

// Pricing is the pricing function of Libra+$.
type Pricing struct {
	Alpha float64 // weight of the base price
	Beta  float64 // weight of the utilization price
}

// Rate returns the price of a unit of a resource of which a node has most
// units from the arrival of a job to its deadline, and free units beside those
// of the other jobs and of the job itself,
//
//	P = alpha PBase + beta PUtil    PUtil = RESMax/RESFree PBase
//
// Yeo and Buyya (2007), (3) and (4). There must be free units.
func (p Pricing) Rate(base, most, free float64) float64 {
	return p.Alpha*base + p.Beta*(most/free)*base
}

// Prices are the base prices PBase of the resources of a node. A unit of
// memory or disk is what one unit serves in a second, so that all resources
// have the same measure: a node offers its amount times the deadline, and a
// job takes its amount times its runtime.
type Prices struct {
	Processor float64 // $/s
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

// of returns the base price of a resource.
func (p *Prices) of(r resource) float64 { return [...]float64{p.Processor, p.Memory, p.Disk}[r] }

// need returns how much of a resource a job holds on a node.
func (r resource) need(j *simulate.Job) float64 {
	return [...]float64{1, j.Spec.Requirements.Memory, j.Spec.Requirements.Disk}[r]
}

// limit returns how much of a resource a node has; 0 is no limit.
func (r resource) limit(n *simulate.Node) float64 { return [...]float64{1, n.Memory, n.Disk}[r] }
