package bound

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
)

const (
	mostSlots = 3       // goods of slots
	reach     = 2       // lengths after its release in which an odd task has a price of its own
	mostCells = 1 << 15 // of the grid
	mostReads = 3e9     // of prices, in all rounds

	mostFine   = 1000    // cells of a linear program that is solved
	mostPlaces = 1 << 18 // cells, of all its tasks together
	closest    = 1e-3    // gap at which it is solved

	fewestTurns, mostTurns = 60, 300 // rounds
)

// turn is a task that runs once.
type turn struct {
	release, length float64
	after           float64 // the loss of an end begins
	weight, width   float64
	tolls           []toll
}

// loss returns what a start at s costs.
func (n *turn) loss(s float64) float64 { return n.weight * math.Max(0, s+n.length-n.after) }

// toll is the prices that an odd task has of its own, for slots.
type toll struct {
	slots int       // which good
	cell  int       // the first
	at    int       // of the first level
	sums  []float64 // price of all time up to a time of the grid, from the first on
}

// slots is a good: parts of the machine of some width.
type slots struct {
	width, number int
	price, used   []float64 // by cell
}

// turns are tasks that run once, and the prices of their time. Levels are those of the plain goods by cell, then tolls.
//
// Nodes are sold as several goods g, each at prices pi_g(t) >= 0. A task pays for the units that it takes of every
// good while it runs. The bound at any prices is
//
//	sum_j min over s >= release of { loss_j(s + length) + price of its units from s to s + length }
//	- sum_g integral supply_g pi_g dt
//
// Proof. Take any schedule. At every time the tasks that run take no more of a good than its supply, so that
// all tasks together pay at most the last sum, and each pays its loss and its units, at least its minimum. QED
//
// The goods are
//
//   - nodes, u(x) = x for a task of the share x of the machine,
//   - dual feasible functions of x, sum u(x_i) <= 1 wherever sum x_i <= 1 (Fekete and Schepers 2001): u_k(x) = x where
//     (k+1)x is a whole number, floor((k+1)x)/k elsewhere. So u_1 says that no two tasks wider than half of the machine
//     ever run together. Proof. Let q be the sum of (k+1)x over the tasks for which that is a whole number. Of the others
//     the sum of (k+1)x is at most k+1-q, and if there are any that of floor((k+1)x), a whole number and less, at most
//     k-q. All units are at most q/(k+1) + (k-q)/k <= 1. QED
//   - slots of W nodes, for some widths W. There are a = floor(m/W) slots of m nodes, and a task of width w
//     takes floor(w/W). A task is odd if it takes more nodes than its slots have by more than the machine
//     has: w mod W > m mod W. While an odd task runs, at most a-1 slots are taken, because all slots and the
//     nodes w mod W of that task beyond its own are at most m nodes, and m - w mod W < a W. So the slots
//     taken, and one more if any odd task runs, are at most a. One more if any runs is at least the sum of
//     theta_j over the odd tasks that run, for all shares theta_j(t) >= 0 of sum at most 1.
//
// With W = m/2, two tasks of half the machine never run while a task of one node does: a fluid would let them
// run at nearly full rate. Odd task j pays a price nu_j(t) = theta_j pi of its own, and pi is the sum of
// these, so any nu_j(t) >= 0 are valid. It has such a price in a window after its release only.
//
// Prices are constant in the cells of a grid: releases, ends of tasks that do not wait, and the grid of the relaxed
// problem; where all times are multiples of a step and there are few, these. There the bound is not below the optimum of
// the linear program of nodes (see indexed) by more than its gap.
// Between starts at which a task or its end passes a time of the grid, or its loss begins, its cost is linear
// in its start, so that the minimum is exact. Prices are found by ascent.
type turns struct {
	ctx     context.Context
	machine Machine
	list    []turn // by width
	grid    []float64
	plain   []float64 // goods by k, 0 for nodes
	slots   []slots
	supply  []float64 // by level

	units []float64 // of the plain goods and of slots that a task of the width at hand takes
	cost  []float64 // of all time up to a time of the grid, at this width
	rate  []float64 // in the cells, 0 after the last
	reads int
	error float64 // at most, of what tasks pay, by rounding
}

// newTurns returns tasks on a grid, with their events if more is true.
func newTurns(ctx context.Context, tasks []Task, m Machine, grid []float64, more bool) *turns {
	t := &turns{ctx: ctx, machine: m, plain: []float64{0}}
	times := slices.Clone(grid)
	for _, x := range tasks {
		if x.Width > m.Nodes || x.Length <= instant || x.Weight == 0 {
			continue
		}
		t.list = append(t.list, turn{release: x.Release, length: x.Length, after: x.Release + x.Length + x.Grace,
			weight: x.Weight, width: float64(x.Width)})
		if more {
			times = append(times, x.Release, x.Release+x.Length, x.Release+reach*x.Length)
		}
	}
	slices.SortStableFunc(t.list, func(a, b turn) int { return cmp.Compare(a.width, b.width) })
	slices.Sort(times)
	t.grid = slices.Compact(times)
	if len(t.grid) > mostCells {
		t.grid = coarse(t.grid, mostCells)
	}
	t.cost, t.rate = make([]float64, len(t.grid)), make([]float64, len(t.grid))
	t.addPlain()
	t.addSlots()
	return t
}

// addPlain adds nodes, and the goods of which tasks of some width need more than their share of the nodes.
func (t *turns) addPlain() {
	nodes := float64(t.machine.Nodes)
	for k := 1.0; k <= 4; k++ {
		if slices.ContainsFunc(t.list, func(n turn) bool { return goodUnits(n.width, nodes, k) > n.width }) {
			t.plain = append(t.plain, k)
		}
	}
	for _, k := range t.plain {
		for i := range t.grid[1:] {
			t.supply = append(t.supply, t.machine.goodSupply(k, t.grid[i], t.grid[i+1]))
		}
	}
}

// goodUnits returns how many units of good k, 0 for nodes, a task of some width needs.
func goodUnits(width, nodes, k float64) float64 {
	if y := (k + 1) * width; k > 0 && math.Mod(y, nodes) != 0 {
		return math.Floor(y/nodes) / k * nodes
	}
	return width
}

// goodSupply returns how much there is of good k, 0 for nodes, from one time to another. If m of the nodes are up, that is
// m nodes. Of the others, k: with M = (k+1)m/nodes in place of k+1 in the proof of turns, all units are at most
// q/(k+1) + (ceil(M)-1-q)/k if there are tasks of the second kind, and otherwise those of the m nodes.
func (m Machine) goodSupply(k, from, to float64) (sum float64) {
	nodes := float64(m.Nodes)
	m.cuts(from, to, func(a, b, units float64) {
		if k > 0 {
			units = math.Max(units, (math.Ceil((k+1)*units/nodes*(1-hair))-1)/k*nodes)
		}
		sum += units * (b - a)
	})
	return sum
}

// addSlots adds the slots from which most is to be expected, of different numbers: those that tasks need for long
// and that odd tasks, which can pay much, make rare.
func (t *turns) addSlots() {
	type choice struct {
		slots
		score float64
	}
	best := map[int]choice{} // by number
	nodes := t.machine.Nodes
	for i := range t.list {
		if i > 0 && t.list[i].width == t.list[i-1].width {
			continue
		}
		c := choice{slots: slots{width: int(t.list[i].width)}}
		c.number = nodes / c.width
		var need, pay float64
		for j := range t.list {
			n := &t.list[j]
			need += float64(int(n.width)/c.width) * n.length
			if t.odd(n, c.width) {
				pay += n.weight * n.length
			}
		}
		c.score = need / float64(c.number*c.number) * pay
		if c.score > best[c.number].score {
			best[c.number] = c
		}
	}
	var list []choice
	for _, c := range best {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.width, b.width))
	})
	for g, c := range list[:min(len(list), mostSlots)] {
		c.price, c.used = make([]float64, len(t.grid)), make([]float64, len(t.grid))
		t.slots = append(t.slots, c.slots)
		for j := range t.list {
			if t.odd(&t.list[j], c.width) {
				t.addToll(&t.list[j], g)
			}
		}
	}
}

// odd reports whether a task that runs takes away a slot of some width beyond its own.
func (t *turns) odd(n *turn, width int) bool { return int(n.width)%width > t.machine.Nodes%width }

// addToll gives an odd task a price of its own.
func (t *turns) addToll(n *turn, good int) {
	first := sort.SearchFloat64s(t.grid, n.release)
	last := min(sort.SearchFloat64s(t.grid, n.release+reach*n.length), len(t.grid)-1)
	if first >= last {
		return
	}
	n.tolls = append(n.tolls, toll{good, first, len(t.supply), make([]float64, last-first+1)})
	s := &t.slots[good]
	for k := first; k < last; k++ {
		var sum float64
		t.machine.cuts(t.grid[k], t.grid[k+1], func(a, b, capacity float64) {
			number := float64(s.number)
			if capacity < t.machine.Capacity { // tasks may be odd for other widths
				number = math.Floor(capacity*(1+hair)/float64(s.width)) + 1
			}
			sum += number * (b - a)
		})
		t.supply = append(t.supply, sum)
	}
}

// rounds returns how many rounds are worth their time.
func (t *turns) rounds(level []float64) int {
	t.take(level, make([]float64, len(level)))
	return int(math.Max(fewestTurns, math.Min(mostTurns, mostReads/float64(t.reads))))
}

// first returns prices to start from: those of the relaxed problem, for nodes.
func (t *turns) first(d *delays) []float64 {
	level := make([]float64, len(t.supply))
	for k := range t.grid[1:] {
		middle := (t.grid[k] + t.grid[k+1]) / 2
		if middle > d.times[0] && middle < d.times[len(d.times)-1] {
			level[k] = math.Max(0, d.price(middle))
		}
	}
	return level
}

// evenGrid returns a grid on which nothing is lost, nil if there is none that is small: where releases and lengths are
// multiples of a step, all multiples of it up to a length beyond the last time.
func (t *turns) evenGrid() (grid []float64) {
	var releases, lengths []float64
	for i := range t.list {
		releases, lengths = append(releases, t.list[i].release), append(lengths, t.list[i].length)
	}
	first, last := slices.Min(releases), t.grid[len(t.grid)-1]+slices.Max(lengths)
	step := commonStep(releases, lengths, (last-first)/mostFine)
	for k := 0.0; step > 0 && first+(k-1)*step < last; k++ {
		grid = append(grid, first+k*step)
	}
	if len(grid)*len(t.list) > mostPlaces {
		return nil
	}
	return grid
}

// commonStep returns the largest time of which all lengths and all differences of releases are multiples, or nearly,
// if it is no shorter than least, and otherwise 0.
func commonStep(releases, lengths []float64, least float64) float64 {
	step := 0.0
	for i, l := range lengths {
		for _, x := range [2]float64{l, releases[i] - releases[0]} {
			a, b := math.Max(step, math.Abs(x)), math.Min(step, math.Abs(x))
			for b > 1e-6*least {
				a, b = b, math.Abs(math.Remainder(a, b))
			}
			step = a
			if step < least {
				return 0
			}
		}
	}
	return step
}

// solve returns the prices of nodes of the linear program of the tasks, 0 if it is too large.
func (t *turns) solve() []float64 {
	nodes, last := float64(t.machine.Nodes), t.grid[len(t.grid)-1]
	p := newIndexed(t.grid, t.supply, nodes)
	for i := range t.list {
		n := &t.list[i]
		p.begin(-n.loss(math.Max(n.release, last)))
		for _, s := range starts(t.grid, n.release, n.length, n.after) {
			p.add(-n.loss(s), n.width/nodes, s, s+n.length)
		}
	}
	level := make([]float64, len(t.supply))
	copy(level, p.levels(p.solve(t.ctx, closest)))
	return level
}

// natural returns the sizes of steps of the levels. That of nodes is the mean price at first. A slot is worth its
// nodes; the price of an odd task may be the higher the dearer its delay is.
func (t *turns) natural(level []float64) []float64 {
	var sold, all, dear, area float64
	for k := range t.grid[1:] {
		sold += level[k] * t.supply[k]
		all += t.supply[k]
	}
	for i := range t.list {
		n := &t.list[i]
		dear += n.weight * n.length * n.width
		area += n.length * n.width
	}
	price := math.Max(sold/all, 1e-3*dear/area/float64(t.machine.Nodes))
	size := slices.Repeat([]float64{price}, len(level))
	for i := range t.list {
		n := &t.list[i]
		for _, s := range n.tolls {
			for k := range len(s.sums) - 1 {
				size[s.at+k] = price * float64(t.slots[s.slots].width) * math.Sqrt(n.weight/(dear/area))
			}
		}
	}
	return size
}

// bound returns the bound of the levels, less what rounding may have added.
func (t *turns) bound(level []float64) float64 {
	paid := -t.take(level, make([]float64, len(level)))
	var sold float64
	for k, s := range t.supply {
		sold += s * level[k]
	}
	return paid - sold - t.error - float64(len(level)+len(t.list))*epsilon*(paid+sold)
}

// epsilon is the relative error of an operation, twice.
const epsilon = 1.0 / (1 << 52)

// take implements response, for the negative of the bound.
func (t *turns) take(level, used []float64) float64 {
	t.open(level)
	t.reads, t.error = 0, 0
	var paid, steepest float64
	for i := range t.list {
		n := &t.list[i]
		if i == 0 || n.width != t.list[i-1].width {
			if t.ctx.Err() != nil {
				return 0
			}
			t.setWidth(n.width, level)
			steepest = slices.Max(t.rate)
		}
		cost, start := t.best(n, level)
		paid += cost
		t.use(n, start, used)
		end := len(t.grid) - 1
		tolls := 0.0
		for _, s := range n.tolls {
			tolls += s.sums[len(s.sums)-1]
		}
		clock := math.Max(math.Abs(t.grid[0]), math.Abs(t.grid[end])) + math.Abs(n.after)
		t.error += epsilon * (float64(end+8)*(t.cost[end]+tolls) + 8*(n.weight+2*steepest)*clock)
	}
	t.close(used)
	return -paid
}

// open sums tolls up.
func (t *turns) open(level []float64) {
	for g := range t.slots {
		clear(t.slots[g].price)
		clear(t.slots[g].used)
	}
	for i := range t.list {
		for _, s := range t.list[i].tolls {
			price, sum := t.slots[s.slots].price, 0.0
			for k := range len(s.sums) - 1 {
				at := s.cell + k
				x := level[s.at+k]
				price[at] += x
				sum += x * (t.grid[at+1] - t.grid[at])
				s.sums[k+1] = sum
			}
		}
	}
}

// close adds the slots that are used to what is used by the tolls for them.
func (t *turns) close(used []float64) {
	for i := range t.list {
		for _, s := range t.list[i].tolls {
			slots := t.slots[s.slots].used[s.cell:]
			for k := range len(s.sums) - 1 {
				used[s.at+k] += slots[k]
			}
		}
	}
}

// setWidth makes costs those of tasks of some width.
func (t *turns) setWidth(width float64, level []float64) {
	cells := len(t.grid) - 1
	t.units = t.units[:0]
	clear(t.rate)
	add := func(units float64, price []float64) {
		t.units = append(t.units, units)
		if units > 0 {
			for k, p := range price[:cells] {
				t.rate[k] += units * p
			}
		}
	}
	for g, k := range t.plain {
		add(goodUnits(width, float64(t.machine.Nodes), k), level[g*cells:])
	}
	for _, s := range t.slots {
		add(float64(int(width)/s.width), s.price)
	}
	var sum float64
	for k := range cells {
		t.cost[k] = sum
		sum += t.rate[k] * (t.grid[k+1] - t.grid[k])
	}
	t.cost[cells] = sum
	t.reads += cells * (1 + len(t.units))
}

// use adds what a task takes of all goods from its start on.
func (t *turns) use(n *turn, start float64, used []float64) {
	cells, end := len(t.grid)-1, start+n.length
	for k := t.cell(start); k < cells && t.grid[k] < end; k++ {
		seconds := math.Max(0, math.Min(end, t.grid[k+1])-math.Max(start, t.grid[k]))
		for g := range t.plain {
			used[g*cells+k] += seconds * t.units[g]
		}
		for g := range t.slots {
			t.slots[g].used[k] += seconds * t.units[len(t.plain)+g]
		}
		for _, s := range n.tolls {
			if i := k - s.cell; i >= 0 && i < len(s.sums)-1 {
				used[s.at+i] += seconds
			}
		}
	}
}

// cell returns the cell in which a time lies, the first for earlier times.
func (t *turns) cell(at float64) int {
	k := sort.SearchFloat64s(t.grid, at)
	if k < len(t.grid) && t.grid[k] == at {
		return k
	}
	return max(k-1, 0)
}

// tolled returns what a task pays by prices of its own for all time up to one in cell k.
func (t *turns) tolled(n *turn, level []float64, k int, at float64) (sum float64) {
	for _, s := range n.tolls {
		switch i := k - s.cell; {
		case i < 0:
		case i >= len(s.sums)-1:
			sum += s.sums[len(s.sums)-1]
		default:
			sum += s.sums[i] + level[s.at+i]*(at-t.grid[k])
		}
	}
	return sum
}

// price returns what a task pays for all time up to one.
func (t *turns) price(n *turn, level []float64, at float64) float64 {
	k := t.cell(at)
	return t.cost[k] + t.rate[k]*math.Max(0, at-t.grid[k]) + t.tolled(n, level, k, at)
}

// best returns the least that a task costs, loss and prices, and the start for that.
func (t *turns) best(n *turn, level []float64) (least, start float64) {
	least = math.Inf(1)
	last := len(t.grid) - 1
	for _, s := range [...]float64{n.release, math.Max(n.release, n.after-n.length)} {
		if c := n.loss(s) + t.price(n, level, s+n.length) - t.price(n, level, s); c < least {
			least, start = c, s
		}
	}
	until := 0 // cells from here on have no prices of its own
	for _, s := range n.tolls {
		until = max(until, s.cell+len(s.sums)-1)
	}
	// Starts at times of the grid. Past it everything is free, so the last is the best of later ones.
	i := sort.SearchFloat64s(t.grid, n.release)
	t.reads -= i
	for b := min(i, last); i <= last; i++ {
		s := t.grid[i]
		c := n.loss(s)
		if c >= least {
			break
		}
		e := s + n.length
		for b < last && t.grid[b+1] <= e {
			b++
		}
		c += t.cost[b] + t.rate[b]*(e-t.grid[b]) - t.cost[i]
		if i < until {
			c += t.tolled(n, level, b, e) - t.tolled(n, level, i, s)
		}
		if c < least {
			least, start = c, s
		}
	}
	t.reads += 2 * i
	// Ends at times of the grid.
	b := sort.SearchFloat64s(t.grid, n.release+n.length)
	for i = t.cell(n.release); b <= last; b++ {
		e := t.grid[b]
		s := e - n.length
		c := n.loss(s)
		if c >= least {
			break
		}
		for i < last && t.grid[i+1] <= s {
			i++
		}
		c += t.cost[b] - t.cost[i] - t.rate[i]*math.Max(0, s-t.grid[i])
		if i < until {
			c += t.tolled(n, level, b, e) - t.tolled(n, level, i, s)
		}
		if c < least {
			least, start = c, s
		}
	}
	return least, start
}
