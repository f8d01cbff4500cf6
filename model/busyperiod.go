package model

import (
	"math"
	"math/cmplx"
)

// root finds eta = s + a - a G(s), where G is the transform of a busy period: the time
// that a server stays busy after one job has come, while jobs of length i come as a
// Poisson stream of rate_i, a = sum rate_i (Takacs 1962; Kleinrock I, 5.137). It is the
// root of
//
//	f(eta) = eta - s - sum_i rate_i (1 - B_i(eta)).
//
// Written in the complements 1 - B_i it loses nothing to cancellation in heavy traffic,
// where G is close to 1. At utilization rho < 1, |f' - 1| <= rho in the half-plane
// Re eta >= Re s, which is convex and contains the root: so the root is unique, f' never
// vanishes, and Newton's direction always leads downhill in |f|.
type root struct {
	c, slope []complex128 // complements at the root and their derivatives

	last, before complex128 // roots at the previous two arguments
	seen         int
}

func newRoot(lengths int) *root {
	buf := make([]complex128, 2*lengths)
	return &root{c: buf[:lengths], slope: buf[lengths:]}
}

// solve returns eta at s, and sets r.c and r.slope to the complements of the lengths with
// a positive rate and their derivatives. Arguments evenly spaced along a line are
// fastest: each starts from the extrapolation of the previous two.
func (r *root) solve(s complex128, lengths []*length, rates []float64) complex128 {
	eta := r.start(s, lengths, rates)
	f, slope := r.evaluate(eta, s, lengths, rates)
	const most = 200
	for range most {
		step := -f / slope
		if cmplx.Abs(step) <= 1e-9*cmplx.Abs(eta) {
			// Newton squares the error, which brings eta to rounding; the first order
			// does so for the complements.
			for i := range r.c {
				r.c[i] += r.slope[i] * step
			}
			eta += step
			break
		}
		eta, f, slope = r.advance(eta, step, f, s, lengths, rates)
	}
	r.before, r.last = r.last, eta
	r.seen++
	return eta
}

// advance takes Newton's step, or the part of it that does not raise |f|.
func (r *root) advance(eta, step, f, s complex128, lengths []*length, rates []float64) (at, fAt, slope complex128) {
	old := cmplx.Abs(f)
	for range 60 {
		at = eta + step
		if real(at) < real(s) {
			at = complex(real(s), imag(at))
		}
		fAt, slope = r.evaluate(at, s, lengths, rates)
		if cmplx.Abs(fAt) < old {
			break
		}
		step /= 2
	}
	return at, fAt, slope
}

// evaluate returns f and its derivative.
func (r *root) evaluate(eta, s complex128, lengths []*length, rates []float64) (f, slope complex128) {
	f, slope = eta-s, 1
	for i, rate := range rates {
		if rate > 0 {
			r.c[i], r.slope[i] = lengths[i].complement(eta)
			f -= complex(rate, 0) * r.c[i]
			slope -= complex(rate, 0) * r.slope[i]
		} else {
			r.c[i], r.slope[i] = 0, 0
		}
	}
	return f, slope
}

// start returns the first iterate: an extrapolation, or one step from s. On the real line
// the root lies below s/(1-rho) and s + a, and f is convex, so that Newton descends to
// it.
func (r *root) start(s complex128, lengths []*length, rates []float64) complex128 {
	if r.seen >= 2 {
		if eta := 2*r.last - r.before; real(eta) >= real(s) {
			return eta
		}
	}
	var a, rho float64
	for i, rate := range rates {
		a += rate
		rho += rate * lengths[i].mean
	}
	if imag(s) == 0 {
		if high := real(s) + a; rho < 1 {
			return complex(math.Min(high, real(s)/(1-rho)), 0)
		}
		return s + complex(a, 0)
	}
	f, _ := r.evaluate(s, s, lengths, rates)
	return s - f
}
