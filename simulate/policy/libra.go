package policy

import "revopt/simulate"

// LibraTerms are the choices that Libra leaves open. The zero value charges
// nothing; DefaultLibra has the factors of the literature.
type LibraTerms struct {
	LeastLoaded bool    // take the nodes with the most capacity left, Sherwani et al. (2004), rather than the least
	Spare       Spare   // who gets capacity that is left over
	Gamma       float64 // $ per second of estimated runtime
	Delta       float64 // $ for a deadline as short as the runtime
}

// DefaultLibra returns best fit, proportional spare and the factors of Yeo and
// Buyya (2007), section VII.B.
func DefaultLibra() LibraTerms { return LibraTerms{Gamma: 1, Delta: 1} }

// libraOptions are the terms as options of a policy.
func libraOptions() []Option {
	return []Option{
		{Name: "choice", Values: []string{"best-fit", "least-loaded"}},
		spareOption(), NumberOption("gamma", "1"), NumberOption("delta", "1"),
	}
}

// libra reads them.
func (s Settings) libra() LibraTerms {
	return LibraTerms{
		LeastLoaded: s["choice"] == "least-loaded", Spare: s.spare(),
		Gamma: s.Number("gamma"), Delta: s.Number("delta"),
	}
}

// Cost returns what a job of the given estimate and deadline pays,
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
	shortlist
	bounds []loadBound // by node

	// Of the job at hand:
	site  *simulate.Cluster
	share float64 // on a node of speed 1
}

// NewLibra returns Libra: every job that is taken has on each of its nodes a
// share of the processor that lets it end by its deadline. A node can take a
// job if the sum of the shares with it is at most 1.
//
// A job is rejected, in this order, if the cluster has not Width nodes that
// could ever hold it (resources), if its cost exceeds its price (budget), or
// if not Width nodes can take it now (deadline); so is one that states no
// deadline or no runtime. Of the nodes that can, the best fit, those with the
// least capacity left, are taken, or the least loaded. The job pays when it has
// ended, nothing if that is late. Where jobs pay their value there is no cost.
//
// Sherwani et al. (2004); best fit is of Yeo and Buyya (2005, 2007). With exact
// estimates no job is ever late.
func NewLibra(terms LibraTerms) simulate.Finisher { return &libra{LibraTerms: terms} }

// Arrive implements simulate.Policy.
func (l *libra) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, v := j.Spec.Details.Estimate, &j.Value
	switch {
	case isTooLarge(c, j):
		c.Reject(j, simulate.Resources)
		return
	case !isBound(j):
		c.Reject(j, simulate.Deadline)
		return
	}
	cost := l.Cost(estimate, v.Due)
	if cost > v.Price*(1+slack) && !c.ByValue() {
		c.Reject(j, simulate.Budget)
		return
	}
	nodes, ok := l.nodesFor(c, j)
	if !ok {
		c.Reject(j, simulate.Deadline)
		return
	}
	c.Charge(j, cost)
	c.StartOn(j, nodes)
}

// Schedule implements simulate.Policy: everything is decided on arrival.
func (l *libra) Schedule(*simulate.Cluster) {}

// Finish implements simulate.Finisher.
func (l *libra) Finish(c *simulate.Cluster, j *simulate.Job) { refund(c, j) }

// SetRates implements simulate.Sharing.
func (l *libra) SetRates(n *simulate.Node, now float64) {
	for n.ID >= len(l.bounds) {
		l.bounds = append(l.bounds, noBound())
	}
	sum := l.Spare.rate(n, now)
	if l.bounds[n.ID] = noBound(); l.Spare == None && sum <= 1 {
		// Every task runs at its share, so that all shares stay.
		l.bounds[n.ID] = loadBound{load: sum, steady: true, limit: -1}
	}
}

// isBound reports whether a job states a runtime and a deadline, without which
// it has no share.
func isBound(j *simulate.Job) bool {
	return j.Spec.Details.Estimate > 0 && j.Value.Dated && j.Value.Due > 0
}

// refund takes back what a job was charged if it has ended late.
func refund(c *simulate.Cluster, j *simulate.Job) {
	if j.Lateness(c.Now()) > 0 {
		c.Charge(j, -j.Revenue)
	}
}

// nodesFor returns the nodes for a job, and whether enough can take it.
func (l *libra) nodesFor(c *simulate.Cluster, j *simulate.Job) (nodes []int, ok bool) {
	l.site, l.share = c, j.Spec.Details.Estimate/j.Value.Due
	for len(l.bounds) < c.Processors() {
		l.bounds = append(l.bounds, noBound())
	}
	l.reset()
	now, dispensable := c.Now(), c.Processors()-j.Width
	for _, n := range c.Nodes() {
		if limited(n) && !hasRoom(n, &j.Spec.Requirements) || !l.look(n, now) {
			if dispensable--; dispensable < 0 {
				return nil, false
			}
		}
	}
	return l.choose(j.Width, slack, l)
}

// look puts a node on the list if it can take the job, and reports whether that
// is so. Its shares are summed up only where bounds on them do not say.
func (l *libra) look(n *simulate.Node, now float64) bool {
	share, c := l.share/n.Speed, &l.bounds[n.ID]
	if t := now - c.since; t <= c.limit && !n.Changed() {
		most := 1 - c.most(t) - share
		switch {
		case most >= -slack && l.LeastLoaded:
			l.suggest(c.least(t)+share-1, n.ID)
			return true
		case most >= -slack:
			l.suggest(most, n.ID)
			return true
		case 1-c.least(t)-share < -slack:
			return false
		}
	}
	load := c.load
	if !c.steady || n.Changed() {
		load = l.load(n, now)
	}
	capacity := 1 - load - share
	if capacity < -slack {
		return false
	}
	l.propose(l.key(capacity), n.ID)
	return true
}

// judge implements judge.
func (l *libra) judge(node int) float64 {
	n := l.site.Nodes()[node]
	return l.key(1 - l.load(n, l.site.Now()) - l.share/n.Speed)
}

// key returns the key of a node that the job would leave with the given
// capacity.
func (l *libra) key(capacity float64) float64 {
	if l.LeastLoaded {
		return -capacity
	}
	return capacity
}

// load returns the sum of the shares on a node.
func (l *libra) load(n *simulate.Node, now float64) float64 {
	switch c := &l.bounds[n.ID]; {
	case n.Changed():
		return loadOf(n, now)
	case c.steady:
		return c.load
	default:
		return c.sum(n, now)
	}
}
