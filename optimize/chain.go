package optimize

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
// The rows are n of rho >= least, n of rho <= most, n of sigma <= hi, n of
// sigma >= lo, and one of sum kappa rho <= t.
type chain struct {
	interior    // x is sigma; the dense row is kappa on sigma: kappa_s - kappa_{s-1}
	n           int
	e, a        []float64
	least, most []float64 // of rho
	lo, hi      []float64 // of sigma
	kappa       []float64 // on rho
	t           float64
	pay         []*payoff // nil entry: none
	from        []float64 // utilization at which the payoff starts

	hess         []float64 // of g
	bend         []float64 // curvature of the payoffs, taken positive
	diag, spring []float64 // factors of the Newton matrix
}

func newChain(n int) *chain {
	c := &chain{n: n, pay: make([]*payoff, n)}
	c.on = make([]int, 0, 4*n+1)
	c.resize(n, 4*n+1)
	for _, v := range []*[]float64{&c.e, &c.a, &c.least, &c.most, &c.lo, &c.hi, &c.kappa,
		&c.hess, &c.diag, &c.spring, &c.from, &c.bend} {
		*v = make([]float64, n)
	}
	return c
}

func (c *chain) values() { c.times(c.x) }

func (c *chain) times(x []float64) {
	n, r := c.n, c.rows
	above, sum := 0.0, 0.0
	for s := n - 1; s >= 0; s-- {
		rho := x[s] - above
		above = x[s]
		r[s].value, r[n+s].value = -rho, rho
		r[2*n+s].value, r[3*n+s].value = above, -above
		sum += c.last[s] * above
	}
	r[4*n].value = sum
}

func (c *chain) addTransposed(dst []float64) {
	n, r := c.n, c.rows
	below := 0.0
	for s := range n {
		rho := r[n+s].weight - r[s].weight
		dst[s] += rho - below + r[2*n+s].weight - r[3*n+s].weight + c.last[s]*r[4*n].weight
		below = rho
	}
}

// start sets a first, strictly positive iterate. It need not satisfy the
// constraints.
func (c *chain) start() {
	n, rows := c.n, c.rows
	clear(rows)
	c.on = c.on[:0]
	small, large, all := 0.0, 0.0, 0.0
	for s := n - 1; s >= 0; s-- {
		small += c.least[s]
		large += c.most[s]
		all += c.kappa[s] * c.most[s]
		c.last[s] = c.kappa[s]
		if s > 0 {
			c.last[s] -= c.kappa[s-1]
		}
		rows[s].rhs, rows[n+s].rhs = -c.least[s], c.most[s]
		rows[2*n+s].rhs, rows[3*n+s].rhs = c.hi[s], -c.lo[s]
		c.on = append(c.on, s, n+s)
		if c.hi[s] < large {
			c.on = append(c.on, 2*n+s)
		}
		if c.lo[s] > small {
			c.on = append(c.on, 3*n+s)
		}
	}
	rows[4*n].rhs = c.t
	c.on = append(c.on, 4*n)
	share := min(0.5, 0.5*c.hi[0]/large)
	if all > 0 {
		share = min(share, 0.5*c.t/all)
	}
	sigma := 0.0
	for s := n - 1; s >= 0; s-- {
		sigma += c.least[s] + share*(c.most[s]-c.least[s])
		w := 0.1 * (c.hi[s] - c.lo[s])
		c.x[s] = min(max(sigma, c.lo[s]+w), c.hi[s]-w)
		if f := c.pay[s]; f != nil { // off 0, where the slope may be infinite
			if least := c.least[s] + 0.1*share*(c.most[s]-c.least[s]); c.rho(s) < least {
				c.x[s] += least - c.rho(s)
			}
		}
	}
	c.values()
	size := min(1, large)
	for _, i := range c.on {
		r := &c.rows[i]
		slack := r.rhs - r.value
		if slack < 1e-8*size && !(i < 2*n && c.pay[i%n] != nil && slack > 0) {
			slack = 1e-3 * size
		}
		r.open(slack)
	}
}

// solve sets x to the solution and lambda to its multipliers.
func (c *chain) solve(tol float64) {
	c.start()
	curved := false
	for _, f := range c.pay {
		curved = curved || f != nil
	}
	c.interior.solve(c, curved, tol)
}

func (c *chain) derivatives() {
	for s, x := range c.x {
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
}

// rho returns sigma_s - sigma_{s+1}.
func (c *chain) rho(s int) float64 {
	if s+1 < c.n {
		return c.x[s] - c.x[s+1]
	}
	return c.x[s]
}

// factor factors the Newton matrix, which is a chain of springs: the weights and the
// payoff of rho_s tie sigma_s to sigma_{s+1}, those of the boxes and the Hessian tie
// sigma_s to the ground. Eliminating the places in turn with u u'/(u+u') for springs in
// series subtracts nothing, so that stiff springs (rho_s at a bound) do not cancel soft
// ones.
func (c *chain) factor() {
	n := c.n
	ground := 0.0
	for s := range n {
		least, most := &c.rows[s], &c.rows[n+s]
		hi, lo := &c.rows[2*n+s], &c.rows[3*n+s]
		ground += c.hess[s] + hi.lambda*hi.inv + lo.lambda*lo.inv
		spring := least.lambda*least.inv + most.lambda*most.inv
		if c.pay[s] != nil {
			spring += c.bend[s]
		}
		c.diag[s] = ground + spring
		c.spring[s] = spring / c.diag[s]
		ground *= c.spring[s]
	}
}

func (c *chain) backsolve(x []float64) {
	for s := 1; s < c.n; s++ {
		x[s] += c.spring[s-1] * x[s-1]
	}
	x[c.n-1] /= c.diag[c.n-1]
	for s := c.n - 2; s >= 0; s-- {
		x[s] = x[s]/c.diag[s] + c.spring[s]*x[s+1]
	}
}

// domain keeps a step off the pole of g and the start of the payoffs.
func (c *chain) domain(longest float64) float64 {
	for s, x := range c.x {
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
