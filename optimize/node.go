package optimize

import "math"

// node is a part of the search space: an interval of t = Phi T0 and boxes of
// the utilizations rho_s and of their sums sigma_s, all by place.
type node struct {
	t1, t2      float64
	lo, hi      []float64       // of sigma
	least, most []float64       // of rho
	proofs      [3]*multipliers // the best two so far, and a new one
	count       int
	bound       float64
	extra       float64 // $/s that closed classes may pay
	at          float64 // where in [t1, t2] the bound is attained
	rounds      int     // solves since it was split
}

// root returns the whole search space.
func (p *problem) root() *node {
	n := len(p.beta)
	empty := func() []float64 { return make([]float64, n) }
	d := (&node{lo: empty(), hi: empty(), least: empty(), most: empty()}).child()
	d.t2, d.bound = p.fill(p.kappa), math.Inf(1)
	for s, beta := range p.beta {
		d.hi[s], d.most[s] = 1-margin, beta
	}
	return d
}

// child returns a copy of the node that owns its boxes.
func (d *node) child() *node {
	n := len(d.lo)
	box := make([]float64, 4*n)
	c := *d
	c.lo, c.hi = box[:n:n], box[n:2*n:2*n]
	c.least, c.most = box[2*n:3*n:3*n], box[3*n:]
	copy(c.lo, d.lo)
	copy(c.hi, d.hi)
	copy(c.least, d.least)
	copy(c.most, d.most)
	c.rounds = 0
	return &c
}

// shrink cuts off the parts of the boxes that the constraints exclude, and those that
// lose so much that at most the given revenue is left. It reports whether anything
// remains.
func (d *node) shrink(p *problem, revenue float64) bool {
	if !d.affordable(p, revenue) {
		return false
	}
	n := len(p.beta)
	// Boxes are a whisker wider, so that rounding never cuts off an admission.
	const whisker = 1e-14
	for range 2 {
		above, below := 0.0, 0.0
		for s := n - 1; s >= 0; s-- {
			d.lo[s] = max(d.lo[s], above+d.least[s]-whisker)
			d.hi[s] = min(d.hi[s], below+d.most[s]+whisker)
			d.least[s] = max(d.least[s], d.lo[s]-below-whisker)
			d.most[s] = min(d.most[s], d.hi[s]-above+whisker)
			above, below = d.lo[s], d.hi[s]
		}
		for s := range n - 1 {
			d.lo[s+1] = max(d.lo[s+1], d.lo[s]-d.most[s]-whisker)
			d.hi[s+1] = min(d.hi[s+1], d.hi[s]-d.least[s]+whisker)
		}
		short, long := 0.0, 0.0
		for s, k := range p.kappa {
			short += k * d.least[s]
			long += k * d.most[s]
		}
		d.t1 = max(d.t1, short*(1-whisker))
		d.t2 = min(d.t2, long*(1+whisker))
		for s, k := range p.kappa {
			if k > 0 {
				d.most[s] = min(d.most[s], d.least[s]+(d.t2-short+whisker*long)/k+whisker)
				d.least[s] = max(d.least[s], d.most[s]-(long-d.t1+whisker*long)/k-whisker)
			}
		}
		if !p.onWait { // there the proofs cut the sums as much
			d.shrinkSums(p, whisker)
		}
	}
	for s := range n {
		if d.lo[s] > d.hi[s] || d.least[s] > d.most[s] {
			return false
		}
		if !d.closed(s) && d.most[s] <= nothing*p.size {
			d.close(p, s)
		}
	}
	return d.t1 <= d.t2
}

// shrinkSums cuts off the parts of the boxes of the sums that T0 excludes: by parts
// Phi T0 is sum_s (kappa_s - kappa_{s-1}) sigma_s. If all kappa are the same it is a
// multiple of the utilization, which the boxes of single classes do not show.
func (d *node) shrinkSums(p *problem, whisker float64) {
	short, long, below := 0.0, 0.0, 0.0
	size := d.t2
	for s, kappa := range p.kappa {
		k := kappa - below
		size += math.Abs(k) * d.hi[s]
		if k > 0 {
			short, long = short+k*d.lo[s], long+k*d.hi[s]
		} else {
			short, long = short+k*d.hi[s], long+k*d.lo[s]
		}
		below = kappa
	}
	whisker *= size
	d.t1, d.t2 = max(d.t1, short-whisker), min(d.t2, long+whisker)
	below = 0
	for s, kappa := range p.kappa {
		k := kappa - below
		up, down := (d.t2-short+whisker)/k, (long-d.t1+whisker)/k
		if lo, hi := d.lo[s], d.hi[s]; k > 0 {
			d.lo[s], d.hi[s] = max(lo, hi-down), min(hi, lo+up)
		} else if k < 0 {
			d.lo[s], d.hi[s] = max(lo, hi+up), min(hi, lo-down)
		}
		below = kappa
	}
}

// nothing is the utilization, relative to problem.size, up to which a class is left out.
const nothing = 1e-13

// closed reports whether class s is left out of the node.
func (d *node) closed(s int) bool { return d.most[s] == 0 }

// close leaves out class s, which pays at most for its largest utilization. Without it
// no class loses more. The node is widened to contain the rest of its admissions.
func (d *node) close(p *problem, s int) {
	most := d.most[s]
	for k := range s + 1 {
		d.lo[k] = max(0, d.lo[k]-most)
	}
	d.t1 = max(0, d.t1-p.kappa[s]*most)
	d.extra += p.worth(s, most)
	d.least[s], d.most[s] = 0, 0
}

// above returns the next class after s that the node does not close, or the
// number of classes.
func (d *node) above(s int) int {
	for s++; s < len(d.most) && d.closed(s); s++ {
	}
	return s
}

// affordable cuts off the parts of the boxes in which the loss alone exceeds the largest
// revenue less the given one. The loss of class s is at least m_s rho_s (see
// problem.slope). With weights of at least w in the classes from s on, their loss is at
// least w (g(sigma_s) - 1) less the part that the graces forgive.
//
// A class with m_s >= pi_s is not admitted at all: without it T0 and all utilizations
// are smaller, no class loses more, and the class loses at least what it pays. The
// optimum that admits the fewest classes has no such class; no node needs to contain
// other optima. It reports whether the boxes may contain that one.
func (d *node) affordable(p *problem, revenue float64) bool {
	room := p.gross - revenue
	forgiven, weight := 0.0, math.Inf(1)
	for s := len(p.beta) - 1; s >= 0; s-- {
		weight = min(weight, p.omega[s]*max(0, d.t1-p.tauT[s]))
		forgiven += p.omega[s] * p.tauW[s] * d.most[s]
		if weight > 0 {
			x := (room + forgiven) / weight
			d.hi[s] = min(d.hi[s], x/(1+x)*(1+1e-12))
		}
		m := p.slope(d, s, d.t1)
		if f := p.pay[s]; f != nil && m > 0 {
			// At an optimum the marginal revenue of a class is at least its own loss.
			d.most[s] = min(d.most[s], f.sold(m)*(1+1e-12))
			if d.least[s] > d.most[s] {
				return false
			}
			d.most[s] = min(d.most[s], room/m*(1+1e-12))
		} else if m >= p.pi[s]*(1+1e-12) && m > 0 {
			if d.least[s] > nothing*p.size {
				return false
			}
			d.least[s], d.most[s] = 0, 0
		} else if m > 0 {
			d.most[s] = min(d.most[s], room/m*(1+1e-12))
		}
	}
	return true
}

// late returns 1 if class s loses by delay everywhere in the node, 0 if nowhere, and
// undecided otherwise.
func (d *node) late(p *problem, s int) float64 {
	if p.omega[s] == 0 {
		return 0
	}
	lo, hi := 0.0, 0.0
	if s+1 < len(d.lo) {
		lo, hi = d.lo[s+1], d.hi[s+1]
	}
	if tau := p.tauT[s]; tau > 0 {
		if d.t1 >= tau {
			return 1
		} else if d.t2 <= tau {
			return 0
		}
		return undecided
	}
	switch tau := p.tauW[s]; {
	case d.t1 >= tau*(1-d.lo[s])*(1-lo):
		return 1
	case d.t2 <= tau*(1-d.hi[s])*(1-hi):
		return 0
	}
	return undecided
}

// undecided marks a class that is late in part of a node.
const undecided = -1
