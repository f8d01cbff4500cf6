package policy

import (
	"cmp"
	"math"
	"slices"
)

// Profile is the availability profile of a cluster: the number of free processors over
// time if every job ends as expected. It serves every policy that makes reservations.
//
// A running job past its expected end holds no processors here, so that a policy must
// also check the free processors of the cluster before it starts a job.
//
// Times that differ by less than a relative hair are equal, as in the kernel.
//
// Reserving, releasing and first take time logarithmic in the number of steps. A search
// for a place takes that for each gap on its way that is wide enough and too short. A search
// for the first of all places passes over branches that are known to have no gap as long.
type Profile struct {
	tree[step, span] // by time; the first step is the present
	now              float64
}

// step is a change of the number of free processors at a time; the first step is that
// number now. No other step has a change of 0.
type step struct {
	at     float64
	change int
}

// span summarizes steps.
type span struct {
	at          float64 // of the first step, unless that is the present
	change      int     // the sum
	least, most int     // of the partial sums
	gaps        *gaps   // nil before a search has gone through
}

func sumSteps(s *span, n *node[step, span]) bool {
	*s = span{least: math.MaxInt, most: math.MinInt, gaps: s.gaps}
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

// Before reports whether a comes before b by more than rounding.
func Before(a, b float64) bool { return a+hair*a < b }

// Advance moves the present to now. The first call says how many processors
// there are.
func (p *Profile) Advance(now float64, processors int) {
	if now == p.now && p.root != nil {
		return
	}
	p.now = now
	if p.root == nil {
		p.sum = sumSteps
		p.crowd = cmp.Or(p.crowd, 64)
		p.root = &node[step, span]{leaf: []step{{now, processors}}}
		return
	}
	n := p.find(leftmost[step, span])
	changed := false
	for {
		past := 0
		for past+1 < len(n.leaf) && !Before(now, n.leaf[past+1].at) {
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
		p.forget(true)
		changed = true
	}
	if changed {
		p.settle(n)
	}
}

// reset makes an empty profile of one leaf, however many steps it gets: one that
// serves a single decision is changed too little for a tree to pay.
func (p *Profile) reset(now float64, processors int) {
	if p.root == nil {
		p.crowd, p.root = math.MaxInt, new(node[step, span])
	}
	p.now, p.root.leaf = now, append(p.root.leaf[:0], step{now, processors})
}

// Copy makes p another profile, of one leaf as with reset.
func (p *Profile) Copy(o *Profile) {
	p.reset(o.now, 0)
	p.root.leaf = o.append(o.root, p.root.leaf[:0])
}

// first returns the time from which at least width processors are free, and their
// number, in a profile of running jobs only, which never falls.
func (p *Profile) first(width int) (at float64, free int) {
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
		free += n.leaf[i].change
		if free >= width {
			return n.leaf[i].at, free
		}
	}
	panic("policy: a job is wider than the cluster")
}

// Earliest returns the earliest time from which on width processors are free
// for the given duration.
func (p *Profile) Earliest(width int, duration float64) float64 {
	return p.sooner(width, duration, math.Inf(1))
}

// sooner is earliest for a job that holds a reservation at the given start. It
// may use its own processors, so the answer is start at the latest.
func (p *Profile) sooner(width int, duration, start float64) float64 {
	return p.soonerIn(stretch{p.now, math.Inf(1)}, width, duration, start)
}

// soonerIn is sooner for a job that had no earlier place before processors became free in
// a stretch of time, so that its place must touch the stretch.
func (p *Profile) soonerIn(where stretch, width int, duration, start float64) float64 {
	s := gapSearch{
		width: width, duration: duration, start: start,
		after: where.from - duration - 4*hair*where.from, until: where.to,
	}
	s.close()
	level := 0
	if len(p.root.kids) > 0 && math.IsInf(start, 1) && math.IsInf(where.to, 1) {
		s.anywhere, s.class, s.now = true, classOf(width), p.now
		level = p.height()
	}
	s.visit(p.root, level)
	return s.from
}

// Room reports whether width processors are free from now on for the given
// duration.
func (p *Profile) Room(width int, duration float64) bool {
	return p.soonerIn(stretch{p.now, p.now}, width, duration, math.Inf(1)) == p.now
}

// stretch is an interval of time.
type stretch struct{ from, to float64 }

// never is the empty stretch, and with returns the hull of two.
func never() stretch                     { return stretch{math.Inf(1), math.Inf(-1)} }
func (s stretch) with(o stretch) stretch { return stretch{min(s.from, o.from), max(s.to, o.to)} }

// gapSearch is a search for a place in progress.
type gapSearch struct {
	width           int
	duration, start float64
	after, until    float64 // the place begins in between; after includes a margin
	free            int     // processors, before the next step
	from            float64 // the beginning of the place, start if it is not wide enough
	wide            bool    // it is wide enough
	end             float64 // if it is, its end
	alert           float64 // the search is not over before this time
	anywhere        bool    // neither start nor until ends it: it uses the gaps of branches
	class           int     // of the width, if anywhere
	now             float64 // if anywhere
	brief           bool    // visit returns also when the place closes
}

// close notes that the place is not wide enough, and open that it is from a time on.
func (s *gapSearch) close() {
	s.from = s.start
	s.wide = false
	s.alert = nearly(min(s.start, s.until))
}

func (s *gapSearch) open(at float64) {
	s.from = at
	s.wide = true
	s.end = at + s.duration
	s.alert = nearly(min(s.start, s.end))
}

// nearly returns a time that comes before t by more than a hair.
func nearly(t float64) float64 { return t - 4*hair*t }

// over reports whether the search ends at a step: the place is long enough, or
// the job has its own processors from here on.
func (s *gapSearch) over(at float64) bool {
	if s.wide {
		return !Before(at, s.start) || !Before(at, s.end)
	}
	return !Before(at, s.start) || Before(s.until, at)
}

// visit goes through the steps of a node, of a level above the leaves if the search is for
// a place anywhere, and reports whether the search is over.
func (s *gapSearch) visit(n *node[step, span], level int) bool {
	for i := range n.kids {
		k := &n.kids[i].sum
		switch {
		case i > 0 && k.at >= s.alert && s.over(k.at): // the time of the present may be old
			return true
		case i+1 < len(n.kids) && n.kids[i+1].sum.at <= s.after,
			s.wide && s.free+k.least >= s.width, !s.wide && s.free+k.most < s.width:
			s.free += k.change
		case s.anywhere && !s.brief:
			if s.measured(&n.kids[i], level-1) {
				return true
			}
		case s.visit(n.kids[i].node, level-1):
			return true
		}
	}
	for i := range n.leaf {
		at := n.leaf[i].at
		if at >= s.alert && s.over(at) {
			return true
		}
		s.free += n.leaf[i].change
		if fits := s.free >= s.width; fits != s.wide {
			if fits {
				s.open(at)
			} else {
				s.close()
				if s.brief {
					return true
				}
			}
		}
	}
	return false
}

// falls returns the number of processors that are free now and, for each class of widths
// up to it, the latest possible end of a job of its narrowest width that starts now.
func (p *Profile) falls(latest *[]float64) int {
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

// fall searches the times at which too few processors are left for the classes of
// widths, the widest first.
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

// Reserve takes width processors from one time to another.
func (p *Profile) Reserve(from, to float64, width int) { p.add(from, to, -width) }

// Release gives back what was reserved, or the later part of it.
func (p *Profile) Release(from, to float64, width int) { p.add(from, to, width) }

// hold makes a reservation for a job, and give gives it back.
func (p *Profile) hold(e *entry, start float64) {
	e.start = start
	p.Reserve(start, start+e.estimate, int(e.width))
}

func (p *Profile) give(e *entry) { p.Release(e.start, e.start+e.estimate, int(e.width)) }

// add changes the number of free processors between two times; the past does
// not count.
func (p *Profile) add(from, to float64, width int) {
	if !Before(from, to) || !Before(p.now, to) {
		return
	}
	from = max(from, p.now)
	none := p.change(from, width, math.Inf(-1), true)
	p.change(to, -width, from, false)
	if none {
		p.change(from, 0, from, false)
	}
}

// change adds to the step at the given time. It removes a step of 0 unless keep is set or
// it is the present, and reports whether it kept one. If it ends an opposite change, since is the
// time of that, else -Inf.
func (p *Profile) change(at float64, by int, since float64, keep bool) (none bool) {
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
		p.loosen(by, since)
	}
	i, leaf := 0, n.leaf
	if at != p.now {
		i = len(leaf) - 1
		for low := 0; i-low > 16; { // a profile of one leaf may be long
			if middle := (low + i) / 2; latest < leaf[middle].at {
				i = middle
			} else {
				low = middle
			}
		}
	}
	for i > 0 && latest < leaf[i].at {
		i--
	}
	switch s := &n.leaf[i]; {
	case Before(s.at, at):
		n.leaf = append(n.leaf, step{})
		copy(n.leaf[i+2:], n.leaf[i+1:])
		n.leaf[i+1] = step{at, by}
		if i+2 == len(n.leaf) {
			p.forget(false)
		}
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
