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

// Best returns the best of what some rows deliver that run every job once. It is compared with limits that hold for such
// rows alone.
func (o Objective) Best(delivered ...Series) (best Series) {
	for _, s := range delivered {
		if o.Smaller {
			best = best.Min(s)
		} else {
			best = best.Max(s)
		}
	}
	return best
}

// Gap returns by how much at most a limit exceeds the optimum of its own problem, relative; no numbers where that is
// not known. Best is what the best of some rows delivers that run every job once.
func (f *Frame) Gap(o Objective, l Limit, bound Case, p Pools, best Series) Series {
	limit := f.Limit(o, l, bound, p)
	switch {
	case l.Name == LimitClairvoyant:
		return f.Series(bound, p.bound(), BoundGap)
	case l.Name == LimitBusyTime:
		best = f.Series(bound, p.bound(), DelayFeasible).Over(f.Series(bound, p.bound(), DelayTasks))
	case !l.Once:
		return Series{}
	}
	if !o.Smaller {
		return limit.with(best, func(limit, best float64) float64 {
			return math.Max(0, (limit-best)/math.Max(limit, math.SmallestNonzeroFloat64))
		})
	}
	excess := best.Less(limit)
	if o.Name == Wait().Name { // sums of responses have errors of rounding
		length := f.Series(bound, p.bound(), DelayLength).Over(f.Series(bound, p.bound(), DelayTasks))
		excess = excess.Less(length.Scaled(waitRounding))
	}
	return excess.with(best, func(excess, best float64) float64 {
		return math.Max(0, excess) / math.Max(best, math.SmallestNonzeroFloat64)
	})
}
