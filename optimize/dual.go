package optimize

import "math"

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
