package optimize

import (
	"math"
)

// chain is the concave problem that remains of the admission problem once T0
// is fixed. In the cumulated utilizations sigma_1 >= sigma_2 >= ... >=
// sigma_S >= 0 it reads
//
//	maximize   constant + sum_s (e_s sigma_s - a_s g(sigma_s)),  g(x) = 1/(1-x), a_s >= 0
//	subject to 0 <= rho_s = sigma_s - sigma_{s+1} <= beta_s,
//	           lo_s <= sigma_s <= hi_s,
//	           sum_s kappa_s rho_s <= t,
//
// with sigma_{S+1} = 0. In these variables the objective is separable and
// every constraint but the last couples neighbors only, so that an
// interior-point step solves one tridiagonal system.
//
// A chain keeps its scratch space and may be solved again and again without
// allocating.
type chain struct {
	n        int
	constant float64
	e, a     []float64
	beta     []float64
	lo, hi   []float64
	least    []float64 // implied by the constraints: least <= sigma <= most
	most     []float64
	kappa    []float64 // on rho
	slope    []float64 // kappa on sigma: kappa_s - kappa_{s-1}
	t        float64

	sigma []float64 // the solution
	// Multipliers and slacks by row: n rows rho >= 0, n rows rho <= beta,
	// n rows sigma <= hi, n rows sigma >= lo, one row kappa rho <= t.
	lambda, slack []float64
	on            []bool

	grad, hess   []float64 // of the Lagrangian
	diag, spring []float64 // factors of the Newton matrix
	rc, rp       []float64 // residuals by row
	dx, dl, ds   []float64 // Newton direction
	dir, pull    []float64 // scratch
}

func newChain(n int) *chain {
	c := &chain{n: n, on: make([]bool, 4*n+1)}
	for _, v := range []*[]float64{&c.e, &c.a, &c.beta, &c.lo, &c.hi, &c.least, &c.most, &c.kappa, &c.slope, &c.sigma,
		&c.grad, &c.hess, &c.diag, &c.spring, &c.dx, &c.dir, &c.pull} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&c.lambda, &c.slack, &c.dl, &c.ds, &c.rc, &c.rp} {
		*v = make([]float64, 4*n+1)
	}
	return c
}

// at returns row r of the constraint matrix times x.
func (c *chain) at(r int, x []float64) float64 {
	n := c.n
	if r == 4*n {
		var sum float64
		for s, k := range c.slope {
			sum += k * x[s]
		}
		return sum
	}
	s := r % n
	switch r / n {
	case 0, 1:
		rho := x[s]
		if s+1 < n {
			rho -= x[s+1]
		}
		if r < n {
			return -rho
		}
		return rho
	case 2:
		return x[s]
	default:
		return -x[s]
	}
}

// bound returns the right-hand side of row r.
func (c *chain) bound(r int) float64 {
	n := c.n
	if r == 4*n {
		return c.t
	}
	s := r % n
	switch r / n {
	case 0:
		return 0
	case 1:
		return c.beta[s]
	case 2:
		return c.hi[s]
	default:
		return -c.lo[s]
	}
}

// addTransposed adds the transposed constraint matrix times v to dst.
func (c *chain) addTransposed(dst, v []float64) {
	n := c.n
	for s := range n {
		rho := v[n+s] - v[s]
		dst[s] += rho + v[2*n+s] - v[3*n+s] + c.slope[s]*v[4*n]
		if s+1 < n {
			dst[s+1] -= rho
		}
	}
}

// start sets a first, strictly positive iterate. It need not satisfy the
// constraints.
func (c *chain) start() {
	n := c.n
	tail := 0.0
	for s := n - 1; s >= 0; s-- {
		tail += c.beta[s]
		c.on[s], c.on[n+s] = true, true
		c.on[2*n+s] = c.hi[s] < tail
		c.on[3*n+s] = c.lo[s] > 0
	}
	c.on[4*n] = true
	all := 0.0
	for s, b := range c.beta {
		all += c.kappa[s] * b
	}
	share := math.Min(0.5, 0.5*c.hi[0]/tail)
	if all > 0 {
		share = math.Min(share, 0.5*c.t/all)
	}
	sigma := 0.0
	for s := n - 1; s >= 0; s-- {
		c.slope[s] = c.kappa[s]
		if s > 0 {
			c.slope[s] -= c.kappa[s-1]
		}
		sigma += share * c.beta[s]
		c.sigma[s] = sigma
	}
	for r := range c.lambda {
		if !c.on[r] {
			c.lambda[r], c.slack[r], c.dl[r], c.ds[r], c.rc[r], c.rp[r] = 0, 1, 0, 0, 0, 0
			continue
		}
		c.slack[r] = c.bound(r) - c.at(r, c.sigma)
		if size := math.Min(1, tail); c.slack[r] < 1e-8*size {
			c.slack[r] = 1e-3 * size
		}
		c.lambda[r] = 0.1 / c.slack[r] // on the central path
	}
}

// solve runs Mehrotra's predictor-corrector method until the complementarity
// gap is tol or rounding stops it, and returns the best dual bound it met.
// The solution is approximate in any case: what is proven is the bound, which
// holds for all multipliers.
func (c *chain) solve(tol float64) affine {
	c.start()
	rows := 0
	for _, on := range c.on {
		if on {
			rows++
		}
	}
	best := affine{constant: math.Inf(1)}
	for range 100 {
		gap := c.residuals()
		bound := c.dualBound()
		if bound.at(c.t) < best.at(c.t) {
			best = bound
		} else if gap < 1e-7 {
			break // the multipliers are lost in rounding
		}
		if gap <= tol {
			break
		}
		mu := gap / float64(rows)
		c.factor()
		// Predictor: all the way to complementarity.
		for r := range c.rc {
			c.rc[r] = c.slack[r] * c.lambda[r]
		}
		c.step()
		alpha := c.reach(1)
		var after float64
		for r, on := range c.on {
			if on {
				after += (c.slack[r] + alpha*c.ds[r]) * (c.lambda[r] + alpha*c.dl[r])
			}
		}
		ratio := after / float64(rows) / mu
		center := ratio * ratio * ratio * mu
		for r, on := range c.on {
			if on {
				c.rc[r] = c.slack[r]*c.lambda[r] + c.ds[r]*c.dl[r] - center
			}
		}
		c.step()
		alpha = c.centered(c.reach(0.99), rows)
		if !(alpha > 1e-13) {
			break
		}
		for s := range c.sigma {
			c.sigma[s] += alpha * c.dx[s]
		}
		for r, on := range c.on {
			if on {
				c.slack[r] += alpha * c.ds[r]
				c.lambda[r] += alpha * c.dl[r]
			}
		}
	}
	return best
}

// residuals fills the gradient of the Lagrangian and the primal residuals and
// returns the complementarity gap.
func (c *chain) residuals() (gap float64) {
	for s, x := range c.sigma {
		g := 1 / (1 - x)
		c.hess[s] = 2 * c.a[s] * g * g * g
		c.grad[s] = c.a[s]*g*g - c.e[s]
	}
	c.addTransposed(c.grad, c.lambda)
	for r, on := range c.on {
		if on {
			c.rp[r] = c.at(r, c.sigma) + c.slack[r] - c.bound(r)
			gap += c.slack[r] * c.lambda[r]
		}
	}
	return gap
}

// factor factors the Newton matrix of all rows but the last: the Hessian plus
// the constraints weighted by multiplier/slack. It is a chain of springs: the
// weights of rho_s tie sigma_s to sigma_{s+1}, those of the boxes and the
// Hessian tie sigma_s to the ground. Eliminating one place after the other
// with u u'/(u+u') for springs in series subtracts nothing, so that stiff
// springs (rho_s at a bound) do not wipe out soft ones.
func (c *chain) factor() {
	n := c.n
	ground := 0.0
	for s := range n {
		ground += c.hess[s] + c.lambda[2*n+s]/c.slack[2*n+s] + c.lambda[3*n+s]/c.slack[3*n+s]
		spring := c.lambda[s]/c.slack[s] + c.lambda[n+s]/c.slack[n+s]
		c.diag[s] = ground + spring
		c.spring[s] = spring / c.diag[s]
		ground *= c.spring[s]
	}
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
	for r, on := range c.on {
		if on {
			c.dl[r] = (c.lambda[r]*c.rp[r] - c.rc[r]) / c.slack[r]
		}
	}
	c.dl[last] = 0
	for s, g := range c.grad {
		c.dx[s] = -g
		c.pull[s] = 0
	}
	c.addTransposed(c.pull, c.dl)
	for s := range c.dx {
		c.dx[s] -= c.pull[s]
	}
	copy(c.dir, c.slope)
	c.backsolve(c.dx)
	c.backsolve(c.dir)
	s5, l5 := c.slack[last], c.lambda[last]
	dl := (c.at(last, c.dx) - c.rc[last]/l5 + c.rp[last]) / (c.at(last, c.dir) + s5/l5)
	for s := range c.dx {
		c.dx[s] -= dl * c.dir[s]
	}
	for r, on := range c.on {
		if on && r != last {
			c.ds[r] = -c.rp[r] - c.at(r, c.dx)
			c.dl[r] = -(c.rc[r] + c.lambda[r]*c.ds[r]) / c.slack[r]
		}
	}
	c.dl[last] = dl
	c.ds[last] = -(c.rc[last] + s5*dl) / l5
}

// centered shortens a step until no product of slack and multiplier is far
// below their mean: iterates that leave the central path stall at its edge.
func (c *chain) centered(alpha float64, rows int) float64 {
	const share = 1e-3
	for range 30 {
		least, sum := math.Inf(1), 0.0
		for r, on := range c.on {
			if on {
				product := (c.slack[r] + alpha*c.ds[r]) * (c.lambda[r] + alpha*c.dl[r])
				least = math.Min(least, product)
				sum += product
			}
		}
		if least >= share*sum/float64(rows) {
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
	for r, on := range c.on {
		if !on {
			continue
		}
		if c.ds[r] < 0 {
			longest = math.Min(longest, -share*c.slack[r]/c.ds[r])
		}
		if c.dl[r] < 0 {
			longest = math.Min(longest, -share*c.lambda[r]/c.dl[r])
		}
	}
	for s, x := range c.sigma {
		if c.a[s] > 0 && c.dx[s] > 0 {
			longest = math.Min(longest, 0.9*(1-x)/c.dx[s])
		}
	}
	return longest
}

// affine is an upper bound of a function of t: constant + slope t.
type affine struct{ constant, slope float64 }

func (f affine) at(t float64) float64 { return f.constant + f.slope*t }

// dualBound returns an upper bound, affine in t, of the chain's optimum. It
// is the Lagrangian dual at the current multipliers z (rho >= 0),
// w (rho <= beta) and y (kappa rho <= t):
//
//	y t + sum_s w_s beta_s + sum_s max over least_s <= x <= most_s of (c_s x - a_s g(x)),
//	c_s = e_s + z_s - z_{s-1} - w_s + w_{s-1} - y (kappa_s - kappa_{s-1}).
//
// By weak duality it holds for all non-negative multipliers, converged or
// not; each one-dimensional maximum is known in closed form.
func (c *chain) dualBound() affine {
	n := c.n
	y := c.lambda[4*n]
	sum, size := c.constant, math.Abs(c.constant)
	for s := n - 1; s >= 0; s-- {
		z, w := c.lambda[s], c.lambda[n+s]
		coefficient := c.e[s] + z - w - y*c.slope[s]
		if s > 0 {
			coefficient += c.lambda[n+s-1] - c.lambda[s-1]
		}
		best := maxTerm(coefficient, c.a[s], c.least[s], c.most[s])
		sum += w*c.beta[s] + best
		size += w*c.beta[s] + math.Abs(best)
	}
	// Rounding of the sum itself must not turn a bound into an estimate.
	return affine{constant: sum + 1e-14*size, slope: y}
}

// maxTerm returns the maximum of coefficient x - a/(1-x) over lo <= x <= hi < 1.
func maxTerm(coefficient, a, lo, hi float64) float64 {
	value := func(x float64) float64 {
		if a == 0 {
			return coefficient * x
		}
		return coefficient*x - a/(1-x)
	}
	if hi < lo {
		return math.Inf(-1)
	}
	if coefficient <= 0 {
		return value(lo)
	}
	x := hi
	if a > 0 {
		x = math.Min(hi, math.Max(lo, 1-math.Sqrt(a/coefficient)))
	}
	return value(x)
}
