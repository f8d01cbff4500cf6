package policy

// gaps bounds the length of the places within a branch of a profile, by class of widths, so
// that a search for a longer place passes over the branch. A place that reaches beyond the
// branch is not within it. Reservations keep the bound true; what is released loosens it.
type gaps struct {
	longest []float64 // s; empty before the first measurement
	base    int       // the bound holds while at most so many processors are free before the branch
	scans   int       // without success since the last measurement, if that is not exact
	stale   bool      // a step has changed since
}

// barren reports whether no place of a class of widths and a duration is within the branch,
// before which some processors are free.
func (g *gaps) barren(free, class int, duration float64) bool {
	return g != nil && free <= g.base && len(g.longest) > 0 &&
		(class >= len(g.longest) || duration > g.longest[class])
}

// measured is visit for the node of a kid whose gaps may be known.
func (s *gapSearch) measured(k *kid[step, span], level int) bool {
	free := s.free
	if k.sum.gaps.barren(free, s.class, s.duration) {
		if s.wide {
			s.brief = true
			over := s.visit(k.node, level)
			s.brief = false
			if s.wide {
				return over
			}
		}
		s.free = free + k.sum.change
		s.tail(k.node, s.free)
		return false
	}
	if s.visit(k.node, level) {
		return true
	}
	if k.sum.gaps == nil {
		k.sum.gaps = &gaps{stale: true}
	}
	k.sum.gaps.scanned(k.node, free, level)
	return false
}

// tail opens the place that begins in a node and reaches beyond it, where some processors
// are free. It reports whether there is a step before which too few are.
func (s *gapSearch) tail(n *node[step, span], free int) bool {
	for i := len(n.kids) - 1; i >= 0; i-- {
		k := &n.kids[i].sum
		free -= k.change
		if free+k.least >= s.width {
			s.open(max(k.at, s.now)) // the time of the present may be old
		} else if s.tail(n.kids[i].node, free+k.change) {
			return true
		}
	}
	for i := len(n.leaf) - 1; i >= 0; i-- {
		if free < s.width {
			return true
		}
		s.open(n.leaf[i].at)
		free -= n.leaf[i].change
	}
	return false
}

// scanned notes that a search has gone through a branch without success. Now and then it
// measures the gaps: the larger the branch, the more rarely.
func (g *gaps) scanned(n *node[step, span], free, level int) {
	if g.stale || free != g.base {
		g.scans++
	}
	if g.scans < 2<<(4*level) {
		return
	}
	r := ruler{longest: append(g.longest[:0], 0), free: free}
	r.visit(n)
	r.turn(r.at, 0)
	*g = gaps{longest: r.longest, base: free}
}

// ruler measures the longest places within a branch.
type ruler struct {
	longest     []float64
	free, class int
	at          float64      // of the last step
	since       [128]float64 // by class
}

func (r *ruler) visit(n *node[step, span]) {
	for i := range n.kids {
		r.visit(n.kids[i].node)
	}
	for i := range n.leaf {
		r.free += n.leaf[i].change
		r.turn(n.leaf[i].at, r.free)
	}
}

// turn notes the number of processors that are free from a time on.
func (r *ruler) turn(at float64, free int) {
	to := classOf(max(free, 0))
	r.at = at
	for ; r.class > to; r.class-- {
		r.longest[r.class] = max(r.longest[r.class], at+2*hair*at-r.since[r.class])
	}
	for r.class < to {
		r.class++
		r.since[r.class] = at
		if r.class == len(r.longest) {
			r.longest = append(r.longest, 0)
		}
	}
}

// loosen notes a change in the last leaf of find.
func (p *Profile) loosen(by int, since float64) {
	for i := range p.path {
		t := &p.path[i]
		k := &t.node.kids[t.kid].sum
		if k.gaps == nil {
			continue
		}
		k.gaps.stale = true
		if by > 0 && k.at > since { // else nothing in the branch is more than before
			k.gaps.base -= by
		}
	}
}

// forget drops the bounds of the branches with the last leaf of find: of all, or of those
// that end with it.
func (p *Profile) forget(all bool) {
	for level := len(p.path) - 1; level >= 0; level-- {
		t := &p.path[level]
		if g := t.node.kids[t.kid].sum.gaps; g != nil {
			*g = gaps{longest: g.longest[:0], scans: g.scans, stale: true}
		}
		if !all && t.kid < len(t.node.kids)-1 {
			break
		}
	}
}

// height returns the number of levels above the leaves.
func (p *Profile) height() int {
	levels := 0
	for n := p.root; len(n.kids) > 0; n = n.kids[0].node {
		levels++
	}
	return levels
}
