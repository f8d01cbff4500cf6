package model

import (
	"fmt"
	"math"
)

// WaitOptions select the queue of Waits. The zero value is the exact M/G/1 queue with
// non-preemptive priorities.
type WaitOptions struct {
	// Multiserver approximates n real servers instead of one server n times
	// as fast: see Waits.
	Multiserver bool
}

// Waits is the distribution of the wait of every class at fixed admission probabilities,
// in the pooled queue, in which one server is n times as fast, for any convention for T0.
// Classes are served by urgency, (14)-(15). The coefficient Phi is not applied: these are
// waits, not priced delays.
//
// If the queue is not stable, the classes above the saturation point have the waits of a
// server that never idles: the class that saturates it counts at the rate at which it is
// served, and the classes below do not count. The others wait for ever. A class of rate 0
// has the wait of a single job.
//
// With WaitOptions.Multiserver the queue has n servers of normal speed. A job waits with
// Erlang's probability C(n, n rho), and then as in the pooled queue, except that the time
// until the first server is free is the least of n residual lengths. This is exact for
// exponential lengths of one mean and an approximation otherwise; docs/theory.md states
// its error.
//
// A Waits may be used by several goroutines at once.
type Waits struct {
	time    float64 // n: time runs n times as fast inside, with lengths as they are
	factor  float64 // of all probabilities that W > t
	noise   float64
	classes []waitClass
}

// waitClass is one class; forever if it is never served.
type waitClass struct {
	waitTransform
	forever bool
	moment  [4]float64 // E[W^k]
}

// NewWaits prepares the waits of a system at admission probabilities admit.
func NewWaits(sys System, admit []float64, options WaitOptions) (*Waits, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	if len(admit) != len(sys.Classes) {
		return nil, fmt.Errorf("model: %d admission probabilities for %d classes", len(admit), len(sys.Classes))
	}
	for i, q := range admit {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("model: class %s is admitted with probability %g, want a number from 0 to 1",
				sys.Classes[i].Name, q)
		}
	}
	w := &Waits{time: sys.Parallel, factor: 1, classes: make([]waitClass, len(admit))}
	q := newQueue(sys)
	q.admit(admit)
	if options.Multiserver {
		w.factor = q.servers()
	}
	least := 1.0
	for i := range w.classes {
		c := &w.classes[i]
		c.forever = !q.transform(&c.waitTransform, i)
		if !c.forever {
			least = math.Min(least, c.slack())
		}
		c.moments()
	}
	w.noise = 1e-15 / least
	return w, nil
}

// Atom returns P(W = 0), the probability that a job of the class does not
// wait.
func (w *Waits) Atom(class int) float64 {
	c := &w.classes[class]
	if c.forever {
		return 0
	}
	return 1 - w.factor*(1-c.atom())
}

// Mean returns E[W], in seconds, +Inf for a class that is never served.
func (w *Waits) Mean(class int) float64 { return w.Moment(class, 1) }

// Moment returns E[W^k] for k = 0 to 3, from the Taylor series of the
// transform, +Inf for a class that is never served.
func (w *Waits) Moment(class, k int) float64 {
	c := &w.classes[class]
	switch {
	case k < 0 || k > 3:
		panic("model: moments of waits are those of order 0 to 3")
	case k == 0:
		return 1
	case c.forever:
		return math.Inf(1)
	}
	return w.factor * c.moment[k] / math.Pow(w.time, float64(k))
}

// TailExcess returns P(W > t) and E[(W - t)^+] and the errors of both. They come from a
// numerical inversion of the transform. Its error is estimated from the results with half
// and all of the terms, rounding and aliasing. It is about 1e-11, relative to 1 and to the
// mean wait, if lengths have a density. A deterministic length causes kinks, with errors
// of about 1e-5 and 1e-8.
//
// Special cases: t < 0 is 1 and E[W] - t, t = 0 is 1 less the atom, t = +Inf is
// 0, NaN is NaN; a class that is never served has 1 and +Inf.
func (w *Waits) TailExcess(class int, t float64) (p, x, perr, xerr float64) {
	c := &w.classes[class]
	mean := w.Mean(class)
	switch {
	case math.IsNaN(t):
		return t, t, t, t
	case c.forever && !math.IsInf(t, 1):
		return 1, math.Inf(1), 0, 0
	case t < 0:
		return 1, mean - t, 0, 0
	case t == 0:
		return 1 - w.Atom(class), mean, 0, 0
	case math.IsInf(t, 1) || mean == 0:
		return 0, 0, 0, 0
	}
	var value, err [2]float64
	// For large t s is small and E[(W-t)^+] is the difference of close numbers.
	noise := w.noise * (1 + t*w.time/(16*c.moment[1]))
	c.invert(accurate(), t*w.time, value[:], err[:], []float64{1, c.moment[1]}, noise)
	// Markov's inequality on third moments bounds both: (w-t)^+ <= 4w^3/27t^2.
	far := c.moment[3] / math.Pow(t*w.time, 3)
	p, perr = clip(value[0], err[0], math.Min(1-c.atom(), far))
	x, xerr = clip(value[1], err[1], math.Min(c.moment[1], 4.0/27*far*t*w.time))
	f := w.factor / w.time
	return w.factor * p, f * x, w.factor * perr, f * xerr
}

// clip moves x into [0, high], which contains the true value, and bounds its error by
// the distance to the ends.
func clip(x, err, high float64) (y, yerr float64) {
	y = math.Min(math.Max(x, 0), high)
	return y, math.Min(err, math.Max(y, high-y))
}

// invert sets value to P(W > t) and E[(W-t)^+] in the units inside.
func (c *waitClass) invert(v inversion, t float64, value, err, scale []float64, noise float64) {
	p := newWaitPoint(len(c.lengths))
	mean := complex(c.moment[1], 0)
	v.invert(t, func(s complex128, dst []complex128) {
		c.at(p, s)
		dst[0] = p.tail / s
		dst[1] = (mean - dst[0]) / s
	}, value, err, scale, noise)
}

// series is a power series in s up to s^4.
type series [5]float64

func (a series) plus(b series, factor float64) series {
	for i, x := range b {
		a[i] += factor * x
	}
	return a
}

func (a series) times(b series) series {
	var c series
	for i, x := range a {
		for j := 0; i+j < len(c); j++ {
			c[i+j] += x * b[j]
		}
	}
	return c
}

// complementSeries returns the series of 1 - B(eta(s)), sum_k (-1)^{k+1} E[X^k]/k! eta^k,
// without its first term in eta unless first is true.
func (l *length) complementSeries(eta series, first bool) series {
	var sum series
	power, sign := eta, 1.0
	for k := 1; k < len(eta); k++ {
		if k > 1 || first {
			sum = sum.plus(power, sign*l.moment[k])
		}
		power, sign = power.times(eta), -sign
	}
	return sum
}

// slack returns (1 - sigma_k)/(1 - sigma_{k+1}). Waits grow without bound as it vanishes.
func (w *waitTransform) slack() float64 {
	above, equal := 0.0, 0.0
	for i, l := range w.lengths {
		above += w.above[i] * l.mean
		equal += w.equal[i] * l.mean
	}
	return 1 - equal/(1-above)
}

// moments sets E[W^k], k = 1 to 3, from the Taylor series of the transform at
// s = 0: W* = sum_k (-s)^k E[W^k]/k!.
func (c *waitClass) moments() {
	if c.forever {
		return
	}
	rho := 0.0
	for i, l := range c.lengths {
		rho += c.above[i] * l.mean
	}
	// eta = s + sum_above lambda_i (1 - B_i(eta)): coefficient m of the terms
	// of second and higher order in eta needs only those below m.
	var eta series
	for m := 1; m < len(eta); m++ {
		var known series
		known[1] = 1
		for i, l := range c.lengths {
			if c.above[i] > 0 {
				known = known.plus(l.complementSeries(eta, false), c.above[i])
			}
		}
		eta[m] = known[m] / (1 - rho)
	}
	var equal, below series
	for i, l := range c.lengths {
		full := l.complementSeries(eta, true)
		equal = equal.plus(full, c.equal[i])
		below = below.plus(full, c.below[i])
	}
	// 1 - W* = [ rho s - (1-rho)(eta-s) - equal - below ] / [ s - equal ], both
	// divided by s.
	var top, bottom series
	for i := 1; i < len(eta); i++ {
		top[i-1] = -c.idle*eta[i] - equal[i] - below[i]
		bottom[i-1] = -equal[i]
	}
	top[0] += c.busy + c.idle
	bottom[0]++
	// The rest of order 0 is rounding: W*(0) = 1.
	top[0] = 0
	tail := top.over(bottom)
	value := series{1}.plus(tail, -1)
	if c.first != nil {
		tail = tail.plus(value.times(c.first.complementSeries(eta, true)), 1)
	}
	c.moment = [4]float64{1, tail[1], -2 * tail[2], 6 * tail[3]}
}

// over returns a/b for a series b that does not begin with 0.
func (a series) over(b series) series {
	var q series
	for i := range a {
		x := a[i]
		for j := 0; j < i; j++ {
			x -= q[j] * b[i-j]
		}
		q[i] = x / b[0]
	}
	return q
}

// Quantile returns the least t with P(W <= t) >= q, in seconds.
//
// Special cases: q at most the atom at 0, and q = 0, is 0; q = 1 is +Inf unless
// jobs never wait, and so is every q > 0 for a class that is never served. It
// is an error if q is not a number from 0 to 1, and if 1 - q is below the error of
// P(W > t).
func (w *Waits) Quantile(class int, q float64) (float64, error) {
	switch {
	case !(q >= 0 && q <= 1):
		return math.NaN(), fmt.Errorf("model: quantile of %g, want a number from 0 to 1", q)
	case q <= w.Atom(class) || q == 0:
		return 0, nil
	case q == 1 || w.classes[class].forever:
		return math.Inf(1), nil
	}
	tail := 1 - q
	t := w.nearQuantile(class, tail)
	// A few steps of the secant with the accurate tail, whose logarithm is
	// nearly linear.
	gap, err := w.logTail(class, t, tail, accurate())
	near := t * (1 + 1e-6)
	for range 8 {
		var g float64
		g, err = w.logTail(class, near, tail, accurate())
		next := near - g*(near-t)/(g-gap)
		if !(next > 0.5*near && next < 2*near) || math.Abs(g) < 1e-13 {
			break
		}
		t, gap, near = near, g, next
		if math.Abs(near-t) <= 1e-11*near {
			break
		}
	}
	if !(err <= 0.1*tail) {
		return math.NaN(), fmt.Errorf("model: the quantile of %g lies where P(W > t) is known only to %.0e", q, err)
	}
	return near, nil
}

// logTail returns log(P(W > t)/tail) and the error of P.
func (w *Waits) logTail(class int, t, tail float64, v inversion) (g, err float64) {
	c := &w.classes[class]
	var value, errs [2]float64
	c.invert(v, t*w.time, value[:], errs[:], []float64{1, math.Inf(1)}, w.noise)
	p := w.factor * value[0]
	if p <= 0 {
		return math.Inf(-1), w.factor * errs[0]
	}
	return math.Log(p / tail), w.factor * errs[0]
}

// nearQuantile returns t with P(W > t) about tail, by false position (Illinois), which
// keeps its bracket, on quick tails.
func (w *Waits) nearQuantile(class int, tail float64) float64 {
	lo, glo := 0.0, math.Log((1-w.Atom(class))/tail)
	hi := w.Mean(class)
	ghi, _ := w.logTail(class, hi, tail, quick())
	for range 60 {
		if ghi <= 0 {
			break
		}
		lo, glo = hi, ghi
		hi *= 2
		ghi, _ = w.logTail(class, hi, tail, quick())
	}
	for range 60 {
		t := lo + (hi-lo)/2
		if !math.IsInf(ghi, 0) {
			t = lo + (hi-lo)*glo/(glo-ghi)
		}
		if !(t > lo && t < hi) || hi-lo <= 1e-9*hi {
			break
		}
		g, _ := w.logTail(class, t, tail, quick())
		switch {
		case math.Abs(g) <= 1e-9:
			return t
		case g > 0:
			lo, glo = t, g
			ghi /= 2
		default:
			hi, ghi = t, g
			glo /= 2
		}
	}
	return hi
}
