package optimize

import "math"

// node is a part of the search space: an interval of t = Phi T0 and a box of
// cumulated utilizations.
type node struct {
	t1, t2 float64
	// The box as branched on, and what the interval of t leaves of it.
	lo, hi      []float64
	least, most []float64
	// left and right bound the relaxed problem with the loss taken at t1 and
	// at t2, as functions of the room for T0.
	left, right affine
	hasLeft     bool
	hasRight    bool
	bound       float64

	branch  int     // where to split: -1 for t, else the place of a sigma
	splitAt float64 // the point of the split
}

// combine returns the upper bound of the node and where in [t1, t2] it is
// attained. For fixed admission the relaxed loss is affine in t, so the
// relaxed optimum F(t', t), with the loss at t' and room t, is convex in t'
// as a maximum of affine functions: with a = (t-t1)/(t2-t1)
//
//	F(t, t) <= (1-a) F(t1, t) + a F(t2, t) <= (1-a) left(t) + a right(t),
//
// a quadratic in a.
func (d *node) combine() (bound, t float64) {
	w := d.t2 - d.t1
	c0 := d.left.at(d.t1)
	c1 := d.right.at(d.t1) - c0 + d.left.slope*w
	c2 := (d.right.slope - d.left.slope) * w
	bound, t = c0, d.t1
	if end := c0 + c1 + c2; end > bound {
		bound, t = end, d.t2
	}
	if c2 < 0 {
		if a := -c1 / (2 * c2); a > 0 && a < 1 {
			if v := c0 + a*(c1+a*c2); v > bound {
				bound, t = v, d.t1+a*w
			}
		}
	}
	return bound, t
}

// tighten sets least and most to what the interval of T0 and the neighboring
// utilizations leave of the box for admissions that earn at least best, and
// reports whether anything is left.
func (d *node) tighten(p *problem, best float64) bool {
	n := len(p.beta)
	copy(d.least, d.lo)
	copy(d.most, d.hi)
	d.affordable(p, best)
	smallest, largest := math.Inf(1), 0.0
	for _, k := range p.kappa {
		largest = math.Max(largest, k)
	}
	for s := n - 1; s >= 0; s-- {
		smallest = math.Min(smallest, p.kappa[s])
		above, room := 0.0, p.beta[s]
		if s+1 < n {
			above = d.least[s+1]
			room += d.most[s+1]
		}
		d.least[s] = math.Max(d.least[s], above)
		d.most[s] = math.Min(d.most[s], room)
		if smallest > 0 {
			// A whisker wider, so that rounding never cuts the optimum off.
			d.most[s] = math.Min(d.most[s], d.t2/smallest*(1+1e-12))
		}
	}
	if largest > 0 {
		d.least[0] = math.Max(d.least[0], d.t1/largest*(1-1e-12))
	}
	for s := range n - 1 {
		d.least[s+1] = math.Max(d.least[s+1], d.least[s]-p.beta[s])
		d.most[s+1] = math.Min(d.most[s+1], d.most[s])
	}
	for s := range n {
		if d.least[s] > d.most[s] {
			return false
		}
	}
	return true
}

// affordable lowers most to where the loss alone would eat what could be
// earned beyond best. With weights of at least w in the classes from s on,
// their loss is at least w (g(sigma_s) - 1) less what the graces forgive.
func (d *node) affordable(p *problem, best float64) {
	forgiven, least := 0.0, math.Inf(1)
	for s := len(p.beta) - 1; s >= 0; s-- {
		if p.onWait {
			least = math.Min(least, p.omega[s]*d.t1)
			forgiven += p.omega[s] * p.tau[s] * p.beta[s]
		} else {
			least = math.Min(least, p.omega[s]*math.Max(0, d.t1-p.tau[s]))
		}
		if least > 0 {
			room := (p.gross - best + forgiven) / least
			d.most[s] = math.Min(d.most[s], room/(1+room)*(1+1e-12))
		}
	}
}

// lateness classifies class s where the grace is subtracted from the wait: 1
// where it is late everywhere in the node, 0 where nowhere, undecided else.
func (d *node) lateness(p *problem, s int) float64 {
	lo, hi := 0.0, 0.0
	if s+1 < len(d.lo) {
		lo, hi = d.least[s+1], d.most[s+1]
	}
	switch tau := p.tau[s]; {
	case d.t1 >= tau*(1-d.least[s])*(1-lo):
		return 1
	case d.t2 <= tau*(1-d.most[s])*(1-hi):
		return 0
	}
	return undecided
}

// child returns a copy of the node that owns its box.
func (d *node) child() *node {
	n := len(d.lo)
	box := make([]float64, 4*n)
	c := *d
	c.lo, c.hi, c.least, c.most = box[:n:n], box[n:2*n:2*n], box[2*n:3*n:3*n], box[3*n:]
	copy(c.lo, d.lo)
	copy(c.hi, d.hi)
	copy(c.least, d.least)
	copy(c.most, d.most)
	return &c
}

// frontier is a heap of nodes, the largest bound first.
type frontier []*node

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].bound > f[j].bound }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(*node)) }
func (f *frontier) Pop() any {
	old := *f
	last := old[len(old)-1]
	*f = old[:len(old)-1]
	return last
}
