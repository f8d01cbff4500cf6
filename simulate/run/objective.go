package run

import (
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// Objective is a number by which rows are compared.
type Objective struct {
	Name    string
	Column  string // that states it
	Unit    string
	Smaller bool   // less of it is better
	Bound   string // name of its bound
}

// The names of bounds.
const (
	Clairvoyant = "clairvoyant" // on the value: of all policies
	Unpreempted = "unpreempted" // on delays: of policies that run every job once, whole, on units of its own
)

// Value is the value delivered, the usual objective.
func Value() Objective {
	return Objective{scenario.ObjectiveValue, ColumnValue, PerHour, false, Clairvoyant}
}

// Total is the value delivered in all, where all jobs come at one instant.
func Total() Objective {
	return Objective{scenario.ObjectiveValue, ColumnValueTotal, Dollars, false, Clairvoyant}
}

// Wait is the mean of response less length.
func Wait() Objective {
	return Objective{scenario.ObjectiveWait, ColumnTotalWait, Seconds, true, Unpreempted}
}

// Slowdown is the mean bounded slowdown.
func Slowdown() Objective {
	return Objective{scenario.ObjectiveSlowdown, ColumnSlowdown, Ratio, true, Unpreempted}
}

// Objectives returns all of them, the usual one first.
func Objectives() []Objective { return []Objective{Value(), Wait(), Slowdown()} }

// Merit returns a number with the sign that makes more of it better.
func (o Objective) Merit(x float64) float64 {
	if o.Smaller {
		return -x
	}
	return x
}

// Gain returns by how much one series is better than another.
func (o Objective) Gain(better, than Series) Series {
	if o.Smaller {
		return than.Less(better)
	}
	return better.Less(than)
}

// Pools is a part of the machine that is bounded on its own: pools that share jobs. The zero value is all of it.
type Pools []string

// groups returns the groups of policies whose jobs the part has.
func (p Pools) groups() []string {
	if len(p) == 0 {
		return []string{All}
	}
	return text.Each(p, Pool)
}

// bound returns the group of the bounds on the part.
func (p Pools) bound() string {
	if len(p) == 0 {
		return All
	}
	return Pool(strings.Join(p, "+"))
}

// Delivered returns what a row reaches of an objective on the jobs of a bound: $/h over the span of these jobs, $, or
// the mean over the jobs that can run. A row that does not run all of them has no mean.
func (f *Frame) Delivered(o Objective, row, bound Case, p Pools) Series {
	if o.Smaller {
		return f.meanDelay(o, row, bound, p)
	}
	groups := p.groups()
	sum := f.Series(row, groups[0], ColumnValueTotal)
	for _, group := range groups[1:] {
		sum = sum.Plus(f.Series(row, group, ColumnValueTotal))
	}
	return f.rate(o, sum, bound)
}

// Charged returns the money that a row charges for the jobs of a bound, in the unit of Delivered.
func (f *Frame) Charged(o Objective, row, bound Case) Series {
	return f.rate(o, f.Series(row, All, ColumnRevenueTotal), bound)
}

// rate returns amounts in the unit of an objective: per hour of the span of arrivals of the jobs of a bound, or in all.
func (f *Frame) rate(o Objective, amounts Series, bound Case) Series {
	if o.Unit == Dollars {
		return amounts
	}
	return amounts.Over(f.Series(bound, All, ColumnSpan)).Scaled(metric.Hour)
}

// meanDelay returns the mean of an objective that is to be small over the jobs of a bound.
func (f *Frame) meanDelay(o Objective, row, bound Case, p Pools) Series {
	column := o.Column
	if o.Name == Wait().Name {
		column = ColumnResponse // less the lengths of all jobs, as the bound has it
	}
	var ran, sum Series
	for i, group := range p.groups() {
		completed := f.Series(row, group, ColumnCompleted)
		total := completed.Times(f.Series(row, group, column)).Max(Constant(0)) // no job ended in the pool
		if i == 0 {
			ran, sum = completed, total
			continue
		}
		ran, sum = ran.Plus(completed), sum.Plus(total)
	}
	tasks := f.Series(bound, p.bound(), BoundTasks)
	if o.Name == Wait().Name {
		length := f.Series(bound, p.bound(), BoundLength)
		sum = sum.with(length, func(sum, length float64) float64 {
			if left := sum - length; !(left < waitRounding*length) {
				return left
			}
			return 0
		})
	}
	mean := sum.Over(tasks)
	whole := ran.with(tasks, func(ran, tasks float64) float64 {
		if ran == tasks {
			return 1
		}
		return math.NaN()
	})
	return mean.Times(whole).Whole()
}

// waitRounding is the error of sums of responses, as a share of the sum of lengths.
const waitRounding = 1e-12

// Reached returns how much of a bound a row reaches: all of it at 1.
func (f *Frame) Reached(o Objective, delivered, most Series) Series {
	if !o.Smaller {
		return delivered.Over(most)
	}
	return most.with(delivered, func(most, got float64) float64 {
		switch {
		case got == 0: // nothing waits
			return 1
		case got > 0:
			return most / got
		}
		return math.NaN()
	})
}
