package optimize

import "math"

// relaxation builds and solves the concave relaxation of a problem on a node.
type relaxation struct {
	p     *problem
	chain *chain
	theta []float64 // share of each class's loss that is counted
	delta []float64 // coefficients of g(sigma_s) in the loss
	w     []float64 // weights of the classes in the loss
	given []float64 // weight of class s-1 given away at s
	// tangents, where not nil, are points at which descending terms are
	// replaced by their tangents, not chords: a concave problem from below,
	// whose solution earns no less than the points do. Its bound is none.
	tangents []float64
	tol      float64
	count    int // problems solved
}

func newRelaxation(p *problem) *relaxation {
	n := len(p.beta)
	r := &relaxation{p: p, chain: newChain(n), theta: make([]float64, n), delta: make([]float64, n),
		w: make([]float64, n), given: make([]float64, n), tol: 1e-11}
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
// below it, so that the relaxed loss is never above the true one. Where the
// box reaches so close to 1 that the chord would say nothing, weight_{s-1} is
// lowered to weight_s instead.
func (r *relaxation) solve(d *node, t, room float64) affine {
	c, p := r.chain, r.p
	c.constant, c.t = 0, room
	copy(c.lo, d.lo)
	copy(c.hi, d.hi)
	copy(c.least, d.least)
	copy(c.most, d.most)
	r.weights(d, t)
	weight, price := 0.0, 0.0
	for s := range p.beta {
		pi := p.pi[s]
		if p.onWait {
			pi += r.theta[s] * p.omega[s] * p.tau[s]
		}
		c.e[s] = pi - price
		r.delta[s] = r.w[s] - weight
		c.a[s] = math.Max(0, r.delta[s])
		if r.delta[s] < 0 {
			lo, hi := d.least[s], d.most[s]
			if r.tangents != nil {
				lo, hi = r.tangents[s], r.tangents[s]
			}
			at, slope := chord(lo, hi)
			c.e[s] -= r.delta[s] * slope
			c.constant -= r.delta[s] * (at - slope*lo)
		}
		weight, price = r.w[s], pi
	}
	c.constant += weight // g(sigma_{S+1}) = g(0) = 1
	r.count++
	return c.solve(r.tol)
}

// weights sets the weights of the classes in the loss at t = Phi T0.
func (r *relaxation) weights(d *node, t float64) {
	p := r.p
	const steep = 1e3
	for s := len(p.beta) - 1; s >= 0; s-- {
		if p.onWait {
			r.w[s] = r.theta[s] * p.omega[s] * t
			continue
		}
		r.w[s] = p.omega[s] * math.Max(0, t-p.tau[s])
		if s+1 == len(p.beta) {
			continue
		}
		r.given[s+1] = 0
		if r.w[s] > r.w[s+1] && r.tangents == nil && steep*(1-d.most[s+1]) < 1 {
			r.given[s+1] = r.w[s] - r.w[s+1]
			r.w[s] = r.w[s+1]
		}
	}
}

// chord returns the value at lo and the slope of the chord of g over [lo, hi].
func chord(lo, hi float64) (at, slope float64) {
	at = 1 / (1 - lo)
	return at, at / (1 - hi) // (g(hi)-g(lo))/(hi-lo) = g(lo) g(hi)
}

// chordGap returns what splitting sigma_s at the returned point could gain at
// the last solution: the weight times how far the chord lies above g, or the
// loss given away where there is no chord.
func (r *relaxation) chordGap(d *node, s int) (gap, at float64) {
	x := math.Min(d.most[s], math.Max(d.least[s], r.chain.sigma[s]))
	if r.given[s] > 0 {
		below := r.chain.sigma[s-1]
		gap = r.given[s] * math.Max(0, 1/(1-below)-1/(1-x))
		return gap, 1 - math.Sqrt((1-d.least[s])*(1-d.most[s]))
	}
	if r.delta[s] >= 0 {
		return 0, x
	}
	low, slope := chord(d.least[s], d.most[s])
	return -r.delta[s] * math.Max(0, low+slope*(x-d.least[s])-1/(1-x)), x
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
