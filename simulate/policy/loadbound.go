package policy

import (
	"math"

	"revopt/simulate"
)

// loadBound is what is known of the load of a node, the sum of the shares of its
// tasks, until these change. A task with the share s and the rate r at one time,
// and its deadline a seconds later, has after t seconds the share
//
//	(a s - r t) / (a - t) = s - t (r - s)/(a - t)
//
// Where no task runs slower than its share, with F the sum of (r - s)/a and A
// the least a, the load has therefore fallen by no less than t F, and by no more
// than t F A/(A - t).
type loadBound struct {
	load    float64
	since   float64 // the time of the load
	steady  bool    // it stays
	changed bool    // the list of tasks has changed, so that nothing is known
	fall    float64 // F
	ahead   float64 // A
	limit   float64 // the bounds hold for t up to here; negative where there are none
}

// The bounds are off by a margin for rounding. An error in what is left of a
// task, some 1e-16 of its share at first, grows by A/(A - t); with that limited
// to coarse, over all tasks of a node, errors are far below the margin.
const (
	margin = 1e-10
	coarse = 1e4
)

// sum sums up the shares on a node whose rates hold.
//
// A task that has spent its estimate keeps its share, as does an overdue one; one
// whose estimate is too small is regular until it has spent that. On a node that
// is overloaded shares do not fall: that it is is all there is to know.
func (c *loadBound) sum(n *simulate.Node, now float64) float64 {
	elapsed, regular := n.Elapsed(now), true
	var load, fall float64
	least, limit := math.MaxFloat64, math.Inf(1)
	for i := range n.Tasks {
		t := &n.Tasks[i]
		left := t.Left - t.Rate*elapsed
		estimated, ahead := left+(t.Estimate-t.Work), t.Due-now
		if !(t.Estimate >= t.Work && 0 <= estimated && estimated < ahead) {
			share := unusual(t, left, estimated, ahead, now)
			load += share
			change := min(left, estimated) // of its share, after that work
			switch {
			case t.Spent(left, now):
				change = left
			case !t.Over(left) && estimated < ahead:
				fall += (t.Rate - share) / ahead
				regular = regular && t.Rate-share >= -1e-15
				least = min(least, ahead)
			}
			limit = min(limit, (change-1e-9*t.Work)/t.Rate)
			continue
		}
		share := estimated / ahead
		load += share
		fall += (t.Rate - share) / ahead
		regular = regular && t.Rate-share >= -1e-15
		if ahead < least {
			least = ahead
		}
	}
	*c = loadBound{load: load, since: now, fall: fall, ahead: least, limit: -1}
	switch {
	case load > 1+1e-6:
		c.fall, c.ahead, c.limit = 0, math.MaxFloat64, limit
	case regular:
		c.limit = min(limit, c.reach(n))
	}
	return load
}

// reach returns for how long the bounds hold where all tasks are regular.
func (c *loadBound) reach(n *simulate.Node) float64 {
	return c.ahead * (1 - float64(len(n.Tasks))/coarse)
}

// most returns what the load is at most t seconds after its time. On a node that
// is overloaded it is more than 1.
func (c *loadBound) most(t float64) float64 { return c.load - t*c.fall + margin }

// least returns what it is at least.
func (c *loadBound) least(t float64) float64 { return c.load - t*c.fall*(c.ahead/(c.ahead-t)) - margin }

// loads is what is known of the loads of the nodes of a cluster.
type loads struct {
	bounds []loadBound // by node
	now    float64
	site   *simulate.Cluster
}

// at returns what is known of a node.
func (l *loads) at(node int) *loadBound {
	for node >= len(l.bounds) {
		l.bounds = append(l.bounds, loadBound{limit: -1})
	}
	return &l.bounds[node]
}

// load returns the sum of the shares on a node.
func (l *loads) load(node int) float64 {
	switch c := &l.bounds[node]; {
	case c.changed:
		return loadOf(l.site.Node(node), l.now)
	case c.steady:
		return c.load
	default:
		return c.sum(l.site.Node(node), l.now)
	}
}

// within lists a node with its load, which does not grow, as the rank. It has none
// where the load has no bounds.
//
// The more a load may fall until it is looked at again, the seldomer that is, and
// the more nodes are looked at in vain: with n of them, as many of either if that
// is in proportion to 1/sqrt(n). The fall gains speed: it is above its chord.
func (l *loads) within(k *machineKind, node int) listing {
	c := l.at(node)
	e := listing{node: int32(node), rank: math.Inf(1), low: math.Inf(-1), until: math.MaxFloat64}
	switch {
	case c.changed:
		e.low = math.Inf(1)
		return e
	case c.steady:
		e.rank, e.low, e.spread = c.load+margin, c.load-margin, 2*margin
		return e
	}
	t := l.now - c.since
	if !(t <= c.limit && c.most(t)-c.least(t) < k.drift) {
		c.sum(l.site.Node(node), l.now)
		t = 0
	}
	if !(c.limit >= 0) {
		return e
	}
	end := c.limit
	e.rank, e.low = c.most(t), c.least(t)
	e.spread = e.rank - e.low
	if c.fall > 0 {
		drop := c.load - margin - e.low + k.drift
		end = min(end, drop*c.ahead/(c.fall*c.ahead+drop))
		low := c.least(end)
		e.fall = (e.low - low) / max(end-t, 1e-9*end)
		e.low, e.spread = low, max(e.spread, c.most(end)-low)
	}
	e.until = c.since + end
	return e
}
