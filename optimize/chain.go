package optimize

import "math"

// chain is the concave problem that remains of the admission problem once T0
// is fixed. In the cumulated utilizations sigma_1 >= sigma_2 >= ... >=
// sigma_S >= 0 it reads
//
//	maximise   constant + sum_s (e_s sigma_s - a_s g(sigma_s)),  g(x) = 1/(1-x), a_s >= 0
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
