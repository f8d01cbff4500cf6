package policy

import (
	"cmp"
	"math"
	"slices"
)

// profile is the availability profile of a cluster: how many processors will
// be free from which time on if every job ends when it is expected to. It
// serves every policy that makes reservations.
//
// A running job past its expected end holds no processors here. The cluster
// knows what is free in truth, so a policy starts nothing that the profile alone
// has room for.
//
// Times that differ by less than a relative hair are one: sums that are equal
// on paper are equal here, as they are in the kernel.
//
// Reserving and releasing take time logarithmic in the number of steps, and so
// does first. A search for a place takes that for each gap it meets that is wide
// enough and too short.
type profile struct {
	tree[step, span] // by time; the first step is the present
	now              float64
}

// step is by how many the free processors change at a time; the first is how
// many are free. A step of none does not exist.
type step struct {
	at     float64
	change int
}

// span sums steps up.
type span struct {
	at          float64 // of the first, unless that is the present
	change      int     // of all of them
	least, most int     // free after any of them, over those before the first
}

// sumSteps is the sum of a profile's tree.
func sumSteps(s *span, n *node[step, span]) bool {
	*s = span{least: math.MaxInt, most: math.MinInt}
	if len(n.kids) > 0 {
		s.at = n.kids[0].sum.at
		for i := range n.kids {
			k := &n.kids[i].sum
			s.least, s.most = min(s.least, s.change+k.least), max(s.most, s.change+k.most)
			s.change += k.change
		}
		return true
	}
	s.at = n.leaf[0].at
	for i := range n.leaf {
		s.change += n.leaf[i].change
		s.least, s.most = min(s.least, s.change), max(s.most, s.change)
	}
	return true
}

// hair is the relative difference of time below which two moments are one; it
// is the kernel's.
const hair = 1e-14

// before reports whether a comes before b by more than rounding.
func before(a, b float64) bool { return a+hair*a < b }

// advance moves the present to now. The first call says how many processors
// there are.
func (p *profile) advance(now float64, processors int) {
	if now == p.now && p.root != nil {
		return
	}
	p.now = now
	if p.root == nil {
		p.sum, p.crowd, p.root = sumSteps, cmp.Or(p.crowd, 64), &node[step, span]{leaf: []step{{now, processors}}}
		return
	}
	n := p.find(leftmost[step, span])
	changed := false
	for {
		past := 0
		for past+1 < len(n.leaf) && !before(now, n.leaf[past+1].at) {
			n.leaf[past+1].change += n.leaf[past].change
			past++
		}
		if past > 0 {
			n.leaf = append(n.leaf[:0], n.leaf[past:]...)
			changed = true
		}
		n.leaf[0].at = now
		if len(n.leaf) > 1 || n == p.root {
			break
		}
		present := n.leaf[0] // goes to the next leaf
		n.leaf = n.leaf[:0]
		p.settle(n)
		n = p.find(leftmost[step, span])
		n.leaf = slices.Insert(n.leaf, 0, present)
		changed = true
	}
	if changed {
		p.settle(n)
	}
}

// reset makes an empty profile of one leaf, however many steps it gets: one that
// serves a single decision is changed too little for a tree to pay.
func (p *profile) reset(now float64, processors int) {
	if p.root == nil {
		p.crowd, p.root = math.MaxInt, new(node[step, span])
	}
	p.now, p.root.leaf = now, append(p.root.leaf[:0], step{now, processors})
}

// first returns the time from which on at least width processors are free, and
// how many then, in a profile that never falls: one of running jobs only.
func (p *profile) first(width int) (at float64, free int) {
	n := p.root
	if len(n.kids) > 0 {
		n = p.find(func(kids []kid[step, span]) int {
			i := 0
			for i+1 < len(kids) && free+kids[i].sum.most < width {
				free += kids[i].sum.change
				i++
			}
			return i
		})
	}
	for i := range n.leaf {
		if free += n.leaf[i].change; free >= width {
			return n.leaf[i].at, free
		}
	}
	panic("policy: a job is wider than the cluster")
}

// earliest returns the earliest time from which on width processors are free
// for the given duration.
func (p *profile) earliest(width int, duration float64) float64 {
	return p.sooner(width, duration, math.Inf(1))
}

// sooner is earliest for a job that holds a reservation at the given start. It
// may use its own processors, so the answer is start at the latest.
func (p *profile) sooner(width int, duration, start float64) float64 {
	return p.soonerIn(stretch{p.now, math.Inf(1)}, width, duration, start)
}

// soonerIn is sooner for a job that had no earlier place before more processors
// became free in a stretch of time: a place that it has now touches the stretch.
func (p *profile) soonerIn(where stretch, width int, duration, start float64) float64 {
	s := gapSearch{
		width: width, duration: duration, start: start,
		after: where.from - duration - 4*hair*where.from, until: where.to,
	}
	s.close()
	s.visit(p.root)
	return s.from
}

// room reports whether width processors are free from now on for the given
// duration.
func (p *profile) room(width int, duration float64) bool {
	return p.soonerIn(stretch{p.now, p.now}, width, duration, math.Inf(1)) == p.now
}

// stretch is from one time to another.
type stretch struct{ from, to float64 }

// never is a stretch of no time, and with returns one that covers two.
func never() stretch                     { return stretch{math.Inf(1), math.Inf(-1)} }
func (s stretch) with(o stretch) stretch { return stretch{min(s.from, o.from), max(s.to, o.to)} }

// gapSearch is a search for a place in progress.
type gapSearch struct {
	width           int
	duration, start float64
	after, until    float64 // the place begins in between; after is not sharp
	free            int     // processors, before the next step
	from            float64 // since when the place is wide enough, start if it is not
	found           bool    // it is wide enough
	alert           float64 // the search is not over before
}

// close says that the place is not wide enough, and open from when on it is.
func (s *gapSearch) close() { s.from, s.found, s.alert = s.start, false, nearly(min(s.start, s.until)) }
func (s *gapSearch) open(at float64) {
	s.from, s.found, s.alert = at, true, nearly(min(s.start, at+s.duration))
}

// nearly returns a time that comes before t by more than a hair.
func nearly(t float64) float64 { return t - 4*hair*t }

// over reports whether the search ends at a step: the place is long enough, or
// the job has its own processors from here on.
func (s *gapSearch) over(at float64) bool {
	if s.found {
		return !before(at, s.start) || !before(at, s.from+s.duration)
	}
	return !before(at, s.start) || before(s.until, at)
}

// visit goes through the steps of a node and reports whether the search is over.
func (s *gapSearch) visit(n *node[step, span]) bool {
	for i := range n.kids {
		k := &n.kids[i].sum
		switch {
		case i > 0 && k.at >= s.alert && s.over(k.at): // the time of the present may be old
			return true
		case i+1 < len(n.kids) && n.kids[i+1].sum.at <= s.after,
			s.found && s.free+k.least >= s.width, !s.found && s.free+k.most < s.width:
			s.free += k.change
		case s.visit(n.kids[i].node):
			return true
		}
	}
	for i := range n.leaf {
		at := n.leaf[i].at
		if at >= s.alert && s.over(at) {
			return true
		}
		s.free += n.leaf[i].change
		if fits := s.free >= s.width; fits != s.found {
			if fits {
				s.open(at)
			} else {
				s.close()
			}
		}
	}
	return false
}

// falls returns how many processors are free now, and for each class of widths
// up to that, the latest time by which a job of its narrowest width that starts
// now must end.
func (p *profile) falls(latest *[]float64) int {
	n := p.root
	for len(n.kids) > 0 {
		n = n.kids[0].node
	}
	free := n.leaf[0].change
	f := fall{latest: (*latest)[:0]}
	for range classOf(max(free, 0)) + 1 {
		f.latest = append(f.latest, math.MaxFloat64)
	}
	f.latest[0] = math.Inf(-1)
	f.class = len(f.latest) - 1
	f.visit(p.root)
	*latest = f.latest
	return free
}

// fall is a search for the times at which too few processors are left for the
// classes of widths, the widest first.
type fall struct {
	free, class int
	latest      []float64
}

func (f *fall) visit(n *node[step, span]) {
	for i := 0; i < len(n.kids) && f.class > 0; i++ {
		if k := &n.kids[i]; f.free+k.sum.least >= narrowest(f.class) {
			f.free += k.sum.change
		} else {
			f.visit(k.node)
		}
	}
	for i := 0; i < len(n.leaf) && f.class > 0; i++ {
		f.free += n.leaf[i].change
		for ; f.class > 0 && f.free < narrowest(f.class); f.class-- {
			f.latest[f.class] = n.leaf[i].at + hair*n.leaf[i].at
		}
	}
}

// reserve takes width processors from one time to another.
func (p *profile) reserve(from, to float64, width int) { p.add(from, to, -width) }

// release gives back what was reserved, or the later part of it.
func (p *profile) release(from, to float64, width int) { p.add(from, to, width) }

// add changes the number of free processors between two times; the past does
// not count.
func (p *profile) add(from, to float64, width int) {
	if !before(from, to) || !before(p.now, to) {
		return
	}
	from = max(from, p.now)
	none := p.change(from, width, true)
	p.change(to, -width, false)
	if none {
		p.change(from, 0, false)
	}
}

// change changes the step at the given time, made if need be. A step of none is
// removed, unless it is to be kept, or is the present. It reports whether one
// was kept.
func (p *profile) change(at float64, by int, keep bool) (none bool) {
	latest := at + hair*at
	n := p.root
	p.path = p.path[:0]
	if len(n.kids) > 0 {
		n = p.find(func(kids []kid[step, span]) int {
			i := 0
			if at != p.now {
				i = len(kids) - 1
			}
			for i > 0 && latest < kids[i].sum.at {
				i--
			}
			return i
		})
	}
	i := 0
	if at != p.now {
		i = len(n.leaf) - 1
	}
	for i > 0 && latest < n.leaf[i].at {
		i--
	}
	switch s := &n.leaf[i]; {
	case before(s.at, at):
		n.leaf = append(n.leaf, step{})
		copy(n.leaf[i+2:], n.leaf[i+1:])
		n.leaf[i+1] = step{at, by}
	case s.at == p.now: // it may be of none
		s.change += by
	default:
		s.change += by
		none = s.change == 0
		if none && !keep {
			n.leaf = append(n.leaf[:i], n.leaf[i+1:]...)
		}
	}
	p.settle(n)
	return none && keep
}
