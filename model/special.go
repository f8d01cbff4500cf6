package model

import (
	"math"
	"math/cmplx"
)

// erfcx returns the scaled complementary error function exp(z^2) erfc(z) for
// Re z >= 0, by the trapezoidal rule with the residue of the pole of its
// integrand added (Matta & Reichel 1971; Al Azah & Chandler-Wilde 2021):
//
//	exp(z^2) erfc(z) = (z/pi) Int exp(-t^2)/(z^2+t^2) dt.
//
// Of the rule's two grids, t = kh and t = (k+1/2)h, the one whose nodes are
// farther from the poles t = +-iz is used. The absolute error is near 1e-15.
func erfcx(z complex128) complex128 {
	if cmplx.Abs(z) > 1e8 {
		return 1 / (z * complex(math.SqrtPi, 0))
	}
	const (
		h     = 0.5
		terms = 14
	)
	offset := 0.0
	if f := math.Abs(math.Remainder(imag(z), h)); f < h/4 {
		offset = 0.5
	}
	z2 := z * z
	// exp(-t^2) on the grid by its ratios, whose own ratio is exp(-2h^2): no
	// call in the loop, and no general complex division.
	t := h * offset
	gauss, ratio, step := math.Exp(-t*t), math.Exp(-h*(2*t+h)), math.Exp(-2*h*h)
	var re, im float64
	for k := 0; k <= terms; k++ {
		weight := 2 * gauss
		if k == 0 && offset == 0 {
			weight = gauss
		}
		x, y := real(z2)+t*t, imag(z2)
		weight /= x*x + y*y
		re += weight * x
		im -= weight * y
		t += h
		gauss *= ratio
		ratio *= step
	}
	sum := complex(re, im)
	sum *= z * complex(h/math.Pi, 0)
	if real(z) < math.Pi/h {
		// The pole: 2 exp(z^2) / (1 - exp(2 pi z/h)), with the sign of the
		// exponential turned on the midpoint grid.
		e := cmplx.Exp(complex(2*math.Pi/h, 0) * z)
		if offset > 0 {
			e = -e
		}
		sum += 2 * cmplx.Exp(z2) / (1 - e)
	}
	return sum
}

// realErfcx returns exp(x^2) erfc(x) for real x, +Inf where that overflows.
func realErfcx(x float64) float64 {
	if x < 2 {
		return math.Exp(x*x) * math.Erfc(x)
	}
	return real(erfcx(complex(x, 0)))
}

// normalQuantile returns Phi^-1(p) for 0 < p < 1: math.Erfcinv with one step of
// Halley's method, which restores the digits that it loses for small p.
func normalQuantile(p float64) float64 {
	if p > 0.5 {
		return -normalQuantile(1 - p)
	}
	z := -math.Sqrt2 * math.Erfcinv(2*p)
	if p < 1e-12 {
		// Phi(-z) is about exp(-z^2/2)/(z sqrt(2 pi)).
		l := -2 * math.Log(p)
		z = -math.Sqrt(l - math.Log(l) - math.Log(2*math.Pi))
	}
	for range 3 {
		// (Phi(z) - p)/phi(z), by Mills' ratio.
		off := math.Sqrt(math.Pi/2)*realErfcx(-z/math.Sqrt2) - p*math.Sqrt(2*math.Pi)*math.Exp(z*z/2)
		d := off / (1 + z*off/2)
		z -= d
		if math.Abs(d) <= 1e-16*math.Abs(z) {
			break
		}
	}
	return z
}

// lambertW returns the principal branch of W(z), w e^w = z, for Re z >= 0 by
// Halley's iteration.
func lambertW(z complex128) complex128 {
	w := cmplx.Log(1 + z)
	if cmplx.Abs(z) > 10 {
		w -= cmplx.Log(w)
	}
	for range 50 {
		e := cmplx.Exp(w)
		f := w*e - z
		d := f / (e*(w+1) - (w+2)*f/(2*w+2))
		w -= d
		if cmplx.Abs(d) <= 1e-15*(1+cmplx.Abs(w)) {
			break
		}
	}
	return w
}

// log1p returns log(1+z), accurate for small z, for Re z >= 0.
func log1p(z complex128) complex128 {
	re, im := real(z), imag(z)
	return complex(0.5*math.Log1p(2*re+re*re+im*im), math.Atan2(im, 1+re))
}

// expm1 returns exp(z) - 1, accurate for small z.
func expm1(z complex128) complex128 {
	re, im := real(z), imag(z)
	sin, cos := math.Sincos(im)
	half := math.Sin(im / 2)
	e := math.Expm1(re)
	return complex(e*cos-2*half*half, (1+e)*sin)
}
