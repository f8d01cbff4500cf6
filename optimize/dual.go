package optimize

import "math"

// multipliers prove an upper bound on a node. Any numbers with y, z, w, theta,
// eta >= 0 and theta_s + eta_s <= 1 do: the solver that proposes them need not have
// converged.
type multipliers struct {
	y          float64   // of sum_s kappa_s rho_s <= t
	z, w       []float64 // of rho_s >= its least and <= its most, by place
	theta, eta []float64 // shares of two lower bounds of the loss of class s
	pi, rent   []float64 // rent + pi rho is nowhere below the payoff, where the price is chosen
}

func newMultipliers(n int) *multipliers {
	buf := make([]float64, 6*n)
	return &multipliers{z: buf[:n:n], w: buf[n : 2*n : 2*n], theta: buf[2*n : 3*n : 3*n], eta: buf[3*n : 4*n : 4*n],
		pi: buf[4*n : 5*n : 5*n], rent: buf[5*n:]}
}

// lagrangian is the bound that multipliers prove at one t, taken apart by
// place: the sum of the maxima, over the box of sigma_s, of
// c_s sigma_s - d_s g(sigma_s), and of all terms that do not depend on sigma.
type lagrangian struct {
	value     float64
	c, d, top []float64
}

// weigh sets l to the bound that m proves on a node for admissions with
// Phi T0 = t.
//
// Proof. Write g(x) = 1/(1-x), g_s = g(sigma_s). The loss of class s is x^+
// with x = omega_s ((t - tauT_s)(g_s - g_{s+1}) - tauW_s rho_s), so that it is
// at least theta_s x. In the box g_s >= g(least_s), hence it is also at least
// m_s rho_s with m_s = omega_s ((t - tauT_s) g(least_s) g(least_{s+1}) - tauW_s)
// for t >= tauT_s, and at least 0 >= m_s rho_s elsewhere. With shares that sum
// to at most 1,
//
//	revenue <= sum_s pi_s rho_s - theta_s x_s - eta_s m_s rho_s
//	         + y (t - sum_s kappa_s rho_s) + z_s (rho_s - least) + w_s (most - rho_s),
//
// as every added term is non-negative; where the price is chosen, a line above the
// payoff takes its place. With rho_s = sigma_s - sigma_{s+1} the right-hand side is a
// sum of functions c_s sigma_s - d_s g(sigma_s) of one sigma_s each. The bound is the
// sum of their maxima: the constraints that tie the sigma_s are dropped.
//
// For fixed sigma the right-hand side is affine in t, so that the bound is
// convex in t: on an interval it is largest at an end, and nowhere above the
// line through its values at the ends.
//
// A class that the node closes is left out.
func (p *problem) weigh(l *lagrangian, n *node, m *multipliers, t float64) {
	sum, size := 0.0, 0.0
	below, price := 0.0, 0.0
	for s := range p.beta {
		if n.closed(s) {
			l.c[s], l.d[s], l.top[s] = 0, 0, 0
			continue
		}
		u := m.theta[s] * p.omega[s] * (t - p.tauT[s])
		pi := p.pi[s]
		if p.pay[s] != nil {
			pi = m.pi[s]
			sum += m.rent[s]
			size += math.Abs(m.rent[s])
		}
		q := pi + m.theta[s]*p.omega[s]*p.tauW[s] - m.y*p.kappa[s] + m.z[s] - m.w[s]
		if m.eta[s] > 0 {
			q -= m.eta[s] * p.slope(n, s, t)
		}
		c, d := q-price, u-below
		x := maximizer(c, d, n.lo[s], n.hi[s])
		top := c*x - d/(1-x)
		if d == 0 {
			top = c * x
		}
		l.c[s], l.d[s], l.top[s] = c, d, top
		sum += top + m.w[s]*n.most[s] - m.z[s]*n.least[s]
		size += math.Abs(top) + (math.Abs(q)+math.Abs(price))*n.hi[s] + m.w[s]*n.most[s] + m.z[s]*n.least[s]
		below, price = u, q
	}
	u := below // g(sigma_{S+1}) = 1
	// Rounding of the sum itself must not turn a bound into an estimate.
	l.value = n.extra + sum + u + m.y*t + 1e-14*(size+math.Abs(u)+m.y*t)
}

// slope returns m_s: the loss of class s is at least m_s rho_s in the node.
func (p *problem) slope(n *node, s int, t float64) float64 {
	above := 0.0
	if s+1 < len(p.beta) {
		above = n.lo[s+1]
	}
	return p.omega[s] * ((t-p.tauT[s])/((1-n.lo[s])*(1-above)) - p.tauW[s])
}

// maximizer returns where c x - d/(1-x) is largest in lo <= x <= hi < 1.
func maximizer(c, d, lo, hi float64) float64 {
	switch {
	case d > 0 && c > 0:
		return min(hi, max(lo, 1-math.Sqrt(d/c)))
	case d >= 0:
		if c > 0 {
			return hi
		}
		return lo
	case c*(hi-lo)-d*(hi-lo)/((1-lo)*(1-hi)) > 0: // convex
		return hi
	}
	return lo
}

// trim cuts off the ends of [lo, hi] on which c x - d/(1-x) is below the level. If it
// is below the level everywhere, the result is empty: lo > hi.
func trim(c, d, lo, hi, level float64) (float64, float64) {
	below := func(x float64) bool {
		g := 1 / (1 - x)
		return c*x-d*g < level-1e-14*(math.Abs(c)+math.Abs(d)*g) // beyond rounding
	}
	x := maximizer(c, d, lo, hi)
	if below(x) {
		return 1, 0
	}
	// The function rises from lo to x and falls from x to hi, or, where it is
	// convex, x is an end and the level is crossed once.
	cut := func(end float64) float64 {
		const worth = 0.1 // of the way; less is not worth the effort
		w := worth * math.Abs(x-end)
		low := end + math.Copysign(w, x-end)
		if !(w > 0 && below(low) && below(end)) {
			return end
		}
		high := x
		for range 12 {
			if mid := (low + high) / 2; below(mid) {
				low = mid
			} else {
				high = mid
			}
		}
		return low
	}
	return cut(lo), cut(hi)
}
