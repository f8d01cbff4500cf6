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
	load   float64
	since  float64 // the time of the load
	steady bool    // it stays
	fall   float64 // F
	ahead  float64 // A
	limit  float64 // the bounds hold for t up to here; negative where there are none
}

// The bounds are off by a margin for rounding. An error in what is left of a
// task, some 1e-16 of its share at first, grows by A/(A - t); with that limited
// to coarse, over all tasks of a node, errors are far below the margin.
const (
	margin = 1e-10
	coarse = 1e4
)

// noBound is the bound of a node whose rates were just set.
func noBound() loadBound { return loadBound{limit: -1} }

// sum sums up the shares on a node whose rates hold.
func (c *loadBound) sum(n *simulate.Node, now float64) float64 {
	if len(n.Tasks) == 0 {
		*c = loadBound{steady: true, limit: -1}
		return 0
	}
	elapsed, regular := n.Elapsed(now), true
	var load, fall float64
	least := math.Inf(1)
	for i := range n.Tasks {
		t := &n.Tasks[i]
		left := t.Left - t.Rate*elapsed
		estimated, ahead := left+(t.Estimate-t.Work), t.Due-now
		if !(t.Estimate >= t.Work && 0 <= estimated && estimated < ahead) {
			load += unusual(t, left, estimated, ahead, now)
			regular = false
			continue
		}
		share := estimated / ahead
		load += share
		fall += (t.Rate - share) / ahead
		regular = regular && t.Rate-share >= -1e-15
		least = min(least, ahead)
	}
	*c = loadBound{load: load, since: now, fall: fall, ahead: least, limit: -1}
	if regular {
		c.limit = least * (1 - float64(len(n.Tasks))/coarse)
	}
	return load
}

// most returns what the load is at most t seconds after its time.
func (c *loadBound) most(t float64) float64 { return c.load - t*c.fall + margin }

// least returns what it is at least.
func (c *loadBound) least(t float64) float64 { return c.load - t*c.fall*(c.ahead/(c.ahead-t)) - margin }
