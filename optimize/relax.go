package optimize

import "math"

// relaxation proposes multipliers for a node: those of the concave problem that
// replaces what is not concave by its chord over the node's boxes.
type relaxation struct {
	p     *problem
	chain *chain
	lift  *lift
	sigma []float64 // the solution
	slope []float64 // coefficients of g(sigma_s) in the loss
	tol   float64
	// narrow is by how much boxes are widened, because they need some inside,
	// as a share of utilizations that matter.
	narrow float64
	count  int // problems solved
}

func newRelaxation(p *problem) *relaxation {
	n := len(p.beta)
	r := &relaxation{p: p, chain: newChain(n), lift: newLift(n), sigma: make([]float64, n), slope: make([]float64, n), tol: 1e-11, narrow: narrow}
	copy(r.chain.kappa, p.kappa)
	return r
}

// propose returns multipliers for a node, from the relaxation at t. It leaves
// its solution in r.sigma.
func (r *relaxation) propose(d *node, t float64) *multipliers {
	m := newMultipliers(len(r.p.beta))
	lifted := false
	if !r.p.ordered {
		if lifted = r.lift.shares(m, r.p, d, t); lifted {
			r.count++
		}
		r.ascend(m, d)
		for s := range m.eta {
			// More than that keeps a class out as well, and is harder to solve.
			if k := r.p.slope(d, s, d.t2); m.eta[s]*k > 10*r.p.dear {
				m.eta[s] = 10 * r.p.dear / k
			}
		}
	} else {
		for s := range m.theta {
			if t > r.p.tauT[s] {
				m.theta[s] = 1
			}
		}
	}
	r.solve(d, m, t, nil)
	if lifted {
		// The problem with fixed shares may have other solutions too.
		r.lift.sums(r.sigma)
	}
	c := r.chain
	n := c.n
	// Where there is no solution multipliers grow without end, and their ratio
	// proves that; rounding must not grow with them.
	largest := c.lambda[4*n]
	for s := range n {
		largest = max(largest, c.lambda[s], c.lambda[n+s])
	}
	scale := 1.0
	if largest > 1e7 {
		scale = 1e7 / largest
	}
	off := 0.0
	for s := range n {
		m.z[s], m.w[s] = positive(scale*c.lambda[s]), positive(scale*c.lambda[n+s])
		// A gradient that rounding left costs the width of a box, here of the
		// narrower one. Both ends of a box in a proof only weaken it.
		if off -= scale * c.grad[s]; r.p.ordered && d.most[s]-d.least[s] < d.hi[s]-d.lo[s] {
			if off > 0 {
				m.w[s] = positive(m.w[s] + off)
			} else {
				m.z[s] = positive(m.z[s] - off)
			}
		}
		both := min(m.z[s], m.w[s])
		m.z[s], m.w[s] = m.z[s]-both, m.w[s]-both
	}
	m.y = positive(scale * c.lambda[4*n])
	return m
}

// ascend lowers shares until no term with a box up to the edge of stability is
// concave at either end of the node: there its chord would say nothing.
func (r *relaxation) ascend(m *multipliers, d *node) {
	p := r.p
	for k := len(p.beta) - 1; k >= 0; k-- {
		s := d.above(k)
		if d.closed(k) || s == len(p.beta) || !steep(d.hi[s]) || m.theta[k] == 0 {
			continue
		}
		old := m.theta[k]
		for _, t := range [2]float64{d.t1, d.t2} {
			have, most := p.omega[k]*(t-p.tauT[k]), m.theta[s]*p.omega[s]*(t-p.tauT[s])
			if have > 0 {
				m.theta[k] = min(m.theta[k], max(0, most/have))
			} else if m.theta[k]*have > most {
				m.theta[k] = 0
			}
		}
		if m.theta[k] < old && p.slope(d, k, d.t1) > 0 {
			m.eta[k] = 1 - m.theta[k]
		}
	}
}

// positive returns x where that is a number above 0, else 0.
func positive(x float64) float64 {
	if x > 0 && x < math.MaxFloat64 {
		return x
	}
	return 0
}

// solve solves the problem of a node at t with the shares in m.
//
// The loss is sum_s weight_s (g(sigma_s) - g(sigma_{s+1})) less a linear term.
// By parts it is sum_s delta_s g(sigma_s) with delta_s = weight_s -
// weight_{s-1}. Where delta_s >= 0 the term is convex and kept; where it is
// negative g is replaced by its chord over the node's box, which is never below
// it, so that the relaxed loss is never above the true one. With tangents, g is
// replaced there by its tangent at the given point instead: a concave problem
// from below, whose solution earns no less than the points do.
func (r *relaxation) solve(d *node, m *multipliers, t float64, tangents []float64) {
	c, p := r.chain, r.p
	c.t = t
	weight, price, narrow := 0.0, 0.0, r.narrow*p.size
	for s := range p.beta {
		c.lo[s], c.hi[s] = max(0, d.lo[s]-narrow), d.hi[s]
		c.least[s], c.most[s] = max(0, d.least[s]-narrow), d.most[s]+narrow
		if d.closed(s) {
			c.e[s], c.a[s], r.slope[s] = 0, 0, 0
			continue
		}
		u := m.theta[s] * p.omega[s] * (t - p.tauT[s])
		pi := p.pi[s] + m.theta[s]*p.omega[s]*p.tauW[s]
		if m.eta[s] > 0 {
			pi -= m.eta[s] * p.slope(d, s, t)
		}
		delta := u - weight
		c.e[s], c.a[s] = pi-price, max(0, delta)
		if delta < 0 {
			lo, hi := d.lo[s], d.hi[s]
			if tangents != nil {
				lo, hi = tangents[s], tangents[s]
			}
			_, slope := chord(lo, hi)
			c.e[s] -= delta * slope
		}
		r.slope[s] = delta
		weight, price = u, pi
	}
	r.count++
	c.solve(r.tol)
	copy(r.sigma, c.sigma)
}

// waste sets what the relaxation last solved gives away at its solution: by
// class, how far the loss lies above its shares, and, by place, how far the
// chord lies above g. It returns the sum. Neither counts for more than the class
// pays whose loss it lowers, the one below in the case of a chord: that could be
// left out.
func (r *relaxation) waste(class, place []float64, d *node, m *multipliers, t float64) (sum float64) {
	p, sigma := r.p, r.sigma
	paid := 0.0 // by the class below
	for s := range p.beta {
		if class[s], place[s] = 0, 0; d.closed(s) {
			continue
		}
		x, above := min(max(sigma[s], d.lo[s]), d.hi[s]), 0.0
		if k := d.above(s); k < len(sigma) {
			above = min(max(sigma[k], d.lo[k]), d.hi[k])
		}
		if r.slope[s] < 0 {
			at, k := chord(d.lo[s], d.hi[s])
			waste := -r.slope[s] * max(0, at+k*(x-d.lo[s])-1/(1-x))
			place[s] = min(paid, waste)
			sum += waste
		}
		rho := max(0, x-above)
		loss := p.omega[s] * rho * ((t-p.tauT[s])/((1-x)*(1-above)) - p.tauW[s])
		waste := max(0, loss) - m.theta[s]*loss
		if m.eta[s] > 0 {
			waste -= m.eta[s] * p.slope(d, s, t) * rho
		}
		paid = p.pi[s] * rho
		class[s] = min(paid, max(0, waste))
		sum += max(0, waste)
	}
	return sum
}

// potential raises the wastes to what the relaxation last solved may give away
// anywhere in the node: by place the largest distance between the chord and g,
// which is (sqrt(g(hi)) - sqrt(g(lo)))^2, and by class what the share of its
// least loss falls short of its loss at the upper ends.
func (r *relaxation) potential(class, place []float64, d *node, m *multipliers, t float64) {
	p := r.p
	paid := 0.0 // at most, by the class below
	for s := range p.beta {
		if d.closed(s) {
			continue
		}
		if r.slope[s] < 0 {
			w := 1/math.Sqrt(1-d.hi[s]) - 1/math.Sqrt(1-d.lo[s])
			place[s] = max(place[s], min(paid, -r.slope[s]*w*w))
		}
		paid = p.pi[s] * d.most[s]
		if m.eta[s] > 0 {
			above := 0.0
			if k := d.above(s); k < len(p.beta) {
				above = d.hi[k]
			}
			most := p.omega[s] * ((t-p.tauT[s])/((1-d.hi[s])*(1-above)) - p.tauW[s])
			class[s] = max(class[s], min(paid, m.eta[s]*d.most[s]*(most-p.slope(d, s, t))))
		}
	}
}
