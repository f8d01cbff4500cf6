package run

import (
	"math"
	"strings"
)

// Limit is one of the numbers of a case of bounds: what policies of a kind cannot exceed, or go below.
type Limit struct {
	Name string
	Once bool // it holds for policies that run every job once, whole, on units of its own; else for all of them

	column string
}

// The names of limits.
const (
	LimitFluid       = "fluid"
	LimitClairvoyant = "clairvoyant"
	LimitIndivisible = "indivisible"
	LimitUnpreempted = "unpreempted"
	LimitBusyTime    = "busy-time"
)

// Limits returns the limits of an objective, from loose to tight.
func (o Objective) Limits() []Limit {
	once := Limit{LimitUnpreempted, true, BoundUnpreempted}
	if o.Smaller {
		return []Limit{{LimitBusyTime, false, DelayLeast}, once}
	}
	return []Limit{{LimitFluid, false, BoundFluid}, {LimitClairvoyant, false, BoundClairvoyant},
		{LimitIndivisible, false, BoundIndivisible}, once}
}

// Parts returns the parts of the machine that a case of bounds has: all of it, then pools that share jobs.
func (f *Frame) Parts(bound Case) []Pools {
	list := []Pools{nil}
	for _, group := range f.Groups(bound) {
		if names, pool := strings.CutPrefix(group, Pool("")); pool {
			list = append(list, strings.Split(names, "+"))
		}
	}
	return list
}

// Name joins the pools of a part; "" is all of the machine.
func (p Pools) Name() string { return strings.Join(p, "+") }

// Limit returns a limit in the unit of Delivered.
func (f *Frame) Limit(o Objective, l Limit, bound Case, p Pools) Series {
	s := f.Series(bound, p.bound(), l.column)
	if o.Smaller {
		return s.Over(f.Series(bound, p.bound(), DelayTasks))
	}
	return f.rate(o, s, bound)
}

// Tightest returns the tightest limit for policies that run every job once, or for all of them.
func (f *Frame) Tightest(o Objective, bound Case, p Pools, once bool) Series {
	var tightest Series
	for i, l := range o.Limits() {
		s := f.Limit(o, l, bound, p)
		switch {
		case l.Once && !once:
		case i == 0:
			tightest = s
		case o.Smaller:
			tightest = tightest.Max(s)
		default:
			tightest = tightest.Min(s)
		}
	}
	return tightest
}

// Found returns what a schedule delivers that runs every job once: one that the bounds found, or one of the given
// policies that do so. Limits that hold for all policies have none.
func (f *Frame) Found(o Objective, l Limit, bound Case, p Pools, delivered ...Series) Series {
	if !l.Once {
		return Series{}
	}
	found := f.Series(bound, p.bound(), BoundFound)
	if o.Smaller {
		found = found.Over(f.Series(bound, p.bound(), DelayTasks))
	} else {
		found = f.rate(o, found, bound)
	}
	for _, s := range delivered {
		if o.Smaller {
			found = found.Min(s)
		} else {
			found = found.Max(s)
		}
	}
	return found
}

// Moves returns the moves of the search for such a schedule.
func (f *Frame) Moves(bound Case, p Pools) Series { return f.Series(bound, p.bound(), BoundMoves) }

// Gap returns by how much at most a limit exceeds the optimum of its own problem, relative; no numbers where that is
// not known.
func (f *Frame) Gap(o Objective, l Limit, bound Case, p Pools, found Series) Series {
	limit := f.Limit(o, l, bound, p)
	switch {
	case l.Name == LimitClairvoyant:
		return f.Series(bound, p.bound(), BoundGap)
	case l.Name == LimitBusyTime:
		found = f.Series(bound, p.bound(), DelayFeasible).Over(f.Series(bound, p.bound(), DelayTasks))
	case !l.Once:
		return Series{}
	}
	if !o.Smaller {
		return limit.with(found, func(limit, found float64) float64 {
			return math.Max(0, (limit-found)/math.Max(limit, math.SmallestNonzeroFloat64))
		})
	}
	excess := found.Less(limit)
	if o.Name == Wait().Name { // sums of responses have errors of rounding
		length := f.Series(bound, p.bound(), DelayLength).Over(f.Series(bound, p.bound(), DelayTasks))
		excess = excess.Less(length.Scaled(waitRounding))
	}
	return excess.with(found, func(excess, found float64) float64 {
		return math.Max(0, excess) / math.Max(found, math.SmallestNonzeroFloat64)
	})
}
