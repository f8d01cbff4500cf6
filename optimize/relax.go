package optimize

import "math"

// relaxation proposes multipliers for a node: those of the concave problem that replaces
// the terms that are not concave by their chords over the node's boxes.
type relaxation struct {
	p     *problem
	chain *chain
	lift  *lift
	sigma []float64 // the solution
	slope []float64 // coefficients of g(sigma_s) in the loss
	flat  []float64 // constant slopes of payoffs over boxes that are too narrow to bend
	at    []int     // places of the classes in the chain: a payoff with a kink takes two
	tol   float64
	wider float64 // widening of the boxes relative to problem.size, see narrow
}

func newRelaxation(p *problem) *relaxation {
	n := len(p.beta)
	r := &relaxation{
		p: p, lift: newLift(n), sigma: make([]float64, n), slope: make([]float64, n),
		flat: make([]float64, n), at: make([]int, n), tol: 1e-11, wider: narrow,
	}
	var kappa []float64
	for s, k := range p.kappa {
		r.at[s] = len(kappa)
		kappa = append(kappa, k)
		if p.kinked(s) {
			kappa = append(kappa, k)
		}
	}
	r.chain = newChain(len(kappa))
	copy(r.chain.kappa, kappa)
	return r
}

// propose returns multipliers for a node, from the relaxation at t. It leaves
// its solution in r.sigma.
func (r *relaxation) propose(d *node, t float64) *multipliers {
	m := newMultipliers(len(r.p.beta))
	lifted := false
	if !r.p.ordered {
		lifted = r.lift.shares(m, r.p, d, t)
		r.ascend(m, d)
		for s := range m.eta {
			// A larger share also keeps the class out, and is harder to solve.
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
	// If there is no solution, multipliers grow without bound, and their ratio proves
	// that; rounding must not grow with them.
	largest := c.multiplier()
	for i := range n {
		largest = max(largest, c.rows[i].lambda, c.rows[n+i].lambda)
	}
	scale := 1.0
	if largest > 1e7 {
		scale = 1e7 / largest
	}
	off := 0.0
	for s, i := range r.at {
		m.z[s], m.w[s] = positive(scale*c.rows[i].lambda), positive(scale*c.rows[n+i].lambda)
		off -= scale * c.grad[i]
		if f := r.p.pay[s]; f != nil {
			r.touch(m, d, s, off)
			if r.p.kinked(s) {
				off -= scale * c.grad[i+1]
			}
			continue
		}
		// A gradient left by rounding costs the width of a box: use the narrower one.
		// Multipliers of both ends of a box only weaken a proof.
		if r.p.ordered && d.most[s]-d.least[s] < d.hi[s]-d.lo[s] {
			if off > 0 {
				m.w[s] = positive(m.w[s] + off)
			} else {
				m.z[s] = positive(m.z[s] - off)
			}
		}
		both := min(m.z[s], m.w[s])
		m.z[s], m.w[s] = m.z[s]-both, m.w[s]-both
	}
	m.y = positive(scale * c.multiplier())
	return m
}

// kinked reports whether the payoff of class s has a kink.
func (p *problem) kinked(s int) bool { return p.pay[s] != nil && p.pay[s].kink > 0 }

// touch sets the line above the payoff of class s and the multipliers of its box from
// the solution of the chain.
func (r *relaxation) touch(m *multipliers, d *node, s int, off float64) {
	f, c, i := r.p.pay[s], r.chain, r.at[s]
	slope := r.flat[s]
	if c.pay[i] != nil {
		slope, _ = f.beyond(c.rho(i) + f.kink)
	}
	total := slope + m.z[s] - m.w[s] - off
	m.pi[s], m.rent[s] = f.tangent(total, d.least[s], d.most[s])
	m.z[s], m.w[s] = positive(total-m.pi[s]), positive(m.pi[s]-total)
}

// ascend lowers shares until no term with a box up to the edge of stability is concave
// at an end of the node: its chord would prove nothing.
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

// positive returns x if it is finite and above 0, else 0.
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
// weight_{s-1}. If delta_s >= 0 the term is convex and remains. If delta_s < 0, the
// chord of g over the node's box replaces g; it is never below g, so that the relaxed
// loss is never above the true one. With tangents, the tangent of g at the given point
// replaces g instead: the solution earns no less than the points.
func (r *relaxation) solve(d *node, m *multipliers, t float64, tangents []float64) {
	c, p := r.chain, r.p
	c.t = t
	weight, price, narrow := 0.0, 0.0, r.wider*p.size
	for s, i := range r.at {
		c.lo[i], c.hi[i] = max(0, d.lo[s]-narrow), d.hi[s]
		c.least[i], c.most[i] = max(0, d.least[s]-narrow), d.most[s]+narrow
		c.pay[i], c.from[i], r.flat[s] = p.pay[s], 0, 0
		if f := p.pay[s]; f != nil {
			if a, b := max(f.kink, d.least[s]), max(f.kink, d.most[s]); b-a < 1e-8*p.size {
				c.pay[i] = nil
				r.flat[s], _ = f.beyond((a + b) / 2)
			}
		}
		if p.kinked(s) {
			// Beyond the kink, and up to it: two springs in series.
			kink := p.pay[s].kink
			c.from[i] = kink
			c.lo[i+1], c.hi[i+1] = -10, 10 // no box: its multipliers would be lost
			c.least[i+1], c.most[i+1] = max(0, min(kink, d.least[s])-narrow), min(kink, d.most[s])+narrow
			c.least[i], c.most[i] = max(0, d.least[s]-kink-narrow), max(0, d.most[s]-kink)+narrow
			c.e[i+1], c.a[i+1] = 0, 0
		}
		if d.closed(s) {
			c.e[i], c.a[i] = 0, 0
			c.pay[i] = nil
			r.slope[s] = 0
			continue
		}
		u := m.theta[s] * p.omega[s] * (t - p.tauT[s])
		pi := m.theta[s]*p.omega[s]*p.tauW[s] + r.flat[s]
		if p.pay[s] == nil {
			pi += p.pi[s]
		}
		if m.eta[s] > 0 {
			pi -= m.eta[s] * p.slope(d, s, t)
		}
		delta := u - weight
		c.e[i], c.a[i] = pi-price, max(0, delta)
		if delta < 0 {
			lo, hi := d.lo[s], d.hi[s]
			if tangents != nil {
				lo, hi = tangents[s], tangents[s]
			}
			_, slope := chord(lo, hi)
			c.e[i] -= delta * slope
		}
		if p.kinked(s) {
			_, top, _ := p.pay[s].at(0)
			c.e[i+1] = top - r.flat[s]
			pi += top - r.flat[s]
		}
		r.slope[s] = delta
		weight, price = u, pi
	}
	c.solve(r.tol)
	for s, i := range r.at {
		r.sigma[s] = c.x[i]
	}
}

// waste sets the slack of the relaxation last solved at its solution: by class, the
// loss less its shares, and, by place, the chord less g. It returns the sum. A waste is
// at most the revenue of the class whose loss it lowers, for a chord the class below:
// that class could be left out.
func (r *relaxation) waste(class, place []float64, d *node, m *multipliers, t float64) (sum float64) {
	p, sigma := r.p, r.sigma
	paid := 0.0 // by the class below
	for s := range p.beta {
		class[s], place[s] = 0, 0
		if d.closed(s) {
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
		paid = p.worth(s, rho)
		class[s] = min(paid, max(0, waste))
		sum += max(0, waste)
	}
	return sum
}

// potential raises the wastes to the largest slack of the relaxation in the node: by
// place the largest distance between the chord and g, (sqrt(g(hi)) - sqrt(g(lo)))^2, and
// by class the loss at the upper ends less the share of its least loss.
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
		paid = p.worth(s, d.most[s])
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
