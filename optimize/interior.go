package optimize

import "math"

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
		centre := ratio * ratio * ratio * mu
		for r, on := range c.on {
			if on {
				c.rc[r] = c.slack[r]*c.lambda[r] + c.ds[r]*c.dl[r] - centre
			}
		}
		c.step()
		alpha = c.centred(c.reach(0.99), rows)
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

// centred shortens a step until no product of slack and multiplier is far
// below their mean: iterates that leave the central path stall at its edge.
func (c *chain) centred(alpha float64, rows int) float64 {
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
