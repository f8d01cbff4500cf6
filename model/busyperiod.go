package model

import (
	"math"
	"math/cmplx"
)

// BusyPeriod returns G(s) = E[exp(-s Y)], Re s >= 0, the transform of the time
// Y that a server stays busy after one job has come, where jobs of length i
// come as a Poisson stream of the given rate. It is the root in the unit disc
// of
//
//	G = A(s + a - a G),   a = sum rates,  A = sum rates_i B_i / a
//
// (Takacs 1962; Kleinrock I, 5.137). Special cases: without arrivals it is the
// transform of no time, 1. From utilization 1 on the busy period may never
// end; G is then defined for Re s > 0.
func BusyPeriod(s complex128, rates []float64, lengths []Distribution) complex128 {
	if len(rates) != len(lengths) {
		panic("model: as many rates as lengths are needed")
	}
	r := newRoot(len(rates))
	prepared := make([]*length, len(lengths))
	a := 0.0
	for i, d := range lengths {
		prepared[i] = newLength(d)
		a += rates[i]
	}
	if a == 0 {
		return 1
	}
	return 1 - (r.solve(s, prepared, rates)-s)/complex(a, 0)
}

// root finds eta = s + a - a G(s), the root of
//
//	f(eta) = eta - s - sum_i rate_i (1 - B_i(eta)).
//
// Written in the complements 1 - B_i it loses nothing to cancellation in heavy
// traffic, where G is close to 1. Where the utilization is rho < 1,
// |f' - 1| <= rho in the half-plane Re eta >= Re s, which is convex and holds
// the root: so the root is unique, f' never vanishes, and Newton's direction
// always leads downhill in |f|.
type root struct {
	c, slope []complex128 // complements at the root and their derivatives

	last, before complex128 // roots at the arguments before
	seen         int
}

func newRoot(lengths int) *root {
	buf := make([]complex128, 2*lengths)
	return &root{c: buf[:lengths], slope: buf[lengths:]}
}

// solve returns eta at s, and leaves the complements of the lengths with a
// positive rate, and their derivatives, in r.c and r.slope. Arguments evenly
// spaced along a line are fastest: each starts from the extrapolation of the
// two before.
func (r *root) solve(s complex128, lengths []*length, rates []float64) complex128 {
	eta := r.start(s, lengths, rates)
	f, slope := r.evaluate(eta, s, lengths, rates)
	const most = 200
	for range most {
		step := -f / slope
		if cmplx.Abs(step) <= 1e-9*cmplx.Abs(eta) {
			// Newton squares the error, which takes eta to rounding; so does
			// the first order for the complements.
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

// start returns where to begin: by extrapolation, or s plus what comes during
// a first job. On the real line the root lies below s/(1-rho) and s + a, and
// f is convex, so that Newton from there descends to it.
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
