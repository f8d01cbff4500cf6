package model

import "math"

// servers turns the queue into an approximation of n real servers and returns
// the probability that a job must wait.
//
// Once all servers are busy, jobs leave n servers about as they leave one
// that is n times as fast, except that the first to leave is the least of n
// residual lengths and not one of them over n (Tijms, van Hoorn & Federgruen
// 1981, for FCFS). In the pooled queue the wait of a job that finds the server
// busy is T(R + V), where R is a residual length, V the stationary work of the
// job's class and those above it, independent of R, and T(x) the time to clear x
// while more urgent jobs come. R belongs to a job of class j with probability
//
//	rho_j (1-rho) / (rho (1-sigma_k))   for the class and those above,
//	rho_j / (rho (1-sigma_k))           for those below,
//
// as the transform of the wait says. Here R is the least of n residuals of
// that mixture, of which only two moments are kept. The probability of waiting
// is Erlang's C(n, n rho).
func (q *queue) servers() float64 {
	rho := q.sigma[0]
	if q.parallel <= 1 || rho == 0 {
		return 1
	}
	q.several = true
	if rho >= 1 {
		return 1
	}
	return ErlangC(q.parallel, q.parallel*rho)
}

// leastResidual returns the time until the first server is free, as seen by a
// class, in the time inside, which runs n times as fast:
// E[R^k] = n^k k int x^(k-1) S(x)^n dx, where S(x) is the probability that one
// residual exceeds x. It is a distribution with these two moments.
func (q *queue) leastResidual(class int, d Discipline) Distribution {
	n := q.parallel
	weights := q.residualWeights(class, d)
	power := func(x float64) float64 { return math.Pow(q.residualTail(x, weights), n) }
	end := 0.0
	for k := range q.order {
		end = math.Max(end, q.lengths[q.length[k]].mean/n)
	}
	for range 60 {
		if power(end) < 1e-11 {
			break
		}
		end *= 1.5
	}
	// Simpson's rule; the integrand is smooth, at worst of degree n.
	const cells = 128
	h := end / cells
	var m1, m2 float64
	for i := range cells + 1 {
		w := 2 + 2*float64(i%2)
		if i == 0 || i == cells {
			w = 1
		}
		x := float64(i) * h
		s := w * h / 3 * power(x)
		m1 += s
		m2 += 2 * x * s
	}
	mean, sd := n*m1, n*math.Sqrt(math.Max(m2-m1*m1, 1e-12*m1*m1))
	if sd > mean*(1+1e-6) {
		// A gamma would have an infinite density at 0, which residuals have not.
		if d, err := newHyperExponential(mean, sd); err == nil {
			return d
		}
	}
	return newGamma(mean, sd)
}

// residualWeights returns the probability that a residual is one of each
// length, over its mean.
func (q *queue) residualWeights(class int, d Discipline) []float64 {
	w := make([]float64, len(q.lengths))
	place, rho := q.place[class], q.sigma[0]
	for k, rate := range q.lambda {
		x := rate / rho
		if d != FCFS {
			x /= 1 - q.sigma[place]
			if k >= place {
				x *= 1 - rho
			}
		}
		w[q.length[k]] += x
	}
	return w
}

// residualTail returns the probability that the residual length of a job in
// service exceeds x: sum_i weights_i E[(X_i - x)^+].
func (q *queue) residualTail(x float64, weights []float64) float64 {
	if x == 0 {
		return 1
	}
	var value, err [1]float64
	quick().invert(x, func(s complex128, dst []complex128) {
		dst[0] = 0
		for i, l := range q.lengths {
			if weights[i] > 0 {
				c, _ := l.complement(s)
				dst[0] += complex(weights[i], 0) * (complex(l.mean, 0) - c/s) / s
			}
		}
	}, value[:], err[:], []float64{1}, 1e-15)
	return math.Min(math.Max(value[0], 0), 1)
}
