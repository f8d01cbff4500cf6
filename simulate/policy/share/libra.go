package share

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
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
func libraOptions() []policy.Option {
	return append([]policy.Option{
		{Name: "choice", Values: []string{"best-fit", "least-loaded"}},
		spareOption(), policy.NumberOption("gamma", "1"), policy.NumberOption("delta", "1"), wishOption(),
	}, timeSharingOptions()...)
}

func libraTerms(s policy.Settings) LibraTerms {
	return LibraTerms{
		LeastLoaded: s["choice"] == "least-loaded", Spare: spareOf(s),
		Gamma: s.Number("gamma"), Delta: s.Number("delta"), Wish: wishOf(s),
		TimeSharing: timeSharingOf(s),
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
//
// # Policy libra
//
// Sherwani et al. (2004); best fit as in Yeo and Buyya (2005) and (2007). choice=best-fit takes the nodes with the
// least capacity left after taking the job, choice=least-loaded those with the most. The cost is gamma RE + delta
// RE/D, times the price of the node (PBase_j of 2007, V.B); the job pays the largest cost of its nodes.
//
// Rejected, in this order: for resources; for budget if too few nodes are affordable; for deadline if too few nodes
// can take the job. With exact estimates no job is late.
type libra struct {
	LibraTerms
	placement
	now float64

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
	l.consider(c, j)
	affords := func(m *simulate.Machine) bool { return l.affords(m) && suits(m, &l.need) }
	if countMachines(c, affords) < j.Width {
		c.Reject(j, simulate.Budget)
		return
	}
	processors := l.search(c, j.Width, l, tolerance{l.Wish != NoWish, policy.Slack})
	if processors == nil {
		c.Reject(j, simulate.Deadline)
		return
	}
	price := 0.0
	for _, i := range processors {
		m := c.Machine(i)
		price = max(price, base(&m))
	}
	c.Charge(j, l.cost*price)
	l.start(c, j, processors)
}

// consider makes a job the job at hand.
func (l *libra) consider(c *simulate.Cluster, j *simulate.Job) {
	estimate := j.Spec.Details.Estimate
	l.now = c.Now()
	l.need = j.Spec.Requirements
	l.due = l.value.Due
	l.share = estimate / l.due
	l.cost = l.Cost(estimate, l.due)
	l.budget = l.value.Price * (1 + policy.Slack)
	if c.ByValue() {
		l.budget = math.Inf(1)
	}
}

// affords reports whether a machine costs at most the budget.
func (l *libra) affords(m *simulate.Machine) bool { return l.cost*base(m) <= l.budget }

// Finish implements simulate.Finisher.
func (l *libra) Finish(c *simulate.Cluster, j *simulate.Job) { refund(c, j) }

// SetRates implements simulate.Sharing.
func (l *libra) SetRates(n *simulate.Node, now float64) { l.Spare.rate(n, now, l.TimeSharing) }

// refund cancels the charge of a job that has ended late.
func refund(c *simulate.Cluster, j *simulate.Job) {
	if j.Lateness(c.Now()) > 0 {
		c.Charge(j, -j.Revenue)
	}
}

// key implements keyer.
func (l *libra) key(n *simulate.Node) float64 {
	if !l.affords(&n.Machine) || !hasRoom(n, l.need) {
		return impossible
	}
	share, load := l.share/n.Speed, l.Spare.load(n, l.now)
	left := l.capacity(len(n.Tasks)+1) - load - share
	switch {
	case left < -policy.Slack:
		return impossible
	case l.Wish == Cheapest:
		return l.cost * base(&n.Machine)
	case l.Wish == Soonest:
		return share * l.due / l.Spare.rateOf(share, load, len(n.Tasks), l.TimeSharing)
	case l.LeastLoaded:
		return -left
	}
	return left
}
