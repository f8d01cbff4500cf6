package policy

import (
	"math"

	"revopt/simulate"
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
func dollarOptions() []Option {
	return append([]Option{
		NumberOption("alpha", "1"), NumberOption("beta", "0.1"),
		{Name: "free", Values: []string{"full", "remaining", "window", "nominal"}},
		spareOption(), NumberOption("memory_price", "0"), NumberOption("disk_price", "0"), wishOption(),
	}, timeSharingOptions()...)
}

func (s Settings) dollar() DollarTerms {
	free := map[string]Free{"full": FullEstimate, "remaining": Remaining, "window": Window, "nominal": Nominal}
	return DollarTerms{
		Pricing: Pricing{Alpha: s.Number("alpha"), Beta: s.Number("beta")},
		Base:    Prices{Processor: PBase, Memory: s.Number("memory_price"), Disk: s.Number("disk_price")},
		Free:    free[s["free"]], Spare: s.spare(), Wish: s.wish(), TimeSharing: s.timeSharing(),
	}
}

// libraDollar is Libra with prices that follow demand. See NewLibraDollar.
type libraDollar struct {
	DollarTerms
	roster
	loads
	commitments []commitment // by node, when its rates were set

	// Of the job at hand:
	job      *simulate.Job
	anyPrice bool // it has no budget
	empty    simulate.Node
}

// commitment is the sum over the tasks of a node.
type commitment struct {
	share float64 // of the processor; it can only fall until the tasks change
	time  float64 // s, the sum of the estimates, or of their rests
	since float64 // s, the time of these rests
	fall  float64 // s/s, a lower bound on the rate at which the rests fall
}

// NewLibraDollar returns Libra+$: proportional share as in Libra, at a price for each node
// that grows with the time committed on it until the job's deadline:
//
//	RESFree = D - sum of RE_k - RE    (6)
//
// A node can take a job if the sum of the shares including the job's is at most 1 and
// RESFree is positive. See Free for other readings of RE_k and, with Nominal, of the
// shares. Nodes are taken in ascending order of RESFree, without those that cost more
// than the budget. The job pays the largest node cost when it has ended, nothing if it is
// late. It is rejected if fewer than Width nodes could ever hold it (resources), can take
// it now (deadline), or are also within the budget (budget). If jobs pay their value, no
// node is too expensive.
//
// The cost of a node is RE P summed over the priced resources, each by Pricing.Rate in
// its units. A node without a limit of memory or disk asks (alpha + beta) times the base
// price for it.
//
// Yeo and Buyya (2007), (3)-(6) and Algorithm 1.
func NewLibraDollar(terms DollarTerms) simulate.Finisher { return &libraDollar{DollarTerms: terms} }

// Arrive implements simulate.Policy.
func (l *libraDollar) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if !l.receive(c, j) {
		return
	}
	l.now, l.job, l.tolerance = c.Now(), j, slack*j.Value.Due
	l.anyPrice, l.relative = c.ByValue(), l.Wish != NoWish
	processors, ok := l.search(c, j.Width, l)
	if !ok {
		why := simulate.Deadline
		if l.anyPrice = true; l.dear > 0 {
			if _, ok := l.search(c, j.Width, l); ok {
				why = simulate.Budget
			}
		}
		c.Reject(j, why)
		return
	}
	var cost float64
	var last *simulate.Node
	var kind *machineKind // of the last
	for _, i := range processors {
		n, k := c.NodeOf(i), l.kind(i)
		if n == last && k == kind {
			continue
		}
		if last, kind = n, k; n == nil {
			n = l.idleNode(k)
		}
		cost = max(cost, l.cost(n, l.free(n)))
	}
	c.Charge(j, cost)
	l.take(processors)
	c.StartOn(j, processors)
}

// look implements seeker.
func (l *libraDollar) look(k *machineKind, node int, changed *simulate.Node) {
	c := l.at(node)
	if changed != nil {
		*c = loadBound{changed: true, limit: -1}
	} else if c.changed {
		return
	}
	n := l.site.Node(node)
	if l.Free == Remaining && l.Wish == NoWish && changed == nil {
		floor := l.job.Value.Due - l.left(node) - l.job.Spec.Details.Estimate/k.Speed
		if floor > l.bar {
			return
		}
		if l.fits(n, floor) && l.affords(n, floor) {
			l.suggest(floor, node)
			return
		}
	}
	if free := l.free(n); l.fits(n, free) {
		if l.affords(n, free) {
			l.propose(l.key(n, free), node)
		} else {
			l.dear++
		}
	}
}

// idleNode returns an idle node of a kind, until the next call.
func (l *libraDollar) idleNode(k *machineKind) *simulate.Node {
	l.empty = simulate.Node{Machine: k.Machine, ID: -1}
	return &l.empty
}

// left returns an upper bound on the rest of the estimates on a node.
func (l *libraDollar) left(node int) float64 {
	b := &l.commitments[node]
	return b.time - b.fall*(l.now-b.since) + 1e-3*slack*b.time
}

// affords reports whether a node costs at most the budget.
func (l *libraDollar) affords(n *simulate.Node, free float64) bool {
	return l.anyPrice || l.cost(n, free) <= l.job.Value.Price*(1+slack)
}

// scan implements seeker.
func (l *libraDollar) scan(k *machineKind, entries []listing) { l.scanLoads(k, entries, l, l.now) }

func (l *libraDollar) key(n *simulate.Node, free float64) float64 {
	switch estimate := l.job.Spec.Details.Estimate / n.Speed; l.Wish {
	case Soonest:
		return estimate / l.Spare.rateOf(estimate/l.job.Value.Due, loadOf(n, l.now), len(n.Tasks), l.TimeSharing)
	case Cheapest:
		return l.cost(n, free)
	}
	return free
}

// keyOf implements keyer.
func (l *libraDollar) keyOf(node int) float64 { return l.free(l.site.Node(node)) }

// bound implements seeker. The rank is the committed time, which is constant until the
// tasks change. With Remaining, it is the time at which nothing remains, for nodes that
// work at full rate on the estimates; other nodes have no rank. With Window and Nominal,
// in which the committed time depends on the job, it is an upper bound.
func (l *libraDollar) bound(k *machineKind, node int) listing {
	e, b := l.within(k, l.site.Node(node)), &l.commitments[node]
	switch {
	case l.Free != Remaining:
		e.rank = b.time
	case math.Abs(1-b.fall) < slack*slack:
		e.rank = b.since + b.time
	default:
		e.rank = math.Inf(1)
	}
	return e
}

// demands implements seeker. The price of processor time, which does not fall with the
// committed time, makes some nodes too expensive.
func (l *libraDollar) demands(k *machineKind) demands {
	due, estimate := l.job.Value.Due, l.job.Spec.Details.Estimate/k.Speed
	share, rounding := estimate/due, 1e-3*slack*due
	d := demands{share: share, room: l.capacity(2) - share + 2*slack, most: due - estimate, sure: math.Inf(-1), empty: math.Inf(1)}
	if l.Free == Remaining {
		d.most += l.now
		rounding += 1e-3 * slack * l.now
	}
	d.offset = d.most - rounding
	d.most += rounding
	if l.Free >= Window { // the rank bounds the key alone
		d.most = math.Inf(1)
	}
	if l.Free == Nominal {
		d.room = math.Inf(1)
	}
	if l.Wish != NoWish {
		d.offset = math.Inf(-1)
	}
	d.dear = d.most
	if price := l.Base.Processor * base(&k.Machine); !l.anyPrice && l.Beta >= 0 {
		left := l.job.Value.Price*(1+2*slack) - l.Alpha*price*estimate
		if d.dear -= l.Beta * due * price * estimate / left; left < 0 {
			d.dear = math.Inf(-1)
		}
	}
	n := l.idleNode(k)
	if free := l.free(n); k.idle.taken < k.count && l.fits(n, free) {
		if l.affords(n, free) {
			d.empty = l.key(n, free)
		} else {
			l.dear++
		}
	}
	return d
}

// free returns RESFree of the processor time of a node.
func (l *libraDollar) free(n *simulate.Node) float64 {
	var committed float64
	if l.Free == FullEstimate && !n.Changed() && n.ID >= 0 && n.ID < len(l.commitments) {
		committed = l.commitments[n.ID].time
	} else {
		committed = l.committed(n, processor)
	}
	return l.job.Value.Due - committed - l.job.Spec.Details.Estimate/n.Speed
}

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

// committedTo returns the processor time committed to a task with the given work left,
// RES_k. See Free.
func (l *libraDollar) committedTo(t *simulate.Task, left float64) float64 {
	due, ahead := l.job.Value.Due, t.Due-l.now
	switch l.Free {
	case FullEstimate:
		return t.Estimate
	case Nominal:
		return t.Estimate / t.Job.Value.Due * max(0, min(due, ahead))
	}
	estimated := max(0, left-(t.Work-t.Estimate))
	if l.Free == Window && due < ahead {
		return estimated * due / ahead
	}
	return estimated
}

// fits reports whether a node with the given free processor time has room for the job
// beside the shares, memory and disk of its tasks.
func (l *libraDollar) fits(n *simulate.Node, free float64) bool {
	j := l.job
	if free <= slack*j.Value.Due || limited(&n.Machine) && !hasRoom(n, j.Spec.Requirements) {
		return false
	}
	for r := memory; r <= disk; r++ {
		if l.prices(r) {
			if most, free := l.other(n, r); free <= slack*most {
				return false
			}
		}
	}
	room := l.capacity(len(n.Tasks)+1) + slack - j.Spec.Details.Estimate/n.Speed/j.Value.Due
	if len(n.Tasks) == 0 {
		return 0 <= room
	}
	if l.Free == Nominal {
		var held float64
		for i := range n.Tasks {
			held += n.Tasks[i].Estimate / n.Tasks[i].Job.Value.Due
		}
		return held <= room
	}
	if !n.Changed() {
		if l.commitments[n.ID].share <= room {
			return true
		}
		c := l.at(n.ID)
		if t := l.now - c.since; t <= c.limit && c.least(t) > room {
			return false
		}
	}
	return l.load(n) <= room
}

// prices reports whether the job pays for its use of memory or disk on a node.
func (l *libraDollar) prices(r resource) bool { return l.Base.price(r) > 0 && r.need(l.job) > 0 }

// other returns RESMax and RESFree of the memory or disk of a node.
func (l *libraDollar) other(n *simulate.Node, r resource) (most, free float64) {
	if r.limit(n) == 0 {
		return 1, 1
	}
	most = r.limit(n) * l.job.Value.Due
	return most, most - l.committed(n, r) - r.need(l.job)*l.job.Spec.Details.Estimate/n.Speed
}

// cost returns the cost of the job on a node with the given free processor time.
func (l *libraDollar) cost(n *simulate.Node, free float64) float64 {
	price := l.Rate(l.Base.Processor*base(&n.Machine), l.job.Value.Due, free)
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
func (l *libraDollar) SetRates(n *simulate.Node, now float64) {
	for n.ID >= len(l.commitments) {
		l.commitments = append(l.commitments, commitment{})
	}
	l.now = now
	load := l.at(n.ID)
	l.Spare.rate(n, now, load, l.TimeSharing)
	b := commitment{share: load.load, since: now}
	short := false // some estimate is too short
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if l.Free == FullEstimate || l.Free == Nominal {
			b.time += t.Estimate
			continue
		}
		b.time += max(0, t.Left-(t.Work-t.Estimate))
		b.fall += t.Rate
		short = short || t.Work > t.Estimate
	}
	if short {
		b.fall = 0
	}
	l.commitments[n.ID] = b
	l.file(n, l)
}

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
