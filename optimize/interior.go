package optimize

import "math"

// program is a convex program
//
//	minimize f(x) subject to A(x) + slack = rhs, slack >= 0,
//
// whose last row is linear and dense: it bounds T0.
type program interface {
	// derivatives sets grad to the gradient of f, prepares the Hessian of the
	// Lagrangian, and linearizes A.
	derivatives()
	// values sets the values of the rows to A(x).
	values()
	// times sets the values of the rows to the linearized A times v.
	times(v []float64)
	// addTransposed adds the rows of the linearized A, times their weights, to dst.
	addTransposed(dst []float64)
	// factor factors the Newton matrix of all rows but the last: the Hessian
	// plus the rows weighted by multiplier/slack.
	factor()
	// backsolve solves the factored system in place.
	backsolve(v []float64)
	// domain shortens a step until f is defined at its end.
	domain(longest float64) float64
}

// interior solves a program by Mehrotra's predictor-corrector method. It owns the
// iterate and may be used again and again without allocating.
type interior struct {
	x, dx, grad []float64
	last        []float64 // the dense row
	dir         []float64 // the factored system solved for the dense row
	rows        []inequality
	on          []int // the rows that can bind; the dense row is the last
}

// inequality is a row of the program. A row that cannot bind has multiplier and
// weight 0.
type inequality struct {
	lambda, slack, rhs float64
	inv                float64 // 1/slack
	value, weight      float64 // see program
	dl, ds             float64 // Newton direction of multiplier and slack
	rc, rp             float64 // residuals of complementarity and of the row
}

// open sets the first slack, and the multiplier on the central path.
func (r *inequality) open(slack float64) {
	r.slack, r.lambda = slack, 0.1/slack
	r.weight = r.lambda
}

func (c *interior) multiplier() float64 { return c.rows[len(c.rows)-1].lambda }

// resize prepares space for so many variables and rows. It keeps x and the dense
// row.
func (c *interior) resize(variables, rows int) {
	for _, v := range []*[]float64{&c.x, &c.dx, &c.grad, &c.last, &c.dir} {
		*v = resize(*v, variables)
	}
	c.rows = resize(c.rows, rows)
}

// resize returns a slice of the given length, of v where it has room.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// solve improves a first, strictly positive iterate until the complementarity gap
// is tol or rounding stops it. The iterate need not satisfy the rows. Where f is
// curved, the last step must not have promised to gain more than 1e-12 either. The
// solution is approximate in any case: a proof with its multipliers holds for all
// multipliers.
func (c *interior) solve(p program, curved bool, tol float64) {
	before, climb := math.Inf(1), 0.0
	if curved {
		climb = math.Inf(1)
	}
	for range 60 {
		gap := c.residuals(p)
		if climb <= 1e-12 && (gap <= tol || gap < 1e-7 && gap > 0.9*before) {
			break
		}
		before = gap
		p.factor()
		copy(c.dir, c.last)
		p.backsolve(c.dir)
		// Predictor: all the way to complementarity.
		for _, i := range c.on {
			r := &c.rows[i]
			r.rc = r.slack * r.lambda
		}
		c.step(p)
		after, _ := c.products(c.reach(p, 1))
		ratio := after / gap
		center := ratio * ratio * ratio * (gap / float64(len(c.on)))
		for _, i := range c.on {
			r := &c.rows[i]
			r.rc = r.slack*r.lambda + r.ds*r.dl - center
		}
		c.step(p)
		alpha := c.centered(c.reach(p, 0.99))
		if !(alpha > 1e-13) || math.IsNaN(c.dx[0]) {
			break
		}
		if curved {
			climb = 0
			for i, g := range c.grad {
				climb += math.Abs(g * c.dx[i])
			}
		}
		for i, d := range c.dx {
			c.x[i] += alpha * d
		}
		for _, i := range c.on {
			r := &c.rows[i]
			r.slack += alpha * r.ds
			r.lambda += alpha * r.dl
			r.weight = r.lambda
		}
	}
}

// residuals sets the gradient of the Lagrangian and the residuals of the rows, and
// returns the complementarity gap.
func (c *interior) residuals(p program) (gap float64) {
	p.derivatives()
	p.addTransposed(c.grad)
	p.values()
	for _, i := range c.on {
		r := &c.rows[i]
		r.inv = 1 / r.slack
		r.rp = r.value + r.slack - r.rhs
		gap += r.slack * r.lambda
	}
	return gap
}

// step computes the Newton direction for the residuals of complementarity. The
// dense row is eliminated last, its multiplier first.
func (c *interior) step(p program) {
	for _, i := range c.on {
		r := &c.rows[i]
		r.weight = (r.lambda*r.rp - r.rc) * r.inv
	}
	last := &c.rows[len(c.rows)-1]
	last.weight = 0
	copy(c.dx, c.grad)
	p.addTransposed(c.dx)
	for i := range c.dx {
		c.dx[i] = -c.dx[i]
	}
	p.backsolve(c.dx)
	up, down := 0.0, 0.0
	for i, k := range c.last {
		up += k * c.dx[i]
		down += k * c.dir[i]
	}
	dl := (up - last.rc/last.lambda + last.rp) / (down + last.slack/last.lambda)
	for i := range c.dx {
		c.dx[i] -= dl * c.dir[i]
	}
	p.times(c.dx)
	for _, i := range c.on {
		r := &c.rows[i]
		r.ds = -r.rp - r.value
		r.dl = -(r.rc + r.lambda*r.ds) * r.inv
	}
	last.dl = dl
	last.ds = -(last.rc + last.slack*dl) / last.lambda
}

// products returns the sum and the least of the products of slack and multiplier
// after a step.
func (c *interior) products(alpha float64) (sum, least float64) {
	least = math.Inf(1)
	for _, i := range c.on {
		r := &c.rows[i]
		product := (r.slack + alpha*r.ds) * (r.lambda + alpha*r.dl)
		if product < least {
			least = product
		}
		sum += product
	}
	return sum, least
}

// centered shortens a step until no product of slack and multiplier is far
// below their mean: iterates that leave the central path stall at its edge.
func (c *interior) centered(alpha float64) float64 {
	const share = 1e-3
	for range 30 {
		sum, least := c.products(alpha)
		if least >= share*sum/float64(len(c.on)) {
			break
		}
		alpha *= 0.8
	}
	return alpha
}

// reach returns the longest step, at most 1, that uses at most the given share of
// every slack and multiplier and stays in the domain of f.
func (c *interior) reach(p program, share float64) float64 {
	longest := 1.0
	for _, i := range c.on {
		r := &c.rows[i]
		if x := share * r.slack; r.ds*longest < -x {
			longest = -x / r.ds
		}
		if x := share * r.lambda; r.dl*longest < -x {
			longest = -x / r.dl
		}
	}
	return p.domain(longest)
}
