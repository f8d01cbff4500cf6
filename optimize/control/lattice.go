package control

import "math"

// lattice numbers the queues that a control distinguishes. Places are in the order of
// service, the last served first; x_p jobs of place p wait. Nested limits bound it:
//
//	x_p + x_{p+1} + ... + x_{S-1} <= limit[p],    limit[0] >= limit[1] >= ...
//
// A queue of urgent jobs is short, so that the limits of the last places are small and
// the lattice is a thin wedge rather than a box.
//
// Queues that differ in x_0 alone are a row: they are neighbors in memory, and the same
// class is served next in all of them, except in the row without other jobs.
type lattice struct {
	limit []int
	cum   [][]int // cum[p][t]: queues (x_0..x_p) below all sums 0..t-1 of the places above p
	size  int
	rows  []row
	up    []target // by row and place: where an arrival leads to
	over  []target // edges at which a job that goes into service may be replaced, see row.over
}

// row is the queues of given x_1, x_2, ... .
type row struct {
	base, length int
	sum          int     // x_1 + x_2 + ...
	cost         float64 // $/s lost by waiting jobs, without place 0
	top          int     // place served next, 0 if only place 0 waits
	down         int     // base of the row after top is served
	over         [2]int  // edges of the row: part of lattice.over
}

// inside is the edge of a target that is reached without leaving the lattice.
const inside = -1

// target is a row reached by a transition, and the limit that binds: one job of place
// edge stays outside.
type target struct {
	base int
	edge int
}

// latticeSize returns the number of queues within the limits, at most huge.
func latticeSize(limit []int) int {
	const huge = 1 << 40
	count := make([]int, limit[0]+2)
	for r := range count[:limit[0]+1] {
		count[r] = limit[0] - r + 1
	}
	for _, l := range limit[1:] {
		sum := 0
		for r := limit[0]; r >= 0; r-- {
			if r <= l {
				sum = min(huge, sum+count[r])
			}
			count[r] = sum
		}
	}
	return count[0]
}

// newLattice numbers the queues within the limits. Waiting jobs lose decay.
func newLattice(limit []int, decay []float64) *lattice {
	l := &lattice{limit: limit}
	l.number()
	x := make([]int, len(limit))
	for more := true; more; more = l.next(x) {
		l.addRow(x, decay)
	}
	return l
}

// next sets x from the first queue of a row to that of the next row, and reports
// whether there is one. Place 1 is the fastest.
func (l *lattice) next(x []int) bool {
	above := 0
	for _, n := range x {
		above += n
	}
	for p := 1; p < len(x); p++ {
		if above < l.limit[p] {
			x[p]++
			return true
		}
		above -= x[p]
		x[p] = 0
	}
	return false
}

// number fills the tables that rank queues.
func (l *lattice) number() {
	most := l.limit[0]
	count := make([]int, most+1)
	for r := range count {
		count[r] = most - r + 1
	}
	for p := range l.limit {
		if p > 0 {
			for r := range count {
				count[r] = 0
				if r <= l.limit[p] {
					count[r] = l.cum[p-1][l.limit[p]+1] - l.cum[p-1][r]
				}
			}
		}
		cum := make([]int, most+2)
		for r, c := range count {
			cum[r+1] = cum[r] + c
		}
		l.cum = append(l.cum, cum)
	}
	l.size = count[0]
}

// base returns the number of the first queue of the row of x.
func (l *lattice) base(x []int) int {
	base, above := 0, 0
	for p := len(x) - 1; p > 0; p-- {
		base += l.cum[p-1][above+x[p]] - l.cum[p-1][above]
		above += x[p]
	}
	return base
}

// index returns the number of queue x, which is in the lattice.
func (l *lattice) index(x []int) int { return l.base(x) + x[0] }

// project moves the jobs of x beyond the limits to outside. Urgent jobs stay first.
func (l *lattice) project(x, outside []int) {
	sum := 0
	for p := len(x) - 1; p >= 0; p-- {
		in := min(x[p], l.limit[p]-sum)
		outside[p] = x[p] - in
		x[p] = in
		sum += in
	}
}

// addRow adds the row of x, whose x[0] is 0.
func (l *lattice) addRow(x []int, decay []float64) {
	places := len(x)
	r := row{base: l.base(x)}
	tight := make([]bool, places) // of places from 1 on
	for p := places - 1; p > 0; p-- {
		r.sum += x[p]
		r.cost += decay[p] * float64(x[p])
		tight[p] = r.sum == l.limit[p]
		if x[p] > 0 && r.top == 0 {
			r.top = p
		}
	}
	r.length = l.limit[0] - r.sum + 1
	l.up = append(l.up, target{base: r.base, edge: inside})
	for p := 1; p < places; p++ {
		// The first limit that binds from p on down keeps a job outside.
		t := target{edge: inside}
		for j := p; j > 0 && t.edge == inside; j-- {
			if tight[j] {
				t.edge = j
			}
		}
		x[p]++
		if t.edge != inside {
			x[t.edge]--
		}
		t.base = l.base(x)
		x[p]--
		if t.edge != inside {
			x[t.edge]++
		}
		l.up = append(l.up, t)
	}
	r.over[0] = len(l.over)
	if r.top > 0 {
		x[r.top]--
		r.down = l.base(x)
		for p := 1; p <= r.top; p++ {
			if tight[p] {
				x[p]++
				l.over = append(l.over, target{base: l.base(x), edge: p})
				x[p]--
			}
		}
		x[r.top]++
	}
	r.over[1] = len(l.over)
	l.rows = append(l.rows, r)
}

// reach returns the queue that an arrival of place p leads to from queue i of row r,
// and the place that leaves a job outside.
func (l *lattice) reach(r *row, number, p, i int) (queue, edge int) {
	last := i == r.length-1
	if p == 0 {
		if last {
			return r.base + i, 0
		}
		return r.base + i + 1, inside
	}
	t := l.up[number*len(l.limit)+p]
	switch {
	case t.edge != inside:
		return t.base + i, t.edge
	case last:
		return t.base + i - 1, 0
	default:
		return t.base + i, inside
	}
}

// shrinkage returns the factor by which the values of a sequence shrink towards its
// end, between 0.05 and 0.999. The last few values alone would shrink faster, because
// of refusals at the limit.
func shrinkage(v []float64) float64 {
	n := len(v) - 1
	back := min(max(3, n/4), n)
	if back == 0 || !(v[n] > 0) || !(v[n-back] > 0) {
		return 0.5
	}
	return math.Max(0.05, math.Min(0.999, math.Pow(v[n]/v[n-back], 1/float64(back))))
}
