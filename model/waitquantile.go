package model

import (
	"fmt"
	"math"
)

// Quantile returns the least t with P(W <= t) >= q, in seconds.
//
// Special cases: q at most the atom at 0, and q = 0, is 0; q = 1 is +Inf unless
// jobs never wait, and so is every q > 0 for a class that is never served. It
// is an error if q is not a number from 0 to 1, and if 1 - q is so small that
// the error of P(W > t) would drown it.
func (w *Waits) Quantile(class int, q float64) (float64, error) {
	switch {
	case !(q >= 0 && q <= 1):
		return math.NaN(), fmt.Errorf("model: quantile of %g, want a number from 0 to 1", q)
	case q <= w.Atom(class) || q == 0:
		return 0, nil
	case q == 1 || w.classes[class].forever:
		return math.Inf(1), nil
	}
	rest := 1 - q
	t := w.nearQuantile(class, rest)
	// A few steps of the secant with the accurate tail, whose logarithm is
	// nearly linear.
	gap, err := w.logTail(class, t, rest, accurate())
	near := t * (1 + 1e-6)
	for range 8 {
		var g float64
		g, err = w.logTail(class, near, rest, accurate())
		next := near - g*(near-t)/(g-gap)
		if !(next > 0.5*near && next < 2*near) || math.Abs(g) < 1e-13 {
			break
		}
		t, gap, near = near, g, next
		if math.Abs(near-t) <= 1e-11*near {
			break
		}
	}
	if !(err <= 0.1*rest) {
		return math.NaN(), fmt.Errorf("model: the quantile of %g lies where P(W > t) is known only to %.0e", q, err)
	}
	return near, nil
}

// logTail returns log(P(W > t)/rest) and the error of P.
func (w *Waits) logTail(class int, t, rest float64, v inversion) (g, err float64) {
	c := &w.classes[class]
	var value, errs [2]float64
	c.invert(v, t*w.time, value[:], errs[:], []float64{1, math.Inf(1)}, w.noise)
	p := w.factor * value[0]
	if p <= 0 {
		return math.Inf(-1), w.factor * errs[0]
	}
	return math.Log(p / rest), w.factor * errs[0]
}

// nearQuantile returns t with P(W > t) = rest, nearly: by false position
// (Illinois), which keeps its bracket, on quick tails.
func (w *Waits) nearQuantile(class int, rest float64) float64 {
	lo, glo := 0.0, math.Log((1-w.Atom(class))/rest)
	hi := w.Mean(class)
	ghi, _ := w.logTail(class, hi, rest, quick())
	for range 60 {
		if ghi <= 0 {
			break
		}
		lo, glo = hi, ghi
		hi *= 2
		ghi, _ = w.logTail(class, hi, rest, quick())
	}
	for range 60 {
		t := lo + (hi-lo)/2
		if !math.IsInf(ghi, 0) {
			t = lo + (hi-lo)*glo/(glo-ghi)
		}
		if !(t > lo && t < hi) || hi-lo <= 1e-9*hi {
			break
		}
		g, _ := w.logTail(class, t, rest, quick())
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
