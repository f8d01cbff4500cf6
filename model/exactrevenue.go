package model

import "math"

// Exact is the revenue of a system under the utility (2)-(4) with both
// corners, from the distribution of the waits. With Phi the delay coefficient
// of (30), a class earns per admitted job
//
//	E[price - min(decay (Phi W - grace)^+, price + floor)]
//	  = price - decay Phi (X(grace/Phi) - X(corner/Phi)),   X(a) = E[(W - a)^+],
//
// where corner = grace + (price + floor)/decay is the delay at which the penalty is
// largest. W is the wait with non-preemptive priorities, of several real servers for
// model.Multiserver, see WaitOptions, and of the pooled queue for the other conventions.
// Jobs do not expire. Prices, graces and floors that scale with a job's length enter by
// their class means.
//
// An Exact has scratch space: it must not be used by two goroutines at once.
type Exact struct {
	sys     System
	queue   *queue
	utility []Utility // by class
	wait    waitClass // scratch
	slope   []float64 // by class: of what was evaluated last
	noise   float64

	servers bool         // several real ones
	factor  float64      // of all probabilities that W > t: that of waiting at all
	rise    float64      // its derivative by the utilization
	first   [][2]float64 // by place: derivatives of the first delay, see leastResidual
}

// NewExact prepares a system for evaluation.
func NewExact(sys System) (*Exact, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	e := &Exact{
		sys: sys, queue: newQueue(sys), slope: make([]float64, len(sys.Classes)),
		servers: sys.Residual == Multiserver, factor: 1,
	}
	if e.servers {
		e.first = make([][2]float64, len(sys.Classes))
	}
	for _, c := range sys.Classes {
		e.utility = append(e.utility, c.Utility(c.Length.Mean(), c.Width.Mean()))
	}
	return e, nil
}

// Len returns the number of classes.
func (e *Exact) Len() int { return len(e.utility) }

// Utilization returns the utilization by all classes at admission probabilities q; it
// exceeds 1 if the queue is not stable.
func (e *Exact) Utilization(q []float64) float64 {
	var sum float64
	for i, c := range e.sys.Classes {
		sum += q[i] * c.Rate * c.Length.Mean()
	}
	return sum / e.sys.Parallel
}

// Revenue returns the mean revenue in dollars per second at admission
// probabilities q and a bound of its error. A queue that is not stable has
// revenue -Inf.
func (e *Exact) Revenue(q []float64) (r, err float64) {
	per := make([]float64, e.Len())
	err = e.classRevenue(per, q, accurate())
	for _, x := range per {
		r += x
	}
	return r, err
}

// ClassRevenue sets dst to the revenue of each class and returns dst. Their
// sum is Revenue(q).
func (e *Exact) ClassRevenue(dst, q []float64) []float64 {
	e.classRevenue(dst, q, accurate())
	return dst
}

func (e *Exact) classRevenue(dst, q []float64, v inversion) (err float64) {
	if !e.admit(q) {
		for i := range dst {
			dst[i] = math.Inf(-1)
		}
		return 0
	}
	for i, c := range e.sys.Classes {
		rate := q[i] * c.Rate
		dst[i] = 0
		if rate > 0 {
			loss, lossErr := e.loss(i, v, nil)
			dst[i] = rate * (e.utility[i].Base - loss)
			err += rate * lossErr
		}
	}
	return err
}

// Gradient sets dst to dR/dlambda_s, the value of one more admitted job of a class in
// dollars, at admission probabilities q of a stable queue, and returns R. Both are good
// to about seven digits, and take a tenth of the time of Revenue. The derivatives are
// those of the transform, inverted. If the queue is not stable it returns -Inf and sets
// dst to NaN.
func (e *Exact) Gradient(dst, q []float64) float64 {
	if !e.admit(q) {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return math.Inf(-1)
	}
	clear(dst)
	var r float64
	for i, c := range e.sys.Classes {
		rate := q[i] * c.Rate
		var slope []float64
		if rate > 0 {
			slope = e.slope
			clear(slope)
		}
		loss, _ := e.loss(i, quick(), slope)
		net := e.utility[i].Base - loss
		r += rate * net
		dst[i] += net
		if rate > 0 {
			for k, x := range slope {
				dst[k] -= rate * x
			}
		}
	}
	return r
}

// admit prepares the rates and reports whether the queue is stable.
func (e *Exact) admit(q []float64) bool {
	if len(q) != e.Len() {
		panic("model: length of admission vector is not the number of classes")
	}
	stable := e.queue.admit(q)
	if e.servers {
		e.factor, e.rise = e.queue.servers(), 0
		if n, rho := e.sys.Parallel, e.queue.sigma[0]; e.queue.several && rho < 1 {
			e.rise = n * erlangCSlope(n, n*rho)
		}
	}
	return stable
}

// prepare sets e.wait to the wait of a class.
func (e *Exact) prepare(class int) bool {
	e.wait.forever = !e.queue.transform(&e.wait.waitTransform, class)
	if e.wait.forever {
		return false
	}
	e.wait.moments()
	e.noise = 1e-15 / e.wait.slack()
	e.wait.near = [4]*length{}
	if e.queue.several && len(e.queue.lengths) > 1 {
		e.queue.leastResidual(class, e.first)
		e.wait.vary()
	}
	return true
}

// loss returns the mean loss of a job of the class and its error, and adds its
// derivatives by admitted rates to slope unless that is nil.
func (e *Exact) loss(class int, v inversion, slope []float64) (loss, err float64) {
	u, phi := e.utility[class], e.sys.DelayCoefficient()
	if u.Decay == 0 || u.Corner() == u.Grace {
		return 0, 0
	}
	e.prepare(class)
	for _, corner := range []struct{ delay, sign float64 }{{u.Grace, 1}, {u.Corner(), -1}} {
		if math.IsInf(corner.delay, 1) {
			continue
		}
		weight := u.Decay * phi * corner.sign
		x, xerr := e.at(class, corner.delay/phi, v, sensitivity{slope, weight})
		loss += weight * x
		err += math.Abs(weight) * xerr
	}
	return loss, err
}

// sensitivity collects derivatives by admitted rates.
type sensitivity struct {
	slope  []float64 // by class; nil asks for none
	weight float64   // factor of the added derivatives
}

// at returns E[(W-t)^+] of the prepared class and its error, and adds derivatives to those
// in to.
func (e *Exact) at(class int, t float64, v inversion, to sensitivity) (x, err float64) {
	c, n, groups := &e.wait, e.sys.Parallel, len(e.queue.lengths)
	mean := c.moment[1]
	if t <= 0 { // below 0 where a deadline is shorter than the job
		e.addMeanSlopes(class, to)
		e.addRise(to, mean/n)
		return e.factor*mean/n - t, 0
	}
	dims := 1
	if to.slope != nil {
		dims += 3*groups + 2
	}
	value := make([]float64, dims)
	// An empty queue has mean 0, which is no scale for an error.
	errs, scale := make([]float64, 1), []float64{math.Max(mean, 1e-9*t*n)}
	p := newWaitPoint(groups)
	v.invert(t*n, func(s complex128, dst []complex128) {
		c.at(p, s)
		dst[0] = (complex(mean, 0) - p.tail/s) / s
		if to.slope == nil {
			return
		}
		c.gradient(dst[1:], p)
		factor := 1 / (s * s)
		for i := range dst[1:] {
			dst[1+i] *= factor
		}
	}, value, errs, scale, e.noise)
	e.addSlopes(class, to, value[1:])
	x = value[0] / n
	e.addRise(to, x)
	return e.factor * x, e.factor * errs[0] / n
}

// addRise adds the derivatives of the probability of waiting, times the value for jobs
// that wait.
func (e *Exact) addRise(to sensitivity, value float64) {
	if to.slope == nil || e.rise == 0 {
		return
	}
	for i, c := range e.sys.Classes {
		to.slope[i] += to.weight * e.rise * c.Length.Mean() / e.sys.Parallel * value
	}
}

// addSlopes adds derivatives by length and side of the class to those by
// class. The transform of E[(W-t)^+] = E[W] - int_0^t P(W > u) du holds
// the derivative of the mean besides that of the transform.
func (e *Exact) addSlopes(class int, to sensitivity, value []float64) {
	if to.slope == nil {
		return
	}
	groups, place := len(e.queue.lengths), e.queue.place[class]
	unit := e.factor * to.weight / e.sys.Parallel / e.sys.Parallel
	e.addMeanSlopes(class, to)
	for k, i := range e.queue.order {
		at := e.queue.length[k]
		switch {
		case k == place:
			at += groups
		case k < place:
			at += 2 * groups
		}
		to.slope[i] += unit * value[at]
		if e.queue.several && groups > 1 {
			to.slope[i] += unit * (e.first[k][0]*value[3*groups] + e.first[k][1]*value[3*groups+1])
		}
	}
}

// addMeanSlopes adds dE[W]/dlambda, with E[W] = T0/(d d'), d = 1-sigma_k,
// d' = 1-sigma_{k+1}, T0 = 1/2 sum lambda b2. With several servers T0 is that of
// the class and those above it, and the first delay over d' is added.
func (e *Exact) addMeanSlopes(class int, to sensitivity) {
	if to.slope == nil {
		return
	}
	place, unit := e.queue.place[class], e.factor*to.weight/(e.sys.Parallel*e.sys.Parallel)
	d, above := 1-e.queue.sigma[place], 1-e.queue.sigma[place+1]
	mean, several := e.wait.moment[1], e.queue.several
	for k, i := range e.queue.order {
		l := e.queue.lengths[e.queue.length[k]]
		x := l.moment[2] / (d * above)
		if several && k < place {
			x = 0
		}
		queued := mean
		if several {
			queued -= e.wait.first.mean / above
		}
		if k >= place {
			x += queued * l.mean / d
		}
		if k > place {
			x += mean * l.mean / above
		}
		if several && len(e.queue.lengths) > 1 {
			x += e.first[k][0] / above
		}
		to.slope[i] += unit * x
	}
}
