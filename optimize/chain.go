package optimize

import (
	"math"
)

// chain is the concave problem that remains of the admission problem once T0
// and the shares of the losses are fixed. In the cumulated utilizations
// sigma_1 >= sigma_2 >= ... >= sigma_S >= 0 it reads
//
//	maximize   sum_s (e_s sigma_s - a_s g(sigma_s) + pay_s(rho_s)),  g(x) = 1/(1-x), a_s >= 0
//	subject to least_s <= rho_s = sigma_s - sigma_{s+1} <= most_s,
//	           lo_s <= sigma_s <= hi_s,
//	           sum_s kappa_s rho_s <= t,
//
// with sigma_{S+1} = 0 and concave payoffs, or none. In these variables the
// objective and every constraint but the last couple neighbors only, so that an
// interior-point step solves one tridiagonal system.
//
// A chain keeps its scratch space and may be solved again and again without
// allocating.
type chain struct {
	n           int
	e, a        []float64
	least, most []float64 // of rho
	lo, hi      []float64 // of sigma
	kappa       []float64 // on rho
	slope       []float64 // kappa on sigma: kappa_s - kappa_{s-1}
	t           float64
	pay         []*payoff // nil entry: none
	from        []float64 // utilization at which the payoff starts

	sigma []float64 // the solution
	// Multipliers and slacks by row: n rows rho >= least, n rows rho <= most,
	// n rows sigma <= hi, n rows sigma >= lo, one row kappa rho <= t.
	lambda, slack []float64
	rhs           []float64
	on            []int // the rows that can bind

	grad, hess   []float64 // of the Lagrangian
	diag, spring []float64 // factors of the Newton matrix
	rc, rp       []float64 // residuals by row
	dx, dl, ds   []float64 // Newton direction
	dir          []float64 // scratch
	row, inv     []float64 // scratch, by row; 1/slack
	bend         []float64 // curvature of the payoffs, taken positive
}

func newChain(n int) *chain {
	c := &chain{n: n, on: make([]int, 0, 4*n+1), pay: make([]*payoff, n)}
	for _, v := range []*[]float64{&c.e, &c.a, &c.least, &c.most, &c.lo, &c.hi, &c.kappa, &c.slope, &c.sigma,
		&c.grad, &c.hess, &c.diag, &c.spring, &c.dx, &c.dir, &c.from, &c.bend} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&c.lambda, &c.slack, &c.dl, &c.ds, &c.rc, &c.rp, &c.rhs, &c.row, &c.inv} {
		*v = make([]float64, 4*n+1)
	}
	return c
}

// times sets dst to the constraint matrix times x.
func (c *chain) times(dst, x []float64) {
	n := c.n
	above, sum := 0.0, 0.0
	for s := n - 1; s >= 0; s-- {
		rho := x[s] - above
		above = x[s]
		dst[s], dst[n+s], dst[2*n+s], dst[3*n+s] = -rho, rho, above, -above
		sum += c.slope[s] * above
	}
	dst[4*n] = sum
}

// addTransposed adds the transposed constraint matrix times v to dst.
func (c *chain) addTransposed(dst, v []float64) {
	n := c.n
	below := 0.0
	for s := range n {
		rho := v[n+s] - v[s]
		dst[s] += rho - below + v[2*n+s] - v[3*n+s] + c.slope[s]*v[4*n]
		below = rho
	}
}

// start sets a first, strictly positive iterate. It need not satisfy the
// constraints.
func (c *chain) start() {
	n := c.n
	c.on = c.on[:0]
	small, large, all := 0.0, 0.0, 0.0
	for s := n - 1; s >= 0; s-- {
		small += c.least[s]
		large += c.most[s]
		all += c.kappa[s] * c.most[s]
		c.slope[s] = c.kappa[s]
		if s > 0 {
			c.slope[s] -= c.kappa[s-1]
		}
		c.rhs[s], c.rhs[n+s], c.rhs[2*n+s], c.rhs[3*n+s] = -c.least[s], c.most[s], c.hi[s], -c.lo[s]
		c.on = append(c.on, s, n+s)
		if c.hi[s] < large {
			c.on = append(c.on, 2*n+s)
		}
		if c.lo[s] > small {
			c.on = append(c.on, 3*n+s)
		}
	}
	c.rhs[4*n] = c.t
	c.on = append(c.on, 4*n)
	share := min(0.5, 0.5*c.hi[0]/large)
	if all > 0 {
		share = min(share, 0.5*c.t/all)
	}
	sigma := 0.0
	for s := n - 1; s >= 0; s-- {
		sigma += c.least[s] + share*(c.most[s]-c.least[s])
		w := 0.1 * (c.hi[s] - c.lo[s])
		c.sigma[s] = min(max(sigma, c.lo[s]+w), c.hi[s]-w)
		if f := c.pay[s]; f != nil { // some of it, for a slope that has an end
			if least := c.least[s] + 0.1*share*(c.most[s]-c.least[s]); c.rho(s) < least {
				c.sigma[s] += least - c.rho(s)
			}
		}
	}
	for r := range c.lambda {
		c.lambda[r], c.slack[r], c.inv[r], c.dl[r], c.ds[r], c.rc[r], c.rp[r] = 0, 1, 1, 0, 0, 0, 0
	}
	c.times(c.row, c.sigma)
	size := min(1, large)
	for _, r := range c.on {
		c.slack[r] = c.rhs[r] - c.row[r]
		if c.slack[r] < 1e-8*size && !(r < 2*n && c.pay[r%n] != nil && c.slack[r] > 0) {
			c.slack[r] = 1e-3 * size
		}
		c.lambda[r] = 0.1 / c.slack[r] // on the central path
	}
}

// solve runs Mehrotra's predictor-corrector method until the complementarity
// gap is tol or rounding stops it. The solution is approximate in any case:
// what is proven with its multipliers holds for all multipliers.
func (c *chain) solve(tol float64) {
	c.start()
	rows := float64(len(c.on))
	last := math.Inf(1)
	climb := 0.0 // what the last step promised to gain beside complementarity
	for _, f := range c.pay {
		if f != nil {
			climb = math.Inf(1)
		}
	}
	for range 60 {
		gap := c.residuals()
		if climb <= 1e-12 && (gap <= tol || gap < 1e-7 && gap > 0.9*last) {
			break
		}
		last = gap
		mu := gap / rows
		c.factor()
		// Predictor: all the way to complementarity.
		for _, r := range c.on {
			c.rc[r] = c.slack[r] * c.lambda[r]
		}
		c.step()
		alpha := c.reach(1)
		var after float64
		for _, r := range c.on {
			after += (c.slack[r] + alpha*c.ds[r]) * (c.lambda[r] + alpha*c.dl[r])
		}
		ratio := after / gap
		center := ratio * ratio * ratio * mu
		for _, r := range c.on {
			c.rc[r] = c.slack[r]*c.lambda[r] + c.ds[r]*c.dl[r] - center
		}
		c.step()
		alpha = c.centered(c.reach(0.99), rows)
		if !(alpha > 1e-13) {
			break
		}
		if climb > 0 {
			climb = 0
			for s, g := range c.grad {
				climb += math.Abs(g * c.dx[s])
			}
		}
		for s := range c.sigma {
			c.sigma[s] += alpha * c.dx[s]
		}
		for _, r := range c.on {
			c.slack[r] += alpha * c.ds[r]
			c.lambda[r] += alpha * c.dl[r]
		}
	}
}

// residuals fills the gradient of the Lagrangian and the primal residuals and
// returns the complementarity gap.
func (c *chain) residuals() (gap float64) {
	for s, x := range c.sigma {
		g := 1 / (1 - x)
		c.hess[s] = 2 * c.a[s] * g * g * g
		c.grad[s] = c.a[s]*g*g - c.e[s]
	}
	for s, f := range c.pay {
		if f == nil {
			continue
		}
		slope, curvature := f.beyond(c.from[s] + c.rho(s))
		c.grad[s] -= slope
		if s+1 < c.n {
			c.grad[s+1] += slope
		}
		c.bend[s] = -curvature
	}
	c.addTransposed(c.grad, c.lambda)
	c.times(c.row, c.sigma)
	for _, r := range c.on {
		c.inv[r] = 1 / c.slack[r]
		c.rp[r] = c.row[r] + c.slack[r] - c.rhs[r]
		gap += c.slack[r] * c.lambda[r]
	}
	return gap
}

// rho returns sigma_s - sigma_{s+1}.
func (c *chain) rho(s int) float64 {
	if s+1 < c.n {
		return c.sigma[s] - c.sigma[s+1]
	}
	return c.sigma[s]
}

// factor factors the Newton matrix of all rows but the last: the Hessian plus
// the constraints weighted by multiplier/slack. It is a chain of springs: the
// weights and the payoff of rho_s tie sigma_s to sigma_{s+1}, those of the boxes and the
// Hessian tie sigma_s to the ground. Eliminating one place after the other
// with u u'/(u+u') for springs in series subtracts nothing, so that stiff
// springs (rho_s at a bound) do not wipe out soft ones.
func (c *chain) factor() {
	n := c.n
	ground := 0.0
	for s := range n {
		ground += c.hess[s] + c.lambda[2*n+s]*c.inv[2*n+s] + c.lambda[3*n+s]*c.inv[3*n+s]
		spring := c.lambda[s]*c.inv[s] + c.lambda[n+s]*c.inv[n+s]
		if c.pay[s] != nil {
			spring += c.bend[s]
		}
		c.diag[s] = ground + spring
		c.spring[s] = spring / c.diag[s]
		ground *= c.spring[s]
	}
	copy(c.dir, c.slope)
	c.backsolve(c.dir)
}

// backsolve solves the factored tridiagonal system in place.
func (c *chain) backsolve(x []float64) {
	for s := 1; s < c.n; s++ {
		x[s] += c.spring[s-1] * x[s-1]
	}
	x[c.n-1] /= c.diag[c.n-1]
	for s := c.n - 2; s >= 0; s-- {
		x[s] = x[s]/c.diag[s] + c.spring[s]*x[s+1]
	}
}

// step computes the Newton direction for the complementarity residual in rc.
// The last row, which is dense, is eliminated last, its multiplier first.
func (c *chain) step() {
	last := 4 * c.n
	for _, r := range c.on {
		c.dl[r] = (c.lambda[r]*c.rp[r] - c.rc[r]) * c.inv[r]
	}
	c.dl[last] = 0
	copy(c.dx, c.grad)
	c.addTransposed(c.dx, c.dl)
	for s := range c.dx {
		c.dx[s] = -c.dx[s]
	}
	c.backsolve(c.dx)
	s5, l5 := c.slack[last], c.lambda[last]
	up, down := 0.0, 0.0
	for s, k := range c.slope {
		up += k * c.dx[s]
		down += k * c.dir[s]
	}
	dl := (up - c.rc[last]/l5 + c.rp[last]) / (down + s5/l5)
	for s := range c.dx {
		c.dx[s] -= dl * c.dir[s]
	}
	c.times(c.row, c.dx)
	for _, r := range c.on {
		c.ds[r] = -c.rp[r] - c.row[r]
		c.dl[r] = -(c.rc[r] + c.lambda[r]*c.ds[r]) * c.inv[r]
	}
	c.dl[last] = dl
	c.ds[last] = -(c.rc[last] + s5*dl) / l5
}

// centered shortens a step until no product of slack and multiplier is far
// below their mean: iterates that leave the central path stall at its edge.
func (c *chain) centered(alpha, rows float64) float64 {
	const share = 1e-3
	for range 30 {
		least, sum := math.Inf(1), 0.0
		for _, r := range c.on {
			product := (c.slack[r] + alpha*c.ds[r]) * (c.lambda[r] + alpha*c.dl[r])
			if product < least {
				least = product
			}
			sum += product
		}
		if least >= share*sum/rows {
			break
		}
		alpha *= 0.8
	}
	return alpha
}

// reach returns the longest step, at most 1, that stays the given share of
// the way inside all slacks, multipliers and the domain of g.
func (c *chain) reach(share float64) float64 {
	longest := 1.0
	for _, r := range c.on {
		if d, x := c.ds[r], share*c.slack[r]; d*longest < -x {
			longest = -x / d
		}
		if d, x := c.dl[r], share*c.lambda[r]; d*longest < -x {
			longest = -x / d
		}
	}
	for s, x := range c.sigma {
		if c.a[s] > 0 && c.dx[s] > 0 {
			longest = min(longest, 0.9*(1-x)/c.dx[s])
		}
	}
	for s, f := range c.pay {
		if f == nil {
			continue
		}
		d := c.dx[s]
		if s+1 < c.n {
			d -= c.dx[s+1]
		}
		if rho := c.from[s] + c.rho(s); d < 0 && rho > 0 {
			longest = min(longest, -0.9*rho/d)
		}
	}
	return longest
}
