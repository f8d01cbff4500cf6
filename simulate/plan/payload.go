package plan

import (
	"math"
	"slices"

	"revopt/simulate/metric"
)

// A journal keeps a cell as numbers. The types of this file are the cells of bounds and of
// findings, and their methods alone know the places of the numbers. Cells of replications are
// those of columns.

// boundNumbers is how many numbers the bounds on a part of the jobs have. A cell has them for all
// jobs, then again for each group of pools.
const boundNumbers = 8

// offered is the jobs that are bounded.
type offered struct {
	span float64 // s, of arrivals; 0 if all come at one instant
	jobs float64 // their number
}

func (o offered) plus(p offered) offered { return offered{o.span + p.span, o.jobs + p.jobs} }

// valueBounds is what no policy can exceed, $.
type valueBounds struct {
	fluid       float64
	clairvoyant float64
	gap         float64 // of the clairvoyant bound, relative
	indivisible float64
	unpreempted float64 // NaN if it does not apply
	feasible    float64 // by a schedule without preemption, likewise
	offered
}

func (b valueBounds) numbers() []float64 {
	return []float64{b.fluid, b.clairvoyant, b.gap, b.indivisible, b.unpreempted, b.feasible, b.span, b.jobs}
}

func readValueBounds(x []float64) valueBounds {
	return valueBounds{x[0], x[1], x[2], x[3], x[4], x[5], offered{x[6], x[7]}}
}

// plus returns the bounds on two parts together.
func (b valueBounds) plus(c valueBounds) valueBounds {
	sum := valueBounds{
		fluid: b.fluid + c.fluid, clairvoyant: b.clairvoyant + c.clairvoyant,
		indivisible: b.indivisible + c.indivisible,
		unpreempted: b.unpreempted + c.unpreempted, feasible: b.feasible + c.feasible,
		offered: b.offered.plus(c.offered),
	}
	loose := c.gap*c.clairvoyant + b.gap*b.clairvoyant
	sum.gap = loose / math.Max(sum.clairvoyant, math.SmallestNonzeroFloat64)
	return sum
}

func (b valueBounds) offering(o offered) valueBounds {
	b.offered = o
	return b
}

// delayBounds is what no policy can go below, of an objective that is to be small. All are sums
// over the jobs that can run.
type delayBounds struct {
	tasks    float64 // the number of these jobs
	least    float64 // the bound
	length   float64 // s
	feasible float64 // by a schedule
	once     float64 // the bound for schedules without preemption, NaN if it does not apply
	found    float64 // by such a schedule, likewise
	offered
}

func (b delayBounds) numbers() []float64 {
	return []float64{b.tasks, b.least, b.once, b.length, b.found, b.feasible, b.span, b.jobs}
}

func readDelayBounds(x []float64) delayBounds {
	return delayBounds{x[0], x[1], x[3], x[5], x[2], x[4], offered{x[6], x[7]}}
}

// plus returns the bounds on two parts together.
func (b delayBounds) plus(c delayBounds) delayBounds {
	return delayBounds{
		tasks: b.tasks + c.tasks, least: b.least + c.least, length: b.length + c.length,
		feasible: b.feasible + c.feasible, once: b.once + c.once, found: b.found + c.found,
		offered: b.offered.plus(c.offered),
	}
}

func (b delayBounds) offering(o offered) delayBounds {
	b.offered = o
	return b
}

// bounding is a kind of bounds.
type bounding[T any] interface {
	numbers() []float64
	plus(T) T
	offering(offered) T
}

// boundsCell is the bounds of a replication: on all jobs, and on those of each group of pools.
type boundsCell[T bounding[T]] struct {
	all    T
	groups []T // nil if the machine is one
}

// numbers returns the cell of a plan with so many groups of pools at most.
func (c boundsCell[T]) numbers(groups int) []float64 {
	list := c.all.numbers()
	for _, g := range c.groups {
		list = append(list, g.numbers()...)
	}
	missing := boundNumbers*(1+groups) - len(list)
	return append(list, slices.Repeat([]float64{math.NaN()}, missing)...)
}

// readBounds returns a part of cells of bounds: 0 is all jobs, then come the groups of pools.
func readBounds[T any](cells [][]float64, part int, read func([]float64) T) []T {
	list := make([]T, len(cells))
	for k, x := range cells {
		list[k] = read(x[boundNumbers*part:][:boundNumbers])
	}
	return list
}

// finding is an admission that was found.
type finding struct {
	customers []foundCustomer
	searched  bool
}

// foundCustomer is the admission of a customer. A number that does not apply is NaN.
type foundCustomer struct {
	admit           float64
	waiting, surely float64 // see analytic.ClassThreshold
}

// foundNumbers is how many numbers a finding has for each customer. One follows: searched.
const foundNumbers = 3

func (f finding) numbers() []float64 {
	var list []float64
	for _, c := range f.customers {
		list = append(list, c.admit, c.waiting, c.surely)
	}
	return append(list, metric.Indicator(f.searched))
}

func readFinding(x []float64) finding {
	n := len(x) - 1
	f := finding{searched: x[n] == 1}
	for c := range slices.Chunk(x[:n], foundNumbers) {
		f.customers = append(f.customers, foundCustomer{c[0], c[1], c[2]})
	}
	return f
}
