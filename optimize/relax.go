package optimize

import "math"

// relaxation builds and solves the concave relaxation of a problem on a node.
type relaxation struct {
	p     *problem
	chain *chain
	theta []float64 // share of each class's loss that is counted
	delta []float64 // coefficients of g(sigma_s) in the loss
	tol   float64
	count int // problems solved
}

func newRelaxation(p *problem) *relaxation {
	n := len(p.beta)
	r := &relaxation{p: p, chain: newChain(n), theta: make([]float64, n), delta: make([]float64, n), tol: 1e-11}
	copy(r.chain.beta, p.beta)
	copy(r.chain.kappa, p.kappa)
	for s := range r.theta {
		r.theta[s] = 1
	}
	return r
}

// solve solves the relaxation with the loss taken at t and the given room for
// T0, and returns its upper bound, affine in the room.
//
// The loss is sum_s weight_s (g(sigma_s) - g(sigma_{s+1})) less a linear
// term. By parts it is sum_s delta_s g(sigma_s) with delta_s = weight_s -
// weight_{s-1}. Where delta_s >= 0 the term is convex and kept; where it is
// negative g is replaced by its chord over the node's box, which is never
// below it, so that the relaxed loss is never above the true one.
func (r *relaxation) solve(d *node, t, room float64) affine {
	c, p := r.chain, r.p
	c.constant, c.t = 0, room
	copy(c.lo, d.lo)
	copy(c.hi, d.hi)
	copy(c.least, d.least)
	copy(c.most, d.most)
	weight, price := 0.0, 0.0
	for s := range p.beta {
		w, pi := r.weight(s, t)
		c.e[s] = pi - price
		r.delta[s] = w - weight
		c.a[s] = math.Max(0, r.delta[s])
		if r.delta[s] < 0 {
			at, slope := chord(d.least[s], d.most[s])
			c.e[s] -= r.delta[s] * slope
			c.constant -= r.delta[s] * (at - slope*d.least[s])
		}
		weight, price = w, pi
	}
	c.constant += weight // g(sigma_{S+1}) = g(0) = 1
	r.count++
	return c.solve(r.tol)
}

// weight returns the weight of class s in the loss at t = Phi T0 and its
// price, which is raised where the grace is subtracted from the wait.
func (r *relaxation) weight(s int, t float64) (w, pi float64) {
	p := r.p
	if p.onWait {
		share := r.theta[s] * p.omega[s]
		return share * t, p.pi[s] + share*p.tau[s]
	}
	return p.omega[s] * math.Max(0, t-p.tau[s]), p.pi[s]
}

// chord returns the value at lo and the slope of the chord of g over [lo, hi].
func chord(lo, hi float64) (at, slope float64) {
	at = 1 / (1 - lo)
	return at, at / (1 - hi) // (g(hi)-g(lo))/(hi-lo) = g(lo) g(hi)
}

// chordGap returns how far the chord of class s lies above g at the last
// solution, times its weight: what splitting sigma_s could gain.
func (r *relaxation) chordGap(d *node, s int) float64 {
	if r.delta[s] >= 0 {
		return 0
	}
	x := math.Min(d.most[s], math.Max(d.least[s], r.chain.sigma[s]))
	at, slope := chord(d.least[s], d.most[s])
	return -r.delta[s] * math.Max(0, at+slope*(x-d.least[s])-1/(1-x))
}

// excess returns Phi T0 (g(sigma_s)-g(sigma_{s+1})) - tau_s rho_s at the last
// solution with T0 at t: positive where class s is late.
func (r *relaxation) excess(s int, t float64) float64 {
	x, above := r.chain.sigma[s], 0.0
	if s+1 < len(r.chain.sigma) {
		above = r.chain.sigma[s+1]
	}
	return r.p.omega[s] * (x - above) * (t/((1-x)*(1-above)) - r.p.tau[s])
}
