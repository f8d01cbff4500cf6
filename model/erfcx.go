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
