package policy

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"revopt/simulate"
)

// waiting is a queue of jobs ordered by key, then by arrival. Scans read contiguous
// entries and no jobs. In a long queue they visit only leaves with a job that may fit,
// by the shortest estimate of every branch in each class of widths. The next job that
// fits is found in time logarithmic in the length of the queue and linear in the number
// of classes, except for jobs of a class in which only narrower widths fit.
type waiting struct {
	tree[entry, least]
	length int
	strict bool // summaries are updated when jobs leave
	// latest is, by class, the latest end of a job that starts now for which seek
	// searches.
	latest []float64
	fresh  least // for sum
}

// entry is a job that waits.
type entry struct {
	key      float64 // the least is first
	estimate float64 // s
	start    float64 // time, where it is planned
	width    int32
	class    int32
	job      *simulate.Job
}

// mark is a place in a queue: behind the job of this key and number.
type mark struct {
	key float64
	id  int64
}

// first returns the place before every job, and last the one behind.
func first() mark { return mark{math.Inf(-1), 0} }
func last() mark  { return mark{math.Inf(1), math.MaxInt64} }

func (e *entry) mark() mark { return mark{e.key, e.job.ID} }

// before reports whether a job is behind the mark.
func (m mark) before(e *entry) bool {
	return m.key < e.key || m.key == e.key && m.id < e.job.ID
}

func (m mark) less(o mark) bool { return m.key < o.key || m.key == o.key && m.id < o.id }

// least summarizes entries. It may be too low after jobs have left.
type least struct {
	first    mark
	estimate []float64 // the least by class; the least start is in class 0
}

func (s *least) take(e *entry) {
	if e.estimate < s.estimate[e.class] {
		s.estimate[e.class] = e.estimate
	}
	if e.start < s.estimate[0] {
		s.estimate[0] = e.start
	}
}

// classOf returns the class of a width: up to 8 it is the width, then there are
// four for every doubling.
func classOf(width int) int {
	if width < 8 {
		return width
	}
	n := bits.Len(uint(width))
	return 4*n - 8 + width>>(n-3)&3
}

func narrowest(class int) int {
	if class < 8 {
		return class
	}
	return (4 + class&3) << (class/4 - 1)
}

func (w *waiting) total(s *least, n *node[entry, least]) bool {
	f := &w.fresh
	for i := range f.estimate {
		f.estimate[i] = math.Inf(1)
	}
	if len(n.kids) > 0 {
		f.first = n.kids[0].sum.first
		for i := range n.kids {
			list := n.kids[i].sum.estimate[:len(f.estimate)]
			for class, estimate := range f.estimate {
				if list[class] < estimate {
					f.estimate[class] = list[class]
				}
			}
		}
	} else {
		f.first = n.leaf[0].mark()
		for i := range n.leaf {
			f.take(&n.leaf[i])
		}
	}
	if s.first == f.first && slices.Equal(s.estimate, f.estimate) {
		return false
	}
	s.first, s.estimate = f.first, append(s.estimate[:0], f.estimate...)
	return true
}

// leafOf returns the leaf of a mark, and the place behind the mark in it.
func (w *waiting) leafOf(m mark) (n *node[entry, least], i int) {
	n = w.root
	if len(n.kids) > 0 {
		n = w.find(func(kids []kid[entry, least]) int { return kidOf(kids, m) })
	}
	return n, behind(n.leaf, m)
}

// kidOf returns the last kid that does not begin behind the mark.
func kidOf(kids []kid[entry, least], m mark) int {
	low, high := 0, len(kids)-1
	for low < high {
		if middle := (low + high + 1) / 2; m.less(kids[middle].sum.first) {
			high = middle - 1
		} else {
			low = middle
		}
	}
	return low
}

// behind returns the place of the first entry behind the mark.
func behind(leaf []entry, m mark) int {
	low, high := 0, len(leaf)
	if high > 0 && !m.before(&leaf[high-1]) {
		return high
	}
	if high > 1 && m.before(&leaf[1]) { // the usual places are the end and behind the head
		high = 1
	}
	for low < high {
		if middle := (low + high) / 2; m.before(&leaf[middle]) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// insert queues a job on a cluster with the given number of processors.
func (w *waiting) insert(e entry, processors int) {
	if w.root == nil {
		w.sum = w.total
		w.crowd = cmp.Or(w.crowd, 128)
		w.root = w.blank()
		w.fresh.estimate = make([]float64, classOf(processors)+1)
	}
	e.class = int32(classOf(int(e.width)))
	n, i := w.leafOf(e.mark())
	n.leaf = append(n.leaf, e)
	if i < len(n.leaf)-1 {
		copy(n.leaf[i+1:], n.leaf[i:])
		n.leaf[i] = e
	}
	w.length++
	switch {
	case len(n.leaf) > w.crowd:
		w.settle(n)
	case n != w.root:
		for _, t := range w.path {
			s := &t.node.kids[t.kid].sum
			s.take(&e)
			if i == 0 && e.mark().less(s.first) {
				s.first = e.mark()
			}
		}
	}
}

// remove takes a job with the given mark out of the queue, and reports whether
// it was there.
func (w *waiting) remove(m mark) (e entry, ok bool) {
	n, i := w.leafOf(m)
	if i == 0 || n.leaf[i-1].mark() != m {
		return e, false
	}
	e = n.leaf[i-1]
	w.cut(n, i-1, i)
	return e, true
}

// cut removes entries of the last leaf returned by find or seek.
func (w *waiting) cut(n *node[entry, least], from, to int) {
	left := append(n.leaf[:from], n.leaf[to:]...)
	clear(n.leaf[len(left):])
	n.leaf = left
	w.length -= to - from
	if w.strict || len(n.leaf) < w.crowd/4 {
		w.settle(n)
	}
}

// markOf returns the mark of a job whose key is not known.
func (w *waiting) markOf(j *simulate.Job, n *node[entry, least]) (m mark, ok bool) {
	for i := range n.leaf {
		if n.leaf[i].job == j {
			return n.leaf[i].mark(), true
		}
	}
	for i := 0; i < len(n.kids) && !ok; i++ {
		m, ok = w.markOf(j, n.kids[i].node)
	}
	return m, ok
}

// within lets seek look for jobs that fit into the free processors and end by
// the latest time or fit into the extra ones.
func (w *waiting) within(b bounds, latest float64) {
	w.latest = w.latest[:0]
	for class := range classOf(b.free) + 1 {
		switch {
		case class == 0:
			w.latest = append(w.latest, math.Inf(-1))
		case narrowest(class) <= b.extra:
			w.latest = append(w.latest, math.MaxFloat64)
		default:
			w.latest = append(w.latest, latest)
		}
	}
}

// soonest returns the earliest start, in a strict queue.
func (w *waiting) soonest() float64 {
	at := math.Inf(1)
	if w.length == 0 {
		return at
	}
	for i := range w.root.kids {
		at = min(at, w.root.kids[i].sum.estimate[0])
	}
	for i := range w.root.leaf {
		at = min(at, w.root.leaf[i].start)
	}
	return at
}

// head returns the leaf that begins with the first job.
func (w *waiting) head() *node[entry, least] {
	if len(w.root.kids) == 0 {
		return w.root
	}
	return w.find(leftmost[entry, least])
}

// seek returns the first leaf with a job behind the mark that may end in time if
// it starts now, and the place behind the mark in it; nil if there is none. A
// queue of one leaf may always hold such a job.
func (w *waiting) seek(m mark, now float64) (n *node[entry, least], i int) {
	n = w.root
	if len(n.kids) > 0 {
		w.path = w.path[:0]
		n = w.below(n, m, true, now)
		if n == nil {
			return nil, 0
		}
	}
	i = behind(n.leaf, m)
	if i == len(n.leaf) {
		return nil, 0
	}
	return n, i
}

// each calls a function for the jobs of a queue behind a mark, in order, for which the profile
// has room from now on. It removes those for which the function returns true.
func (p *Profile) each(q *waiting, at mark, f func(e *entry) (leaves bool)) {
	for free := p.falls(&q.latest); free > 0; {
		n, i := q.seek(at, p.now)
		if n == nil {
			break
		}
		at = n.leaf[len(n.leaf)-1].mark()
		kept := i // the place of the next entry that stays
		for ; i < len(n.leaf) && free > 0; i++ {
			e := &n.leaf[i]
			leaves := false
			if w := int(e.width); w <= free && p.now+e.estimate <= q.latest[e.class] && p.Room(w, e.estimate) {
				leaves = f(e)
				free = p.falls(&q.latest)
			}
			if !leaves {
				n.leaf[kept] = *e
				kept++
			}
		}
		if kept < i {
			q.cut(n, kept, i)
		} else {
			q.settle(n)
		}
	}
}

// below is seek in a subtree. Ahead says whether the mark is still ahead.
func (w *waiting) below(n *node[entry, least], m mark, ahead bool, now float64) *node[entry, least] {
	if len(n.kids) == 0 {
		if ahead && !m.before(&n.leaf[len(n.leaf)-1]) {
			return nil
		}
		return n
	}
	first := 0
	if ahead {
		first = kidOf(n.kids, m)
	}
	for i := first; i < len(n.kids); i++ {
		if !w.open(n.kids[i].sum.estimate, now) {
			continue
		}
		w.path = append(w.path, turn[entry, least]{n, i})
		if leaf := w.below(n.kids[i].node, m, ahead && i == first, now); leaf != nil {
			return leaf
		}
		w.path = w.path[:len(w.path)-1]
	}
	return nil
}

// open reports whether a job may end in time.
func (w *waiting) open(estimate []float64, now float64) bool {
	for class, latest := range w.latest {
		if now+estimate[class] <= latest {
			return true
		}
	}
	return false
}
