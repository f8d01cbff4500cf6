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
	var sum complex128
	for k := terms; k >= 0; k-- {
		t := h * (float64(k) + offset)
		term := complex(math.Exp(-t*t), 0) / (z2 + complex(t*t, 0))
		if k > 0 || offset > 0 {
			term *= 2
		}
		sum += term
	}
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
