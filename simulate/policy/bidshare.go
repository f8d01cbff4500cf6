package policy

import (
	"math"

	"revopt/simulate"
)

// bidShare shares nodes by bids. See NewBidShare.
type bidShare struct {
	roster
	bids []float64 // by node: the sum over its tasks, per unit of speed, when rates were set

	// Of the job at hand:
	need simulate.Requirements
	bid  float64
}

// NewBidShare returns proportional share by bids. The bid of a job for a second of a node
// is its value if it ran at once, over its estimated node-seconds,
//
//	b = max(v(RE) / (width RE), 1e-7 $/s)
//
// and the share of a task is
//
//	rate = b / sum of the bids on the node
//
// so that no capacity is left over. The minimum bid gives a share to jobs that pay
// nothing. Chun and Culler (2000), REXEC, in which the bid is the most that a user pays
// for a minute; Lai et al. (2005), Tycoon.
//
// A job is placed at once on the nodes with the least bids per unit of speed, the first
// among equals, and stays there. It is rejected, for Resources, only if fewer than Width
// nodes have the memory and disk that it needs. As in Tycoon, a job pays its bid for its
// node-seconds, b width R; here at most its price, and nothing if it is late.
//
// The nodes for a job are found among few of them, as in Libra; an arrival or
// end takes time linear in the tasks on its nodes.
func NewBidShare() simulate.Finisher { return &bidShare{} }

// leastBid is the minimum bid, $/s.
const leastBid = 1e-7

// bidOf returns the bid of a job per node-second.
func bidOf(j *simulate.Job) float64 {
	estimate := Terms{}.estimate(j)
	return max(j.Value.At(estimate)/(float64(j.Width)*max(estimate, leastRun)), leastBid)
}

// Arrive implements simulate.Policy.
func (l *bidShare) Arrive(c *simulate.Cluster, j *simulate.Job) {
	l.open(c)
	l.need, l.bid = j.Spec.Requirements, bidOf(j)
	l.byLow, l.relative = true, true
	processors, ok := l.search(c, j.Width, l)
	if !ok {
		c.Reject(j, simulate.Resources)
		return
	}
	l.take(processors)
	c.StartOn(j, processors)
}

// Finish implements simulate.Finisher.
func (l *bidShare) Finish(c *simulate.Cluster, j *simulate.Job) {
	c.Charge(j, min(bidOf(j)*float64(j.Width)*j.Work, max(j.Value.Price, 0)))
	refund(c, j)
}

// SetRates implements simulate.Sharing.
func (l *bidShare) SetRates(n *simulate.Node, _ float64) {
	for n.ID >= len(l.bids) {
		l.bids = append(l.bids, 0)
	}
	sum := bidsOn(n)
	for i := range n.Tasks {
		n.Tasks[i].Rate = bidOf(n.Tasks[i].Job) / sum
	}
	l.bids[n.ID] = sum / n.Speed
	l.file(n, l)
}

// bidsOn returns the sum of the bids on a node.
func bidsOn(n *simulate.Node) (sum float64) {
	for i := range n.Tasks {
		sum += bidOf(n.Tasks[i].Job)
	}
	return sum
}

// look implements seeker.
func (l *bidShare) look(k *machineKind, node int, _ *simulate.Node) {
	if n := l.site.Node(node); !limited(&k.Machine) || hasRoom(n, l.need) {
		l.propose((l.bid+bidsOn(n))/k.Speed, node)
	}
}

// keyOf implements keyer. The key of a node is the time for a unit of work there, times
// the bid.
func (l *bidShare) keyOf(node int) float64 { return l.bid/l.site.Node(node).Speed + l.bids[node] }

// bound implements seeker. The load of a node is the sum of its bids, which is constant
// until the tasks change.
func (l *bidShare) bound(_ *machineKind, node int) listing {
	return listing{rank: -l.bids[node], low: l.bids[node], until: math.MaxFloat64, node: int32(node)}
}

// scan implements seeker.
func (l *bidShare) scan(k *machineKind, entries []listing) { l.scanLoads(k, entries, l, l.site.Now()) }

// demands implements seeker.
func (l *bidShare) demands(k *machineKind) demands {
	d := demands{
		room: math.MaxFloat64, most: math.Inf(1), dear: math.Inf(1),
		offset: l.bid / k.Speed, sure: math.Inf(-1), empty: math.Inf(1),
	}
	if !limited(&k.Machine) {
		d.sure = math.MaxFloat64
	}
	if suits(&k.Machine, &l.need) {
		d.empty = d.offset
	}
	return d
}
