package run

import (
	"math"
	"strings"
)

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

// Limit returns the bound on an objective in the unit of Delivered: what no policy exceeds, or goes below.
func (f *Frame) Limit(o Objective, bound Case, p Pools) Series {
	s := f.Series(bound, p.bound(), BoundLimit)
	if o.Smaller {
		return s.Over(f.Series(bound, p.bound(), BoundTasks))
	}
	return f.rate(o, s, bound)
}

// Gap returns by how much at most the bound exceeds the optimum of its own problem, relative. For delays that follows from
// what the best of some rows delivers that run every job once; without any there are no numbers.
func (f *Frame) Gap(o Objective, bound Case, p Pools, delivered ...Series) Series {
	if !o.Smaller {
		return f.Series(bound, p.bound(), BoundGap)
	}
	var best Series
	for _, s := range delivered {
		best = best.Min(s)
	}
	excess := best.Less(f.Limit(o, bound, p))
	if o.Name == Wait().Name { // sums of responses have errors of rounding
		length := f.Series(bound, p.bound(), BoundLength).Over(f.Series(bound, p.bound(), BoundTasks))
		excess = excess.Less(length.Scaled(waitRounding))
	}
	return excess.with(best, func(excess, best float64) float64 {
		return math.Max(0, excess) / math.Max(best, math.SmallestNonzeroFloat64)
	})
}
