package policy

import (
	"math"

	"revopt/simulate"
)

// loadBound bounds the load of a node, the sum of the shares of its tasks, until the
// tasks change. A task with share s and rate r whose deadline is a seconds ahead has
// after t seconds the share
//
//	(a s - r t) / (a - t) = s - t (r - s)/(a - t)
//
// If no task runs slower than its share, the load has therefore fallen by at least t F
// and at most t F A/(A - t), where F is the sum of (r - s)/a and A the least a.
type loadBound struct {
	load    float64
	since   float64 // the time of the load
	steady  bool    // the load is constant
	changed bool    // the list of tasks has changed: there are no bounds
	fall    float64 // F
	ahead   float64 // A
	limit   float64 // the largest t for which the bounds hold; negative if there are none
}

// The bounds include a margin for rounding. An error in the work left of a task, about
// 1e-16 of its share at first, grows by A/(A - t). With that factor limited to coarse,
// over all tasks of a node, errors are far below the margin.
const (
	margin = 1e-10
	coarse = 1e4
)

// sum adds up the shares on a node whose rates hold and sets the bounds.
//
// A task that has spent its estimate, or is overdue, keeps its share. A task with too
// small an estimate is regular until the estimate is spent. The shares of an overloaded
// node do not fall, so that its bounds only say that it is overloaded.
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

// reach returns for how long the bounds hold if all tasks are regular.
func (c *loadBound) reach(n *simulate.Node) float64 {
	return c.ahead * (1 - float64(len(n.Tasks))/coarse)
}

// most returns the upper bound on the load t seconds after since. On an overloaded node
// it exceeds 1.
func (c *loadBound) most(t float64) float64 { return c.load - t*c.fall + margin }

func (c *loadBound) least(t float64) float64 { return c.load - t*c.fall*(c.ahead/(c.ahead-t)) - margin }

// loads holds the bounds on the loads of the nodes of a cluster.
type loads struct {
	bounds []loadBound // by node
	now    float64
}

func (l *loads) at(node int) *loadBound {
	for node >= len(l.bounds) {
		l.bounds = append(l.bounds, loadBound{limit: -1})
	}
	return &l.bounds[node]
}

// load returns the sum of the shares on a node.
func (l *loads) load(n *simulate.Node) float64 {
	switch c := &l.bounds[n.ID]; {
	case c.changed:
		return loadOf(n, l.now)
	case c.steady:
		return c.load
	default:
		return c.sum(n, l.now)
	}
}

// within lists a node with its load, which does not grow, as the rank. A node without
// bounds has no rank. The fall of a load accelerates, so that the load is above the
// chord between now and the end of the listing.
func (l *loads) within(k *machineKind, n *simulate.Node) listing {
	c := l.at(n.ID)
	e := listing{node: int32(n.ID), rank: math.Inf(1), low: math.Inf(-1), until: math.MaxFloat64}
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
		c.sum(n, l.now)
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
