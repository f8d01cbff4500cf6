package bound

import (
	"cmp"
	"context"
	"math"

	"revopt/internal/text"
)

// Options say how hard Clairvoyant tries. The zero value takes the defaults.
type Options struct {
	// Gap is the relative gap at which to stop, 0.01 if 0. Where nothing is
	// lost by delay the problem is solved exactly, whatever the gap, if that
	// fits into the first grid.
	Gap float64
	// Beside calls a function for the numbers below n, side by side; nil: one after
	// the other. The result is the same.
	Beside func(ctx context.Context, n int, call func(ctx context.Context, i int)) error

	// edges is the most pairs of a job and a cell of time to consider; 0 means
	// 512 per job, from 2^14 to 2^21, and 2^23 where nothing is lost by delay.
	// Memory is about 20 bytes for each.
	edges int
	// first is the number of pairs to start with; 0 means 64 per job for a gap of
	// at most 0.005 and else 20, at least 1024, and 2^20 where nothing is lost by
	// delay. It grows by 2 to 4 times until the gap is small enough, stops
	// closing, or edges is reached.
	first int
}

// Result is a bound, and what is known of its tightness.
type Result struct {
	Bound    float64 // $, nothing earns more
	Feasible float64 // $, what a schedule of the relaxed problem earns
	Gap      float64 // (Bound - Feasible)/Bound, 0 if Bound is 0
	Exact    bool    // Bound is the optimum of the relaxed problem, to rounding
	Prices   Prices  // prove Bound
	Cells    int     // of time, in the last grid
}

// rounding is the relative gap below which a bound is taken for exact.
const rounding = 1e-9

// fineGap is the largest gap for which the first grid is fine. On a coarse one the grid makes most of the gap, so that
// prices need not be as exact.
const fineGap = 0.005

// finePairs is the number of pairs for each job on the first fine grid. On coarser ones chance decides whether the gap
// closes from one to the next.
const finePairs = 64

// Clairvoyant returns a bound on what any scheduler earns that knows the
// future, preempts, migrates and splits jobs at will: the optimum of the
// relaxed problem of the package comment, or a little more, by at most Gap.
//
// Proof that it is a bound. Take any schedule. Let x_j(t) be the rate at which
// the nodes work for job j at time t, up to its finish; then 0 <= x_j <= rate_j
// within the job's window, and sum_j x_j <= capacity. A job that is done in
// full or in part to y_j node-seconds and ends at f_j pays at most
// V_j(y_j) - loss(f_j), V_j being concave and above what it offers. Its work is
// done before f_j and is no more than all of its work A_j, so that
// loss(f_j) >= y_j/A_j loss(f_j) >= integral x_j(t) loss(t)/A_j dt, which is
// the loss of the relaxed problem, since loss does not fall with time. (For a
// job that pays by its wait, loss is a function of release + length + wait <=
// f_j.) A job with y_j = 0, or one that would cost money, adds at most 0. So the
// relaxed problem allows x and values it no less. Its optimum, and by weak
// duality the bound of any prices, is at least that.
//
// With hard deadlines only, the optimum is found by greedy flow, exactly if the
// grid has all releases and deadlines. A coarser grid is still valid: its
// prices are good, though not the best, and the bound is that of the prices in
// continuous time. With losses by delay the prices come from a flow on a grid
// by cost scaling. In both cases the flow is made into a schedule of the
// relaxed problem, whose value gives the gap.
//
// Where ctx ends before, Clairvoyant returns its error at once.
func Clairvoyant(ctx context.Context, jobs []Job, m Machine, o Options) (Result, error) {
	if err := check(jobs, m); err != nil {
		return Result{}, err
	}
	items, free := newItems(jobs, m)
	if err := o.setDefaults(items); err != nil {
		return Result{}, err
	}
	s := newSearch(ctx, items, m, o)
	s.run()
	if err := cmp.Or(s.err, ctx.Err()); err != nil {
		return Result{}, err
	}
	r := s.result
	r.Bound += free
	r.Feasible += free
	r.rate()
	return r, nil
}

// setDefaults replaces what is 0. The receiver is a copy of the caller's.
func (o *Options) setDefaults(items []item) error {
	if !(o.Gap >= 0) {
		return invalid("options", "gap", o.Gap)
	}
	o.Gap = cmp.Or(o.Gap, 0.01)
	edges, first := 1<<23, 1<<20
	if anyFall(items) {
		pairs := 20
		if o.Gap <= fineGap {
			pairs = finePairs
		}
		edges, first = min(1<<21, max(512*len(items), 1<<14)), max(pairs*len(items), 1024)
	}
	o.edges = cmp.Or(o.edges, edges)
	o.first = cmp.Or(o.first, first)
	return nil
}

// rate sets the gap.
func (r *Result) rate() {
	r.Feasible = math.Min(r.Feasible, r.Bound) // they may cross by rounding
	r.Gap = 0
	if r.Bound > 0 {
		r.Gap = (r.Bound - r.Feasible) / r.Bound
	}
	r.Exact = r.Gap <= rounding
}

// search looks for good prices on finer and finer grids.
type search struct {
	ctx    context.Context
	items  []item
	m      Machine
	o      Options
	times  []float64 // events
	falls  bool
	unit   float64 // $ per node-second, of all that is sold
	result Result
	err    error
}

func newSearch(ctx context.Context, items []item, m Machine, o Options) *search {
	s := &search{ctx: ctx, items: items, m: m, o: o, falls: anyFall(items)}
	if len(items) == 0 {
		return s
	}
	s.times = events(items, m)
	sum, p := fluid(items, m)
	s.result.Bound, s.result.Prices = math.Min(sum, p.bound(ctx, items, m)), p
	var work float64
	for i := range items {
		work += items[i].work()
	}
	s.unit = sum / math.Min(work, m.supply(s.times[0], s.times[len(s.times)-1]))
	if !(sum > 0) {
		s.items = nil // the machine is down all the time
	}
	return s
}

// run solves the problem span by span, or as a whole.
func (s *search) run() {
	if len(s.items) > 0 && !s.split() {
		s.refine()
	}
}

// refine refines the grid until the gap is small or closes no more.
func (s *search) refine() {
	if len(s.items) == 0 {
		return
	}
	all := countEdges(s.items, s.times)
	for edges := min(s.o.first, s.o.edges); ; {
		before := s.result.Gap
		first := s.result.Cells == 0
		s.try(edges)
		if s.ctx.Err() != nil {
			return
		}
		s.result.rate()
		gap := s.result.Gap
		switch {
		case s.result.Exact, gap <= s.o.Gap, edges == s.o.edges:
			return
		case !s.falls && all <= edges: // all that can be had
			return
		case !first && gap > 0.9*before && s.settled(edges, all):
			return
		}
		// The gap is about in inverse proportion to the edges.
		growth := math.Min(math.Max(1.2*gap/s.o.Gap, 2), 4)
		edges = int(math.Min(growth*float64(edges), float64(s.o.edges)))
	}
}

// settled reports whether a grid is so fine that one which closes the gap no more is the last.
func (s *search) settled(edges, all int) bool {
	if s.falls {
		return edges >= finePairs*len(s.items)
	}
	return all > s.o.edges
}

// try solves the problem on a grid of about the given number of edges and keeps
// what is better than before.
func (s *search) try(edges int) {
	grid := gridOf(s.ctx, s.items, s.times, edges)
	n := newNetwork(s.ctx, capped(s.items, s.unit), grid, s.m)
	p := Prices{Times: grid}
	if s.falls {
		f := newScaling(n)
		f.solve(s.exactness() * s.unit)
		p.Level = f.prices()
		s.keep(Prices{Times: grid, Level: p.Level, Slope: n.slopes(p.Level)})
	} else {
		p.Level = n.greedy()
	}
	s.keep(p)
	n.replace(s.items)
	s.result.Cells = len(grid) - 1
	s.result.Feasible = math.Max(s.result.Feasible, n.schedule(s.times, s.m))
}

// exactness is by how much prices may be off, of a mean node-second, on the next grid.
func (s *search) exactness() float64 {
	if s.o.Gap > fineGap && s.result.Cells == 0 {
		return s.o.Gap / 3
	}
	return math.Max(s.o.Gap/10, 1e-12)
}

// keep notes prices that prove a lower bound.
func (s *search) keep(p Prices) {
	if b := p.bound(s.ctx, s.items, s.m); b < s.result.Bound {
		s.result.Bound, s.result.Prices = b, p
	}
}

// slopes returns how fast prices of the given levels should fall within the
// cells: as fast as the value of the work there, on average, but not below 0.
func (n *network) slopes(level []float64) []float64 {
	slope := make([]float64, len(level))
	for k := range slope {
		middle := (n.grid[k] + n.grid[k+1]) / 2
		var work, fall float64
		for _, u := range n.clean(k) {
			it, x := &n.items[u.item], n.flow[u.edge]
			work += x
			if it.after < middle && middle < it.bend() {
				fall += x * it.fall
			}
		}
		if work > 0 {
			slope[k] = -math.Min(fall/work, 2*(1-hair)*level[k]/n.length[k])
		}
	}
	return slope
}

// dearest is how many times as much as a mean node-second an item may pay in the
// search for prices.
const dearest = 1e6

// capped returns the items with those that pay more than dearest x unit per
// node-second scaled down to that, value and loss alike. Jobs much shorter than
// the others, of a fixed price, pay so much that the prices that matter would be
// lost in the rounding of theirs; they come first at dearest x unit just as well.
// The prices that are found prove a bound for the true items.
func capped(items []item, unit float64) []item {
	var list []item
	for j := range items {
		top := items[j].layers[0].value
		if top <= dearest*unit {
			continue
		}
		if list == nil {
			list = append(list, items...)
		}
		list[j] = items[j].scaled(dearest * unit / top)
	}
	if list == nil {
		return items
	}
	return list
}

// scaled returns the item that pays and loses the given part.
func (it item) scaled(part float64) item {
	layers := text.Each(it.layers, func(l layer) layer { return layer{work: l.work, value: l.value * part} })
	it.layers, it.fall, it.most = layers, it.fall*part, it.most*part
	return it
}
