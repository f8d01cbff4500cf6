package policy

import "revopt/simulate"

// bidShare shares nodes by bids. See NewBidShare.
type bidShare struct {
	placement
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
	c.Group()
	l.need = j.Spec.Requirements
	l.bid = bidOf(j)
	processors := l.search(c, j.Width, l, tolerance{relative: true})
	if processors == nil {
		c.Reject(j, simulate.Resources)
		return
	}
	l.start(c, j, processors)
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
}

// bidsOn returns the sum of the bids on a node.
func bidsOn(n *simulate.Node) (sum float64) {
	for i := range n.Tasks {
		sum += bidOf(n.Tasks[i].Job)
	}
	return sum
}

// key implements keyer. The key of a node is the time for a unit of work there, times
// the bid.
func (l *bidShare) key(n *simulate.Node) float64 {
	switch {
	case !hasRoom(n, l.need):
		return impossible
	case len(n.Tasks) > 0 && !n.Changed():
		return l.bid/n.Speed + l.bids[n.ID]
	}
	return (l.bid + bidsOn(n)) / n.Speed
}
