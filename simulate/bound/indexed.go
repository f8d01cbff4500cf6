package bound

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
)

// indexed is the linear program of runs on a grid of time (Sousa and Wolsey 1992): every job divides itself among
// its possible starts, or takes nothing, and no cell gives more than it has.
//
//	maximize    sum_c value_c x_c
//	subject to  sum of x_c over the starts c of a job = 1,  sum_c units_kc x_c <= supply_k,  x >= 0
//
// A unit is the whole machine in a whole cell. Its dual is the search for the prices of nodes by which Unpreempted
// and UnpreemptedWaits bound, so that the prices of its optimum are the best. Other goods join in cells in
// which a solution takes too much of them.
type indexed struct {
	grid   []float64
	nodes  float64
	supply []float64 // of the cells, then of the rows
	jobs   int
	list   []column // job by job
	goods  []good
	rows   []row // by cell
	first  []int // row of a cell; one more for the end

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

// good is something besides nodes that runs take of cells.
type good struct {
	units  []float64 // by job
	supply []float64 // of the cells
}

// row is a good in a cell.
type row struct{ good, cell int }

// scarce is the supply of a cell in which nothing is for sale: about none.
const scarce = 1e-6

func newIndexed(grid, supply []float64, nodes float64) *indexed {
	p := &indexed{grid: grid, nodes: nodes, first: make([]int, len(grid))}
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

// addPlain adds goods by k, given their supply behind that of nodes, and the widths of jobs.
func (p *indexed) addPlain(goods, supply []float64, width func(i int) float64) {
	for g, k := range goods {
		var d good
		for i := range p.jobs {
			d.units = append(d.units, goodUnits(width(i), p.nodes, k)/p.nodes)
		}
		for c, s := range supply[(g+1)*p.cells() : (g+2)*p.cells()] {
			d.supply = append(d.supply, s/p.length(c)/p.nodes)
		}
		p.goods = append(p.goods, d)
	}
}

// levels returns the prices of node-seconds by cell, then those of the goods, given what solveAll returns.
func (p *indexed) levels(price []float64, rows []row) []float64 {
	level := make([]float64, p.cells()*(1+len(p.goods)))
	for at, x := range price {
		k, g := at, 0
		if at >= p.cells() {
			k, g = rows[at-p.cells()].cell, rows[at-p.cells()].good+1
		}
		level[g*p.cells()+k] = x / p.length(k) / p.nodes
	}
	return level
}

// starts returns starts of which one is always best, see runs.best: the release, those at which a run begins or ends
// at a time of the grid, and those at which it ends where its value bends.
func starts(grid []float64, release, length float64, bends ...float64) []float64 {
	list := []float64{release}
	for _, t := range grid {
		list = append(list, t, t-length)
	}
	for _, t := range bends {
		list = append(list, t-length)
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
func (p *indexed) each(c *column, f func(k int, units float64)) {
	for k := c.from; k < c.to; k++ {
		f(k, c.width*c.part(k))
	}
	for i := p.first[c.from]; i < p.first[c.to]; i++ {
		f(p.cells()+i, p.taken(c, i))
	}
}

// taken returns what a start takes of a row.
func (p *indexed) taken(c *column, i int) float64 {
	return p.goods[p.rows[i].good].units[c.job] * c.part(p.rows[i].cell)
}

// paid returns the price of all that a start takes, given that of all cells up to one.
func (p *indexed) paid(c *column, price, sums []float64) float64 {
	if c.from == c.to {
		return 0
	}
	last := c.to - 1
	paid := sums[c.to] - sums[c.from] - (1-c.head)*price[c.from]
	if last > c.from {
		paid -= (1 - c.tail) * price[last]
	}
	paid *= c.width
	for i := p.first[c.from]; i < p.first[c.to]; i++ {
		paid += price[p.cells()+i] * p.taken(c, i)
	}
	return paid
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
		p.each(c, func(k int, units float64) { p.left[k] -= units * p.x[i] })
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
		paid := p.paid(c, p.price, upTo)
		p.lack[i] = p.best[c.job] + paid - c.value
		most[c.job] = math.Max(most[c.job], c.value-paid)
		value += c.value * p.x[i]
		all[c.job] += p.x[i]
		p.each(c, func(k int, units float64) { off[k] += units * p.x[i] })
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

// solve returns prices, of cells and then of rows, whose bound exceeds the value of known shares, and so the optimum,
// by at most the relative gap. It follows the central path, by steps of prediction and correction (Mehrotra 1992).
func (p *indexed) solve(ctx context.Context, n *newton, gap float64) (price []float64, bound float64) {
	p.start()
	price, bound = make([]float64, len(p.supply)), math.Inf(1)
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
	return price, bound
}

const (
	mostSteps  = 60   // of a solution, usually 10 to 20
	mostRows   = 48   // of goods that join in a turn
	overtaken  = 0.01 // of a machine
	worthwhile = 1e-3 // by which the bound falls in a turn
)

// solveAll solves the program in turns, with more rows of goods in each, as long as that is worthwhile and is not too
// much work. It returns the prices of cells and of the rows, none where it is too much work at all.
func (p *indexed) solveAll(ctx context.Context, gap float64) (price []float64, rows []row) {
	least := math.Inf(1)
	for work := 0.0; ctx.Err() == nil; {
		n := newNewton(p)
		work += 15 * n.work()
		if work > mostWork {
			return price, rows
		}
		more, bound := p.solve(ctx, n, gap)
		better := bound < least-worthwhile*math.Abs(bound)
		if bound < least {
			least, price, rows = bound, more, slices.Clone(p.rows)
		}
		if !better || !p.join() {
			break
		}
	}
	return price, rows
}

// join adds the rows of which most is taken beyond their supply, and returns whether there were any.
func (p *indexed) join() bool {
	taken := make([][]float64, p.jobs) // by cell
	for j := range taken {
		taken[j] = make([]float64, p.cells())
	}
	for i := range p.list {
		c := &p.list[i]
		for k := c.from; k < c.to; k++ {
			taken[c.job][k] += p.x[i] * c.part(k)
		}
	}
	type choice struct {
		row
		over float64
	}
	var list []choice
	for g := range p.goods {
		d := &p.goods[g]
		for k := range d.supply {
			over := -d.supply[k]
			for j, u := range d.units {
				if u > 0 {
					over += u * taken[j][k]
				}
			}
			if over > overtaken && !slices.Contains(p.rows[p.first[k]:p.first[k+1]], row{g, k}) {
				list = append(list, choice{row{g, k}, over})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b choice) int { return cmp.Compare(b.over, a.over) })
	for _, c := range list[:min(len(list), mostRows)] {
		p.rows = append(p.rows, c.row)
	}
	slices.SortFunc(p.rows, func(a, b row) int { return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.good, b.good)) })
	p.supply = p.supply[:p.cells()]
	clear(p.first)
	for _, r := range p.rows {
		d := &p.goods[r.good]
		p.supply = append(p.supply, math.Max(scarce, d.supply[r.cell]))
		p.first[r.cell+1]++
	}
	for k := range p.first[1:] {
		p.first[k+1] += p.first[k]
	}
	return len(list) > 0
}
