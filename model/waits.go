package model

import (
	"fmt"
	"math"
)

// WaitOptions say which queue to compute waits of. The zero value is the exact
// M/G/1 queue with non-preemptive priorities.
type WaitOptions struct {
	Discipline Discipline
	// Multiserver approximates n real servers instead of one server n times
	// as fast: see Waits.
	Multiserver bool
}

// Waits is the distribution of the wait of every class at fixed admission
// probabilities: of the pooled queue, in which one server is n times as fast,
// whatever the system's convention for T0. Classes are served by urgency,
// (14)-(15), unless the discipline says otherwise. The coefficient Phi is not
// applied: these are waits, not priced delays.
//
// Where more is admitted than can be served the classes above the saturation
// point have proper waits, of a server that never idles: the class that
// saturates it counts at the rate at which it is served, and those below not
// at all. The others wait for ever. A class of rate 0 has the wait that a
// single job would see.
//
// With WaitOptions.Multiserver the queue is n servers of normal speed. A job
// waits with Erlang's probability C(n, n rho), and then as in the pooled queue
// but for the time until the first server is free, the least of n residual
// lengths. That is exact for exponential lengths of one mean and an
// approximation elsewhere, whose error docs/theory.md states. With preemption
// it is refused.
//
// A Waits may be used by several goroutines at once.
type Waits struct {
	time    float64 // n: time runs n times as fast inside, with lengths as they are
	factor  float64 // of all probabilities that W > t
	noise   float64
	classes []waitClass
}

// waitClass is one class; forever where it is never served.
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
			return nil, fmt.Errorf("model: class %s is admitted with probability %g, want a number from 0 to 1", sys.Classes[i].Name, q)
		}
	}
	if options.Multiserver && options.Discipline == PreemptiveResume {
		return nil, fmt.Errorf("model: no approximation of preemptive waits with several servers")
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
		c.forever = !q.transform(&c.waitTransform, i, options.Discipline)
		if !c.forever {
			least = math.Min(least, c.slack())
		}
		c.moments()
	}
	w.noise = 1e-15 / least
	return w, nil
}

// Len returns the number of classes.
func (w *Waits) Len() int { return len(w.classes) }

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

// Tail returns P(W > t) and a bound of its error, see TailExcess.
func (w *Waits) Tail(class int, t float64) (p, err float64) {
	p, _, err, _ = w.TailExcess(class, t)
	return p, err
}

// Excess returns E[(W - t)^+], in seconds, and a bound of its error, see
// TailExcess.
func (w *Waits) Excess(class int, t float64) (x, err float64) {
	_, x, _, err = w.TailExcess(class, t)
	return x, err
}

// TailExcess returns P(W > t) and E[(W - t)^+] and the errors of both. They
// come from a numerical inversion of the transform, whose error is estimated
// from two results with half and all of the terms, rounding and aliasing. It
// is some 1e-11, relative to 1 and to the mean wait, where lengths have a
// density; a deterministic length puts kinks into the distribution, at which
// it is about 1e-5 and 1e-8, and with preemption jumps, at which it is as large
// as half the jump.
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
	// Far out, where s is small, E[(W-t)^+] is the difference of close numbers.
	noise := w.noise * (1 + t*w.time/(16*c.moment[1]))
	c.invert(accurate(), t*w.time, value[:], err[:], []float64{1, c.moment[1]}, noise)
	// Markov's inequality on third moments bounds both: (w-t)^+ <= 4w^3/27t^2.
	far := c.moment[3] / math.Pow(t*w.time, 3)
	p, perr = clip(value[0], err[0], math.Min(1-c.atom(), far))
	x, xerr = clip(value[1], err[1], math.Min(c.moment[1], 4.0/27*far*t*w.time))
	f := w.factor / w.time
	return w.factor * p, f * x, w.factor * perr, f * xerr
}

// clip moves x into [0, high], which holds the true value, and bounds its
// error by what is left of that.
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
