package bound

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/text"
)

// backlog is the runs that wait, and finds the one of the highest rank of those that fit.
//
// The runs are the leaves of a tree, by width and then by length. A branch knows the least width and the least length
// of its runs that wait, and for a while a bound of their ranks. A search opens the branch of the highest bound first,
// and none in which no run fits or is good enough, so it takes a time that hardly grows with the number of runs.
type backlog struct {
	list   []run
	wait   float64    // s, see rank
	order  []int      // runs by their places in the tree
	places []int      // of the runs
	waits  []bool     // by place
	size   int        // runs that wait, those included that are worth nothing any more
	levels [][]branch // the lowest first; the last has one branch

	now    float64
	stair  []stair // nodes that are free from now on
	winner int     // the best run so far, -1 if none
	high   float64 // its rank
}

// branch has some branches of the level below, or some runs.
type branch struct {
	width, length float64 // the least of the runs that wait; +Inf where none do
	first         int     // of these runs
	high          float64 // no run has a higher rank ...
	until         float64 // ... up to this time
	span          float64 // s, the time for which the last bound was good
}

// noRuns returns a branch in which nothing waits.
func noRuns() branch {
	inf := math.Inf(1)
	return branch{width: inf, length: inf, first: math.MaxInt, high: -inf, until: inf}
}

// add lets the branch have the runs of another.
func (b *branch) add(c *branch) {
	b.width, b.length = min(b.width, c.width), min(b.length, c.length)
	b.first = min(b.first, c.first)
	b.high, b.until = max(b.high, c.high), min(b.until, c.until)
}

// fan is how many branches or runs a branch has.
const fan = 16

// newBacklog returns an empty backlog for runs.
func newBacklog(list []run, wait float64) *backlog {
	b := &backlog{list: list, wait: wait, order: text.Numbers(len(list))}
	slices.SortFunc(b.order, func(i, j int) int {
		m, n := &list[i], &list[j]
		return cmp.Or(cmp.Compare(m.width, n.width), cmp.Compare(m.length, n.length), i-j)
	})
	b.places, b.waits = make([]int, len(list)), make([]bool, len(list))
	for at, i := range b.order {
		b.places[i] = at
	}
	for n := len(list); n > 1 || b.levels == nil; {
		n = (n + fan - 1) / fan
		b.levels = append(b.levels, slices.Repeat([]branch{noRuns()}, n))
	}
	return b
}

// rank returns a bound of the rank of a run at all times t from one to another, its rank if they are equal. The rank is
// what the run is worth now, less 0.8 of what it is worth after another wait, per node-second:
//
//	(v(t) - 0.8 max(0, v(t + wait))) / (width length)
//
// so runs that lose much go first, and of those that lose nothing the most valuable ones. v falls with t.
func (b *backlog) rank(n *run, from, to float64) float64 {
	return (n.worth(from) - 0.8*math.Max(0, n.worth(to+b.wait))) / (n.width * n.length)
}

// add lets a run wait.
func (b *backlog) add(i int) {
	b.waits[b.places[i]] = true
	b.size++
	b.spoil(b.places[i])
}

// remove ends the wait of a run.
func (b *backlog) remove(i int) {
	b.waits[b.places[i]] = false
	b.size--
	b.spoil(b.places[i])
}

// spoil lets the branches of a place be read again before the next search.
func (b *backlog) spoil(at int) {
	for _, level := range b.levels {
		at /= fan
		level[at].until = math.Inf(-1)
	}
}

// best returns the run of the highest rank of those that wait and fit now, of equal ones the first; -1 where there is
// none.
func (b *backlog) best(now float64, s []stair) int {
	b.now, b.stair, b.winner = now, s, -1
	top := len(b.levels) - 1
	b.read(top, 0)
	b.search(top, 0)
	return b.winner
}

// fits reports whether a width is free for a length.
func (b *backlog) fits(width, length float64) bool {
	for _, s := range b.stair {
		if s.free < width {
			return s.from >= b.now+length
		}
	}
	return true
}

// beats reports whether a rank of a run is higher than that of the best.
func (b *backlog) beats(rank float64, i int) bool {
	return b.winner < 0 || rank > b.high || rank == b.high && i < b.winner
}

// search looks for a better run in a branch.
func (b *backlog) search(level, at int) {
	if level == 0 {
		b.open(at)
		return
	}
	from, below := b.below(level, at)
	var left [fan]int // branches that may have a better run, by falling bounds
	n := 0
	for i := range below {
		c := &below[i]
		if c.first == math.MaxInt || !b.beats(c.high, c.first) || !b.fits(c.width, c.length) {
			continue
		}
		k := n
		for ; k > 0; k-- {
			d := &below[left[k-1]]
			if d.high > c.high || d.high == c.high && d.first < c.first {
				break
			}
			left[k] = left[k-1]
		}
		left[k] = i
		n++
	}
	for _, i := range left[:n] {
		if !b.beats(below[i].high, below[i].first) {
			return
		}
		b.search(level-1, from+i)
	}
}

// below returns the branches of a branch, and the number of the first.
func (b *backlog) below(level, at int) (int, []branch) {
	list := b.levels[level-1]
	return at * fan, list[at*fan : min((at+1)*fan, len(list))]
}

// loose is how many times as high as the highest rank of its runs the bound of a branch is at most.
const loose = 1.1

// open looks for a better run among those of a branch.
func (b *backlog) open(at int) {
	high := math.Inf(-1)
	for p := at * fan; p < min((at+1)*fan, len(b.order)); p++ {
		if !b.waits[p] {
			continue
		}
		i := b.order[p]
		n := &b.list[i]
		if !n.pays(b.now) {
			continue
		}
		rank := b.rank(n, b.now, b.now)
		high = max(high, rank)
		if b.beats(rank, i) && b.fits(n.width, n.length) {
			b.winner, b.high = i, rank
		}
	}
	if b.levels[0][at].high > loose*loose*high {
		b.spoil(at * fan)
	}
}

// read makes the bounds of a branch good again.
func (b *backlog) read(level, at int) {
	t := &b.levels[level][at]
	if t.until >= b.now {
		return
	}
	if level == 0 {
		b.readRuns(at)
		return
	}
	*t = noRuns()
	from, below := b.below(level, at)
	for i := range below {
		b.read(level-1, from+i)
		t.add(&below[i])
	}
}

// readRuns is read for runs. It drops those that are worth nothing any more, and looks for a time up to which the bound
// of the others is close.
func (b *backlog) readRuns(at int) {
	var runs [fan]*run
	list := runs[:0]
	t := &b.levels[0][at]
	before := t.span
	*t = noRuns()
	for p := at * fan; p < min((at+1)*fan, len(b.order)); p++ {
		if !b.waits[p] {
			continue
		}
		i := b.order[p]
		n := &b.list[i]
		if !n.pays(b.now) {
			b.waits[p] = false
			b.size--
			continue
		}
		list = append(list, n)
		t.add(&branch{n.width, n.length, i, b.rank(n, b.now, b.now), math.Inf(1), 0})
	}
	high := t.high
	t.span = before
	for span := cmp.Or(2*before, b.wait+t.length); ; span /= 4 {
		t.high = high
		for _, n := range list {
			t.high = max(t.high, b.rank(n, b.now, t.until))
		}
		if t.high <= loose*high || t.until <= b.now {
			return
		}
		t.until, t.span = b.now+span, span
	}
}
