package bound

import (
	"context"
	"math"
	"slices"
	"sort"
)

// Unpreempted returns a bound on what any scheduler earns that knows the future
// and runs every job once, whole, on Width nodes of its own from its start to its
// end, on a machine of equal nodes. It is never above from, a bound for the same
// jobs, and starts from its prices. Feasible and Gap are not known.
//
// Nodes are sold as several goods g, each at prices pi_g(t) >= 0. A job of width w
// needs nodes u_g(w/nodes) units of good g for its whole length L, of which there
// are nodes units. With the first good, u(x) = x, these are nodes. The others are
// dual feasible functions, sum u(x_i) <= 1 wherever sum x_i <= 1 (Fekete and
// Schepers 2001): u_k(x) = x where (k+1)x is a whole number, floor((k+1)x)/k
// elsewhere. So u_1 says that no two jobs wider than half of the machine ever run
// together. The bound is, with value_j(s) that of a job that starts at s,
//
//	nodes sum_g integral pi_g dt
//	+ sum_j { Free_j + max over s of (value_j(s) - sum_g nodes u_g(w_j/nodes) integral_s^{s+L} pi_g dt)^+ }
//
// Proof. Each job earns its value: what it earns beyond the prices of its goods,
// which is at most its term of the sum, and those prices. At any time the widths of
// the jobs that run sum to at most nodes, so that their units of a good do as well,
// and all prices together are at most the first term. As to u_k, let q be the sum
// of (k+1)x over the jobs for which that is a whole number. Of the others the sum
// of (k+1)x is at most k+1-q, and if there are any that of floor((k+1)x), a whole
// number and less, at most k-q. All units are at most q/(k+1) + (k-q)/k <= 1. QED
//
// Prices are found by descent. Where that is not much work, they are also those of the linear program whose dual
// this is, to a gap of 0.1 %; see indexed.
func Unpreempted(ctx context.Context, jobs []Job, m Machine, from Result) (Result, error) {
	if err := check(jobs, m); err != nil {
		return Result{}, err
	}
	for i := range jobs {
		if len(jobs[i].Parts) > 1 || jobs[i].Loose {
			return Result{}, invalidAt("job", i, "parts, expected one,", jobs[i].Parts)
		}
	}
	if m.Capacity < float64(m.Nodes)*m.Speed*(1-hair) {
		return Result{}, invalid("machine", "nodes that are not equal", m)
	}
	r := newRuns(ctx, jobs, m, from.Prices.Times)
	if len(r.list) == 0 || len(r.grid) < 2 {
		return from, nil
	}
	var level []float64
	var bound float64
	level, bound = r.descend(from.Prices.Level)
	if fine := r.fineGrid(); fine != nil {
		f := newRuns(ctx, jobs, m, fine)
		l, b := f.solve()
		if b < bound {
			r, level, bound = f, l, b
		}
	}
	from.Prices = Prices{Times: r.grid, Level: level}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	from.Bound = math.Min(from.Bound, bound+r.free)
	from.Feasible, from.Gap, from.Exact = math.NaN(), math.NaN(), false
	return from, nil
}

// fineGrid returns a grid for the linear program of the runs, nil where that is large: an even one, or events and at
// least 200 cells.
func (r *runs) fineGrid() []float64 {
	var releases, lengths, events []float64
	last := r.grid[len(r.grid)-1]
	for i := range r.list {
		n := &r.list[i]
		releases, lengths = append(releases, n.release), append(lengths, n.length)
		events = append(events, n.release, n.release+n.length, n.last, n.last+n.length, n.late.After)
	}
	if grid := evenGrid(last, releases, lengths); grid != nil {
		return grid
	}
	first, last := slices.Min(releases), last+slices.Max(lengths)
	events = slices.DeleteFunc(append(events, last), func(t float64) bool { return t < first || t > last })
	slices.Sort(events)
	events = cutEvery(slices.Compact(events), (last-first)/200)
	if len(events) > mostFine || len(events)*len(r.list) > mostPlaces {
		return nil
	}
	return events
}

// solve returns the prices of nodes of the linear program of the runs, and the bound of the prices of all goods.
func (r *runs) solve() (level []float64, bound float64) {
	p := newIndexed(r.grid, r.supply(), r.nodes)
	for i := range r.list {
		n := &r.list[i]
		p.begin(0)
		for _, s := range starts(r.grid, n.release, n.length, n.late.After, n.late.After+n.late.Most/n.late.Rate) {
			if v := n.worth(s); s <= n.last && v > 0 {
				p.add(v, n.width/r.nodes, s, s+n.length)
			}
		}
	}
	r.addGoods()
	supply := r.supply()
	p.addPlain(r.goods, supply, func(i int) float64 { return r.list[i].width })
	level = p.levels(p.solveAll(r.ctx, closest))
	bound = r.take(level, make([]float64, len(level)))
	for k, s := range supply {
		bound += s * level[k]
	}
	return level[:p.cells()], bound
}

// descend returns prices of nodes by descent, and the bound of the prices of all goods.
func (r *runs) descend(from []float64) (level []float64, bound float64) {
	patience := 24 + 4000/len(r.list)
	top := 0.0
	for i := range r.list {
		top = math.Max(top, r.list[i].value/(r.list[i].width*r.list[i].length))
	}
	supply := r.supply()
	level, bound = descent(r.ctx, r, supply, forbid(supply, from, top), mostRounds, patience)
	if r.addGoods(); r.goods != nil {
		start := slices.Concat(level, make([]float64, len(r.goods)*len(level)))
		_, b := descent(r.ctx, r, r.supply(), start, mostRounds, patience)
		bound = math.Min(bound, b)
	}
	return level, bound
}

// run is a job that runs once.
type run struct {
	release, last float64 // s, of its start
	length        float64 // s
	width         float64
	class         int // of its width
	value         float64
	late          Lateness
}

// worth returns what a run pays that starts at s.
func (n *run) worth(s float64) float64 { return n.value - n.late.At(s+n.length) }

// runs are jobs that run once, and the prices of their time.
type runs struct {
	ctx     context.Context
	list    []run
	grid    []float64
	nodes   float64
	machine Machine
	widths  []float64   // rising
	goods   []float64   // beyond the first, by k
	units   [][]float64 // by width: of every good
	free    float64     // $, without work
	cost    [][]float64 // by width: $ of all time up to a time of the grid
	rate    [][]float64 // by width: $/s in the cells, 0 after the last
}

func newRuns(ctx context.Context, jobs []Job, m Machine, grid []float64) *runs {
	r := &runs{ctx: ctx, grid: grid, nodes: float64(m.Nodes), machine: m}
	for i := range jobs {
		j := &jobs[i]
		r.free += j.Free
		if len(j.Parts) == 0 || j.Width > r.nodes {
			continue
		}
		p := j.Parts[0].Work / j.Width / m.Speed
		n := run{
			release: j.Release, last: math.Max(j.Release, j.End-p), length: p, width: j.Width,
			value: j.Parts[0].Value, late: j.Late,
		}
		if j.End < j.Release+p*(1-hair) || n.worth(n.release) <= 0 {
			continue
		}
		if l := n.late; l.Rate > 0 && l.Most >= n.value {
			n.last = math.Min(n.last, math.Max(n.release, l.After+n.value/l.Rate-p))
		}
		r.list = append(r.list, n)
		r.widths = append(r.widths, n.width)
	}
	slices.Sort(r.widths)
	r.widths = slices.Compact(r.widths)
	for i := range r.list {
		r.list[i].class, _ = slices.BinarySearch(r.widths, r.list[i].width)
	}
	for _, w := range r.widths {
		r.units = append(r.units, []float64{w})
		r.cost = append(r.cost, make([]float64, len(grid)))
		r.rate = append(r.rate, make([]float64, len(grid)))
	}
	return r
}

// addGoods adds the goods of which jobs of some width need more than their share
// of the nodes; the others prove nothing.
func (r *runs) addGoods() {
	for k := 1.0; k <= 4; k++ {
		units, more := make([]float64, len(r.widths)), false
		for c, w := range r.widths {
			units[c] = goodUnits(w, r.nodes, k)
			more = more || units[c] > w
		}
		if more {
			r.goods = append(r.goods, k)
			for c := range r.units {
				r.units[c] = append(r.units[c], units[c])
			}
		}
	}
}

// supply returns how much there is of the goods in the cells. If m of the nodes are up, that
// is m nodes of the first good. Of the others, k: with M = (k+1)m/nodes in place of k+1 in the
// proof above, all units are at most q/(k+1) + (ceil(M)-1-q)/k if there are jobs of the second
// kind, and otherwise those of the m nodes.
func (r *runs) supply() []float64 {
	var list []float64
	for _, k := range append([]float64{0}, r.goods...) {
		for i := range r.grid[1:] {
			list = append(list, r.machine.goodSupply(k, r.grid[i], r.grid[i+1]))
		}
	}
	return list
}

// goodUnits returns how many units of good k, 0 for nodes, a job of some width needs.
func goodUnits(width, nodes, k float64) float64 {
	if y := (k + 1) * width; k > 0 && math.Mod(y, nodes) != 0 {
		return math.Floor(y/nodes) / k * nodes
	}
	return width
}

// goodSupply returns how much there is of good k, 0 for nodes, from one time to another.
func (m Machine) goodSupply(k, from, to float64) (sum float64) {
	nodes := float64(m.Nodes)
	m.cuts(from, to, func(a, b, capacity float64) {
		units := capacity / m.Speed
		if k > 0 {
			units = math.Max(units, (math.Ceil((k+1)*units/nodes*(1-hair))-1)/k*nodes)
		}
		sum += units * (b - a)
	})
	return sum
}

// take implements response.
func (r *runs) take(level, used []float64) float64 {
	cells := len(r.grid) - 1
	for c := range r.widths {
		var sum float64
		for k := range cells {
			var q float64
			for g, u := range r.units[c] {
				q += u * level[g*cells+k]
			}
			r.rate[c][k], r.cost[c][k] = q, sum
			sum += q * (r.grid[k+1] - r.grid[k])
		}
		r.cost[c][cells] = sum
	}
	var earned float64
	for i := range r.list {
		if i%64 == 0 && r.ctx.Err() != nil {
			return 0
		}
		n := &r.list[i]
		gain, start := r.best(n)
		if gain <= 0 {
			continue
		}
		earned += gain
		end := start + n.length
		for k := r.cell(start); k < cells && r.grid[k] < end; k++ {
			t := math.Min(end, r.grid[k+1]) - math.Max(start, r.grid[k])
			for g, u := range r.units[n.class] {
				used[g*cells+k] += math.Max(0, t) * u
			}
		}
	}
	return earned
}

// cell returns the cell in which a time lies, the first for earlier times.
func (r *runs) cell(t float64) int {
	k := sort.SearchFloat64s(r.grid, t)
	if k < len(r.grid) && r.grid[k] == t {
		return k
	}
	return max(k-1, 0)
}

// price returns the price of all time up to t.
func (r *runs) price(class int, t float64) float64 {
	k := r.cell(t)
	return r.cost[class][k] + r.rate[class][k]*math.Max(0, t-r.grid[k])
}

// best returns the most that a run earns beyond the price of its time, and the
// start for that. Between starts at which it or its end passes a time of the
// grid, or its end a bend of its value, what it earns is linear in its start, so
// that these and the first and last starts are tried.
func (r *runs) best(n *run) (gain, start float64) {
	cost, rate, last := r.cost[n.class], r.rate[n.class], len(r.grid)-1
	try := func(s float64) {
		if s < n.release || s > n.last {
			return
		}
		if g := n.worth(s) - (r.price(n.class, s+n.length) - r.price(n.class, s)); g > gain {
			gain, start = g, s
		}
	}
	try(n.release)
	try(n.last)
	try(n.late.After - n.length)
	if n.late.Rate > 0 {
		try(n.late.After + n.late.Most/n.late.Rate - n.length)
	}
	// Starts at times of the grid.
	i := sort.SearchFloat64s(r.grid, n.release)
	for b := min(i, last); i <= last && r.grid[i] <= n.last; i++ {
		s := r.grid[i]
		e := s + n.length
		worth := n.value - n.late.At(e)
		if worth <= gain {
			break
		}
		for b < last && r.grid[b+1] <= e {
			b++
		}
		if g := worth - (cost[b] + rate[b]*(e-r.grid[b]) - cost[i]); g > gain {
			gain, start = g, s
		}
	}
	// Ends at times of the grid.
	b := sort.SearchFloat64s(r.grid, n.release+n.length)
	for i = r.cell(n.release); b <= last && r.grid[b] <= n.last+n.length; b++ {
		e := r.grid[b]
		s := e - n.length
		worth := n.value - n.late.At(e)
		if worth <= gain {
			break
		}
		for i < last && r.grid[i+1] <= s {
			i++
		}
		if g := worth - (cost[b] - cost[i] - rate[i]*max(0, s-r.grid[i])); g > gain {
			gain, start = g, s
		}
	}
	return gain, start
}
