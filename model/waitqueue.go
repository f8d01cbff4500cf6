package model

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// queue holds a system's classes in the order of service, with equal lengths gathered,
// for the transforms of waits at many admission probabilities. Time runs n times as fast
// as outside: rates are divided by n and lengths stay.
type queue struct {
	order    []int // by place; the last is served first
	place    []int // of each class
	rate     []float64
	length   []int // by place, index into lengths
	lengths  []*length
	parallel float64

	lambda    []float64 // by place, as served
	sigma     []float64 // by place, sigma[S] = 0
	saturated int       // place of the class that saturates the server, or -1
	several   bool      // servers, see servers
}

func newQueue(sys System) *queue {
	n := len(sys.Classes)
	q := &queue{
		order: ServiceOrder(sys.Classes), place: make([]int, n), rate: make([]float64, n), length: make([]int, n),
		lambda: make([]float64, n), sigma: make([]float64, n+1), parallel: sys.Parallel,
	}
	for k, i := range q.order {
		c := sys.Classes[i]
		q.place[i], q.rate[k] = k, c.Rate/sys.Parallel
		q.length[k] = -1
		for g, l := range q.lengths {
			if sameLength(l.dist, c.Length) {
				q.length[k] = g
			}
		}
		if q.length[k] < 0 {
			q.length[k] = len(q.lengths)
			q.lengths = append(q.lengths, newLength(c.Length))
		}
	}
	return q
}

// admit sets the rates at which classes are served at admission probabilities
// in class order, and reports whether the queue is stable.
func (q *queue) admit(admit []float64) bool {
	q.saturated = -1
	for k := len(q.order) - 1; k >= 0; k-- {
		b1 := q.lengths[q.length[k]].mean
		q.lambda[k] = admit[q.order[k]] * q.rate[k]
		q.sigma[k] = q.sigma[k+1] + q.lambda[k]*b1
		switch {
		case q.saturated >= 0:
			q.lambda[k], q.sigma[k] = 0, 1
		case q.sigma[k] >= 1:
			q.saturated = k
			q.lambda[k], q.sigma[k] = (1-q.sigma[k+1])/b1, 1
		}
	}
	return q.saturated < 0
}

// transform sets w to the transform of the wait of a class and reports whether
// the class is served at all.
func (q *queue) transform(w *waitTransform, class int) bool {
	place, n := q.place[class], len(q.lengths)
	if w.above == nil {
		buf := make([]float64, 3*n)
		w.above, w.equal, w.below = buf[:n], buf[n:2*n], buf[2*n:]
	}
	clear(w.above)
	clear(w.equal)
	clear(w.below)
	w.lengths = q.lengths
	w.busy = q.sigma[0]
	// If jobs below are part of the first delay, only the class and those above it keep the server busy.
	if q.several {
		w.busy = q.sigma[place]
	}
	w.idle = 1 - w.busy
	for k, rate := range q.lambda {
		switch g := q.length[k]; {
		case k == place:
			w.equal[g] += rate
		case k > place:
			w.above[g] += rate
		case !q.several:
			w.below[g] += rate
		}
	}
	served := place > q.saturated
	w.first = nil
	if served && q.several {
		mean, sd := q.leastResidual(class, nil)
		w.first = newLength(twoMoments(mean, sd))
	}
	return served
}

// waitTransform is the transform of the wait of one class in M/G/1 with
// non-preemptive priorities: with the busy period of the classes served
// before, eta = s + a - a G(s),
//
//	W*(s) = [ (1-rho) eta + sum_below lambda_i (1 - B_i(eta)) ] /
//	        [ s - sum_equal lambda_i (1 - B_i(eta)) ]
//
// (Kleinrock II, 3.26-3.31; Takagi 1991, section 3.2).
//
// Rates are grouped by equal lengths, which are evaluated only once.
type waitTransform struct {
	lengths             []*length
	above, equal, below []float64  // rates by length
	idle, busy          float64    // 1 - rho and rho of the classes that matter
	first               *length    // of several servers: the time until the first is free
	near                [4]*length // likewise with mean and deviation varied, for derivatives
}

// waitPoint is the transform at one argument.
type waitPoint struct {
	root
	eta, tail   complex128 // tail is 1 - W*(s)
	denominator complex128
}

func newWaitPoint(lengths int) *waitPoint { return &waitPoint{root: *newRoot(lengths)} }

// at sets p to the transform at s. The complement 1 - W* is computed directly, as
// [ rho s - (1-rho)(eta-s) - sum_equal - sum_below ] over the same denominator, since W*
// is close to 1 for small s.
func (w *waitTransform) at(p *waitPoint, s complex128) {
	p.eta = p.solve(s, w.lengths, w.above)
	var equal, below complex128
	for i, l := range w.lengths {
		if w.above[i] == 0 {
			p.c[i], p.slope[i] = l.complement(p.eta)
		}
		equal += complex(w.equal[i], 0) * p.c[i]
		below += complex(w.below[i], 0) * p.c[i]
	}
	p.denominator = s - equal
	p.tail = (complex(w.busy, 0)*s - complex(w.idle, 0)*(p.eta-s) - equal - below) / p.denominator
	if w.first != nil {
		c, _ := w.first.complement(p.eta)
		p.tail += (1 - p.tail) * c
	}
}

// atom returns P(W = 0).
func (w *waitTransform) atom() float64 {
	if w.first != nil {
		return 0
	}
	return w.idle
}

// gradient sets dst to dW*/dlambda at the point p for an arrival above, of the class
// itself and below: three parts with an element for each length. Two more elements are,
// with several servers, dW* by the mean and the standard deviation of the time until the
// first is free. From eta = s + sum_above lambda_i (1-B_i(eta)),
//
//	deta/dlambda_j = (1 - B_j(eta)) / (1 - sum_above lambda_i E[X_i exp(-eta X_i)]).
func (w *waitTransform) gradient(dst []complex128, p *waitPoint) {
	n := len(w.lengths)
	above, equal, below := dst[:n], dst[n:2*n], dst[2*n:3*n]
	root, lift, drag := complex(1, 0), complex(w.idle, 0), complex128(0)
	for i := range w.lengths {
		root -= complex(w.above[i], 0) * p.slope[i]
		lift += complex(w.below[i], 0) * p.slope[i]
		drag += complex(w.equal[i], 0) * p.slope[i]
	}
	value := 1 - p.tail
	var first, fall complex128 // 1 - transform of the first delay, and its derivative
	if w.first != nil {
		first, fall = w.first.complement(p.eta)
		value /= 1 - first
	}
	for i, l := range w.lengths {
		idle := complex(-l.mean, 0) * p.eta
		eta := p.c[i] / root
		above[i] = (idle + (lift+value*drag)*eta) / p.denominator
		equal[i] = (idle + value*p.c[i]) / p.denominator
		below[i] = (idle + p.c[i]) / p.denominator
		if w.first != nil {
			above[i] = above[i]*(1-first) - value*fall*eta
			equal[i] *= 1 - first
			below[i] = 0
		}
	}
	for i := range 2 {
		dst[3*n+i] = 0
		if w.near[2*i] != nil {
			more, _ := w.near[2*i].complement(p.eta)
			less, _ := w.near[2*i+1].complement(p.eta)
			dst[3*n+i] = -value * (more - less) / complex(2*nearby*w.size(i), 0)
		}
	}
}

// nearby is the relative distance of differences by the moments of the time until
// the first server is free.
const nearby = 1e-4

// size returns the mean of that time, or its standard deviation.
func (w *waitTransform) size(i int) float64 {
	if i == 0 {
		return w.first.mean
	}
	return SD(w.first.dist)
}

// vary prepares the differences.
func (w *waitTransform) vary() {
	for i := range w.near {
		moments := [2]float64{w.size(0), w.size(1)}
		moments[i/2] *= 1 + nearby*float64(1-2*(i%2))
		w.near[i] = newLength(twoMoments(moments[0], moments[1]))
	}
}

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
// by the transform of the wait. Here R is the least of n residuals of that mixture,
// approximated by two moments. The probability of waiting is Erlang's C(n, n rho).
func (q *queue) servers() float64 {
	rho := q.sigma[0]
	q.several = q.parallel > 1 && rho > 0
	if !q.several || rho >= 1 {
		return 1
	}
	return ErlangC(q.parallel, q.parallel*rho)
}

// leastResidual returns two moments of the time until the first server is free,
// as seen by a class, in the time inside, which runs n times as fast:
// E[R^k] = n^k k int x^(k-1) S(x)^n dx, where S(x) is the probability that one
// residual exceeds x. Unless slope is nil it sets slope[k] to the derivatives of both by
// the rate at each place. They are 0 if all lengths are equal, since the residual then
// does not depend on the rates.
func (q *queue) leastResidual(class int, slope [][2]float64) (mean, sd float64) {
	n := q.parallel
	weights := q.residualWeights(class)
	tail := func(x float64) float64 {
		var s float64
		for i, l := range q.lengths {
			if weights[i] > 0 {
				s += weights[i] * l.dist.Excess(x)
			}
		}
		return math.Min(s, 1)
	}
	// Gauss's rule on intervals that widen with x: S falls fast at first, within the
	// shortest mean over n, and may have a long tail.
	const negligible = 1e-16
	width := math.Inf(1)
	for i, l := range q.lengths {
		if weights[i] > 0 {
			width = math.Min(width, l.mean/n)
		}
	}
	var m1, m2 float64
	by := make([][2]float64, len(q.lengths)) // derivatives of both by weight
	for low, more := 0.0, true; more; low, width = low+width, math.Max(width, 0.5*(low+width)) {
		old1, old2 := m1, m2
		for i, node := range gauss.x {
			x := low + width*node
			t := tail(x)
			s := width * gauss.w[i] * math.Pow(t, n)
			m1 += s
			m2 += 2 * x * s
			if slope == nil || len(by) < 2 || t == 0 {
				continue
			}
			for g, l := range q.lengths {
				ds := n * s / t * l.dist.Excess(x)
				by[g][0] += ds
				by[g][1] += 2 * x * ds
			}
		}
		more = m1-old1 > negligible*m1 || m2-old2 > negligible*m2
	}
	variance := math.Max(m2-m1*m1, 1e-12*m1*m1)
	mean, sd = n*m1, n*math.Sqrt(variance)
	for k := range slope {
		dm := q.weightSlope(class, k, by, weights)
		slope[k] = [2]float64{n * dm[0], n * (dm[1] - 2*m1*dm[0]) / (2 * math.Sqrt(variance))}
	}
	return mean, sd
}

// gauss is the rule of Gauss and Legendre on [0, 1].
var gauss = func() (rule struct{ x, w [12]float64 }) {
	quad.Legendre{}.FixedLocations(rule.x[:], rule.w[:], 0, 1)
	return rule
}()

// twoMoments returns a distribution with a mean and a standard deviation.
func twoMoments(mean, sd float64) Distribution {
	if sd > mean*(1+1e-6) {
		// A gamma would have an infinite density at 0; residuals have a finite one.
		if d, err := newHyperExponential(mean, sd); err == nil {
			return d
		}
	}
	return newGamma(mean, sd)
}

// residualWeights returns the probability that a residual is one of each
// length, over its mean.
func (q *queue) residualWeights(class int) []float64 {
	w := make([]float64, len(q.lengths))
	place, rho := q.place[class], q.sigma[0]
	for k, rate := range q.lambda {
		x := rate / rho / (1 - q.sigma[place])
		if k >= place {
			x *= 1 - rho
		}
		w[q.length[k]] += x
	}
	return w
}

// weightSlope returns the derivatives of two functions of the weights by the
// rate at a place, from those by each weight: with r the weight of a rate,
//
//	dw/dlambda = r' + (equal and above: w b/(1-sigma)) - w b/rho - (equal and above: lambda b/(rho (1-sigma))).
func (q *queue) weightSlope(class, at int, by [][2]float64, weights []float64) (d [2]float64) {
	place, rho := q.place[class], q.sigma[0]
	b, left := q.lengths[q.length[at]].mean, 1-q.sigma[place]
	slope := 1 / (rho * left)
	if at >= place {
		slope *= 1 - rho
	}
	for i := range d {
		d[i] = slope * by[q.length[at]][i]
		for g, w := range weights {
			d[i] -= w * b / rho * by[g][i]
			if at >= place {
				d[i] += w * b / left * by[g][i]
			}
		}
		for k := place; k < len(q.lambda); k++ {
			d[i] -= q.lambda[k] * b / (rho * left) * by[q.length[k]][i]
		}
	}
	return d
}
