package bound

import (
	"context"
	"math"
	"slices"
	"sort"
)

// indexed is the linear program of tasks on a grid of time (Sousa and Wolsey 1992): every task divides itself among
// its possible starts, or takes nothing, and no cell gives more than it has.
//
//	maximize    sum_c value_c x_c
//	subject to  sum of x_c over the starts c of a task = 1,  sum_c units_kc x_c <= supply_k,  x >= 0
//
// A unit is the whole machine in a whole cell. The dual of the program is the search for the prices of nodes by which Waits
// bounds, so that the prices of its optimum are the best.
type indexed struct {
	grid   []float64
	nodes  float64
	supply []float64 // of the cells
	jobs   int
	list   []column // job by job

	// The iterate: shares, what they leave of the supply, what a start lacks to be the best, and prices.
	x, lack     []float64
	left, price []float64
	best        []float64 // what a job earns beyond the prices, or more
}

// column is a start of a job, or none.
type column struct {
	job        int
	width      float64 // share of the machine
	value      float64
	from, to   int     // the cells in which it runs
	head, tail float64 // how much of the first and of the last of these
}

// scarce is the supply of a cell in which nothing is for sale: about none.
const scarce = 1e-6

func newIndexed(grid, supply []float64, nodes float64) *indexed {
	p := &indexed{grid: grid, nodes: nodes}
	for k := range grid[1:] {
		p.supply = append(p.supply, math.Max(scarce, supply[k]/p.length(k)/nodes))
	}
	return p
}

func (p *indexed) cells() int { return len(p.grid) - 1 }

func (p *indexed) length(k int) float64 { return p.grid[k+1] - p.grid[k] }

// begin adds a job, and what it is worth if it takes nothing.
func (p *indexed) begin(value float64) {
	p.jobs++
	p.list = append(p.list, column{job: p.jobs - 1, value: value})
}

// add adds a start of the last job, of a share of the machine from one time to another.
func (p *indexed) add(value, width, start, end float64) {
	c := column{job: p.jobs - 1, value: value, width: width}
	after := sort.Search(len(p.grid), func(k int) bool { return p.grid[k] > start })
	c.from = min(max(after-1, 0), p.cells())
	c.to = max(c.from, min(sort.SearchFloat64s(p.grid, end), p.cells()))
	if c.from < c.to {
		part := func(k int) float64 {
			return (math.Min(end, p.grid[k+1]) - math.Max(start, p.grid[k])) / p.length(k)
		}
		c.head, c.tail = part(c.from), part(c.to-1)
	}
	p.list = append(p.list, c)
}

// levels returns prices of node-seconds by cell, given those of units.
func (p *indexed) levels(price []float64) []float64 {
	level := make([]float64, p.cells())
	for k, x := range price {
		level[k] = x / p.length(k) / p.nodes
	}
	return level
}

// starts returns starts of which one is always best, see turns.best: the release, those at which a task begins or ends
// at a time of the grid, and that at which the loss of its end begins.
func starts(grid []float64, release, length, after float64) []float64 {
	list := []float64{release, after - length}
	for _, t := range grid {
		list = append(list, t, t-length)
	}
	last := math.Max(release, grid[len(grid)-1])
	list = slices.DeleteFunc(list, func(s float64) bool { return !(s >= release && s <= last) })
	slices.Sort(list)
	hardly := 1e-9 * (last - grid[0])
	return slices.CompactFunc(list, func(a, b float64) bool { return math.Abs(b-a) < hardly })
}

// part returns how much of a cell in which it runs a start takes.
func (c *column) part(k int) float64 {
	switch k {
	case c.from:
		return c.head
	case c.to - 1:
		return c.tail
	}
	return 1
}

// each calls f for all that a start takes.
func (c *column) each(f func(k int, units float64)) {
	for k := c.from; k < c.to; k++ {
		f(k, c.width*c.part(k))
	}
}

// paid returns the price of all that a start takes, given that of all cells up to one.
func (c *column) paid(price, sums []float64) float64 {
	if c.from == c.to {
		return 0
	}
	last := c.to - 1
	paid := sums[c.to] - sums[c.from] - (1-c.head)*price[c.from]
	if last > c.from {
		paid -= (1 - c.tail) * price[last]
	}
	return paid * c.width
}

// sums returns the sums of a list up to an index.
func sums(list []float64) []float64 {
	to := make([]float64, len(list)+1)
	for k, x := range list {
		to[k+1] = to[k] + x
	}
	return to
}

// start sets the first iterate: shares that are equal, prices that are the mean worth of what there is.
func (p *indexed) start() {
	count, top := make([]float64, p.jobs), slices.Repeat([]float64{math.Inf(-1)}, p.jobs)
	low := slices.Repeat([]float64{math.Inf(1)}, p.jobs)
	for i := range p.list {
		c := &p.list[i]
		count[c.job]++
		top[c.job], low[c.job] = math.Max(top[c.job], c.value), math.Min(low[c.job], c.value)
	}
	var worth, supply, widest float64
	for j := range top {
		worth += top[j] - low[j]
		widest = math.Max(widest, top[j]-low[j])
	}
	for _, s := range p.supply {
		supply += s
	}
	p.price = slices.Repeat([]float64{worth / supply}, len(p.supply))
	p.best = make([]float64, p.jobs)
	for j := range top {
		p.best[j] = top[j] + 0.1*(top[j]-low[j]) + 1e-3*widest
	}
	p.x, p.lack = make([]float64, len(p.list)), make([]float64, len(p.list))
	p.left = slices.Clone(p.supply)
	for i := range p.list {
		c := &p.list[i]
		p.x[i] = 1 / count[c.job]
		c.each(func(k int, units float64) { p.left[k] -= units * p.x[i] })
	}
	for k := range p.left {
		p.left[k] = math.Max(p.left[k], 0.1)
	}
}

// rate sets what starts lack at the prices, and returns the bound that the prices prove, the value of the shares, and
// what that misses for what the shares take too much.
func (p *indexed) rate() (bound, value, missed float64) {
	upTo := sums(p.price)
	off, all := slices.Clone(p.left), make([]float64, p.jobs)
	most := slices.Repeat([]float64{math.Inf(-1)}, p.jobs)
	for i := range p.list {
		c := &p.list[i]
		paid := c.paid(p.price, upTo)
		p.lack[i] = p.best[c.job] + paid - c.value
		most[c.job] = math.Max(most[c.job], c.value-paid)
		value += c.value * p.x[i]
		all[c.job] += p.x[i]
		c.each(func(k int, units float64) { off[k] += units * p.x[i] })
	}
	for k, s := range p.supply {
		bound += s * p.price[k]
		missed += p.price[k] * math.Abs(off[k]-s)
	}
	for j := range most {
		bound += most[j]
		missed += math.Abs(p.best[j] * (all[j] - 1))
	}
	return bound, value, missed
}

// solve returns prices of cells whose bound exceeds the value of known shares, and so the optimum,
// by at most the relative gap; 0 where that is too much work. It follows the central path, by steps of prediction and
// correction (Mehrotra 1992).
func (p *indexed) solve(ctx context.Context, gap float64) []float64 {
	price, bound := make([]float64, len(p.supply)), math.Inf(1)
	n := newNewton(p)
	if 15*n.work() > mostWork {
		return price
	}
	p.start()
	for range mostSteps {
		b, value, missed := p.rate()
		if b < bound {
			bound = b
			copy(price, p.price)
		}
		if bound-value+missed <= gap*math.Abs(bound) || ctx.Err() != nil || !n.step() {
			break
		}
	}
	return price
}

const (
	mostSteps = 60  // of a solution, usually 10 to 20
	mostWork  = 3e8 // multiplications, about half a second
)
