package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// indexTree has the waiting jobs of a ValueBF. The index of every job changes with time, but a
// decision needs few of them: the highest, and then those of jobs for which there is room.
// So jobs of like widths and run times are neighbors in a tree. A branch knows for a while an
// upper bound of its indexes, the narrowest and the shortest job. The branch with the highest
// bound is opened first, so that jobs come in the exact order of their indexes, and a branch
// stays closed that is below the last job needed or has no job that fits.
type indexTree struct {
	tree[indexEntry, branchSummary]
	whole branchSummary // of all entries, unless they have changed
	now   float64       // of the last decision
	wave  float64       // then
	last  bool          // only jobs that fit are of interest
	order []orderItem
	fit   int // in the order, those that can start come first
}

// indexEntry is a waiting job in an indexTree. Its index at time t is
//
//	constant + slope t + wave e^((t - epoch)/H)
//
// until it changes its form.
type indexEntry struct {
	mark
	constant, slope, wave float64
	until                 float64 // time, of this form
	estimate, lapse       float64 // as in the candidate: a leaf is read without its jobs
	width                 int32
	priced                bool // it pays and has not run, so that it waits while its index is at most 0
	*candidate
}

// branchSummary says of the entries below a branch what a decision needs to pass over it.
type branchSummary struct {
	mark               // of the first
	jobs, doubtful int // doubtful jobs are expected to earn nothing
	narrowest      int32
	lapse          float64 // the earliest
	until          float64 // time, of this summary

	// Of those that are not doubtful:
	bound    float64 // on the indexes
	width    int32   // the least
	estimate float64 // s, the least
}

// orderItem is a step of a decision: an entry, or a branch of which no entry has a higher index, in the order in which
// jobs are considered. There are few at a time, of which few are taken, so that the next is
// searched.
type orderItem struct {
	index    float64 // the highest first
	id       int64   // then the job that came first; -1 is a branch
	estimate float64 // s, the least of a branch
	width    int32   // the least of a branch
	job      *candidate
	branch   *node[indexEntry, branchSummary]
}

// none is the summary of no entries.
func none() branchSummary {
	inf := math.Inf(1)
	return branchSummary{
		narrowest: math.MaxInt32, lapse: inf, until: inf,
		bound: -inf, width: math.MaxInt32, estimate: inf,
	}
}

// add adds the summary of the entries behind.
func (s *branchSummary) add(o *branchSummary) {
	s.jobs, s.doubtful = s.jobs+o.jobs, s.doubtful+o.doubtful
	s.narrowest = min(s.narrowest, o.narrowest)
	s.lapse = min(s.lapse, o.lapse)
	s.until = min(s.until, o.until)
	s.bound = max(s.bound, o.bound)
	s.width = min(s.width, o.width)
	s.estimate = min(s.estimate, o.estimate)
}

// summarize computes the summary of a node, and those below that have ended. It holds for a
// small part of H, until an entry changes its form or may become doubtful or cease to be.
func (p *ValueBF) summarize(s *branchSummary, n *node[indexEntry, branchSummary]) {
	*s = none()
	if len(n.kids) > 0 {
		s.mark = n.kids[0].sum.mark
		for i := range n.kids {
			k := &n.kids[i]
			if p.now >= k.sum.until {
				p.summarize(&k.sum, k.node)
			}
			s.add(&k.sum)
		}
		return
	}
	if len(n.leaf) == 0 {
		return
	}
	now := p.now
	later := p.now + max(p.clock.mean, 1)/64
	form := math.Inf(1)
	for i := range n.leaf {
		q := &n.leaf[i]
		if now >= q.until {
			p.appraise(q, now)
		}
		form = min(form, q.until)
	}
	later = min(later, form)
	for halves := 0; !p.foresee(s, n.leaf, form, later); halves++ {
		later = now + (later-now)/2
		if halves == 16 {
			later = now
		}
	}
}

// stale notes that the entries of a node have changed. The next decision summarizes them.
func stale(s *branchSummary, n *node[indexEntry, branchSummary]) bool {
	s.until, s.lapse = math.Inf(-1), math.Inf(-1)
	if len(n.kids) > 0 {
		s.mark = n.kids[0].sum.mark
	} else if len(n.leaf) > 0 {
		s.mark = n.leaf[0].mark
	}
	return true
}

// foresee computes the summary of a leaf from now until later, or until its forms change if
// no index changes. It reports whether the same jobs are doubtful all the time.
func (p *ValueBF) foresee(s *branchSummary, leaf []indexEntry, form, later float64) bool {
	*s = none()
	s.mark = leaf[0].mark
	s.jobs = len(leaf)
	s.until = form
	wave := p.clock.wave(later)
	for i := range leaf {
		q := &leaf[i]
		low := q.at(p.now, p.wave)
		high := low
		if q.slope != 0 || q.wave != 0 {
			s.until = later
			if later > p.now {
				line, lineLater := q.slope*p.now, q.slope*later
				bend, bendLater := q.wave*p.wave, q.wave*wave
				margin := 1e-12 * (math.Abs(q.constant) + math.Abs(lineLater) + math.Abs(bendLater))
				low = q.constant + min(line, lineLater) + min(bend, bendLater) - margin
				high = q.constant + max(line, lineLater) + max(bend, bendLater) + margin
			}
		}
		s.narrowest, s.lapse = min(s.narrowest, q.width), min(s.lapse, q.lapse)
		if q.priced && low <= 0 {
			if high > 0 {
				return false
			}
			s.doubtful++
			continue
		}
		s.bound = max(s.bound, high)
		s.width = min(s.width, q.width)
		s.estimate = min(s.estimate, q.estimate)
	}
	return true
}

// at returns the index at a time.
func (q *indexEntry) at(now, wave float64) float64 { return q.constant + q.slope*now + q.wave*wave }

// visit calls a function for every element below the branches that it enters.
func (n *node[E, S]) visit(enter func(s *S) bool, f func(e *E)) {
	for i := range n.kids {
		if enter(&n.kids[i].sum) {
			n.kids[i].node.visit(enter, f)
		}
	}
	for i := range n.leaf {
		f(&n.leaf[i])
	}
}

// leafOf returns the leaf of a mark, and the place of the first entry that is not before it.
func (t *indexTree) leafOf(m mark) (n *node[indexEntry, branchSummary], i int) {
	n = t.find(func(kids []kid[indexEntry, branchSummary]) int {
		i := len(kids) - 1
		for i > 0 && m.less(kids[i].sum.mark) {
			i--
		}
		return i
	})
	for i < len(n.leaf) && n.leaf[i].mark.less(m) {
		i++
	}
	return n, i
}

// queue makes an entry for a job.
func (p *ValueBF) queue(q *candidate) {
	if p.root == nil {
		p.crowd = 16
		p.root = new(node[indexEntry, branchSummary])
		p.sum = stale
	}
	if p.length == 0 {
		p.narrowest, p.soonest = math.MaxInt32, math.Inf(1)
	}
	width := int32(q.job.Width)
	q.lapse = q.lapses(p.doubts(q.job))
	q.key = 1e12*float64(classOf(int(width))) + q.estimate
	m := mark{q.key, q.job.ID}
	n, i := p.leafOf(m)
	n.leaf = slices.Insert(n.leaf, i, indexEntry{mark: m, until: math.Inf(-1), width: width, candidate: q,
		estimate: q.estimate, lapse: q.lapse, priced: q.job.Waiting() && q.value.Price > 0})
	p.settle(n)
	p.whole.until = math.Inf(-1)
	p.queued++
	p.length++
	q.turn = p.queued
	if p.Limit != nil {
		p.follow(q)
	}
	p.narrowest, p.soonest = min(p.narrowest, width), min(p.soonest, q.lapse)
}

// withdraw takes the entry of a job out.
func (p *ValueBF) withdraw(q *candidate) {
	n, i := p.leafOf(mark{q.key, q.job.ID})
	n.leaf = slices.Delete(n.leaf, i, i+1)
	p.settle(n)
	p.whole.until = math.Inf(-1)
	p.length--
	if q.lapse <= p.soonest {
		p.soonest = math.Inf(-1)
	}
}

// rank begins the order of this decision.
func (p *ValueBF) rank(c *simulate.Cluster) {
	if p.now >= p.whole.until {
		p.summarize(&p.whole, p.root)
	}
	p.narrowest = p.whole.narrowest
	p.last = p.Reservations == 0
	p.order, p.fit = p.order[:0], 0
	p.all = p.whole.doubtful == p.whole.jobs
	p.waits = p.waits || p.whole.doubtful > 0
	if p.all {
		p.root.visit(func(*branchSummary) bool { return true }, func(q *indexEntry) { p.offer(c, q) })
		return
	}
	p.open(c, p.root)
}

// open puts what is below a node into the order.
func (p *ValueBF) open(c *simulate.Cluster, n *node[indexEntry, branchSummary]) {
	for i := range n.kids {
		k := &n.kids[i]
		s := &k.sum
		if s.doubtful == s.jobs {
			continue
		}
		p.push(c, orderItem{index: s.bound, id: -1, estimate: s.estimate, width: s.width, branch: k.node})
	}
	for i := range n.leaf {
		p.offer(c, &n.leaf[i])
	}
}

// offer puts an entry into the order unless it is withheld.
func (p *ValueBF) offer(c *simulate.Cluster, q *indexEntry) {
	if !p.withheld(q) {
		p.push(c, orderItem{index: q.at(p.now, p.wave), id: q.id, estimate: q.estimate, width: q.width, job: q.candidate})
	}
}

// withheld reports whether a job has no place in the order, because it is doubtful. If all jobs are doubtful, those of 0
// have places.
func (p *ValueBF) withheld(q *indexEntry) bool {
	worth := q.at(p.now, p.wave)
	return q.priced && worth <= 0 && (worth < 0 || !p.all)
}

// even rounds an index to 33 binary digits, so that what is equal on paper is equal here. It keeps the order of a job and
// the bound of its branch.
func even(index float64) float64 {
	const lost = 20
	return math.Float64frombits((math.Float64bits(index) + 1<<(lost-1)) &^ (1<<lost - 1))
}

// push puts an entry or branch into the order.
func (p *ValueBF) push(c *simulate.Cluster, r orderItem) {
	last := len(p.order)
	r.index = even(r.index)
	p.order = append(p.order, r)
	if p.fits(c, &p.order[last]) {
		p.order[p.fit], p.order[last] = p.order[last], p.order[p.fit]
		p.fit++
	} else if p.last {
		p.order = p.order[:last]
	}
}

// fits reports whether there is room for a job, or may be for one of a branch.
func (p *ValueBF) fits(c *simulate.Cluster, r *orderItem) bool {
	return int(r.width) <= c.Free() && (!p.drawn || p.plan.Room(int(r.width), r.estimate))
}

// pop returns the next job in the order, nil if there is none, and whether it fits.
func (p *ValueBF) pop(c *simulate.Cluster) (q *candidate, fits bool) {
	for len(p.order) > 0 {
		next := foremost(p.order)
		r := p.order[next]
		fits = next < p.fit
		if fits {
			p.fit--
			p.order[next], next = p.order[p.fit], p.fit
		}
		last := len(p.order) - 1
		p.order[next], p.order = p.order[last], p.order[:last]
		if r.branch == nil {
			r.job.index = r.index
			return r.job, fits
		}
		p.open(c, r.branch)
	}
	return nil, false
}

// foremost returns the place of the next in the order.
func foremost(order []orderItem) (next int) {
	for i := 1; i < len(order); i++ {
		index := order[next].index
		for i < len(order) && order[i].index < index { // as most are
			i++
		}
		if i < len(order) && (order[i].index > index || order[i].id < order[next].id) {
			next = i
		}
	}
	return next
}

// narrow checks what still fits after some processors were taken. If no more reservations are
// made, it drops the others.
func (p *ValueBF) narrow(c *simulate.Cluster) {
	for i := p.fit - 1; i >= 0; i-- {
		if !p.fits(c, &p.order[i]) {
			p.fit--
			p.order[i], p.order[p.fit] = p.order[p.fit], p.order[i]
		}
	}
	p.last = len(p.planned) >= p.Reservations
	if p.last {
		p.order = p.order[:p.fit]
	}
}
