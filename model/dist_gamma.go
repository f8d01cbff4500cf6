package model

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
)

// gammaDist has shape k and scale theta: mean k theta, variance k theta^2,
// E[X^j] = theta^j k (k+1) ... (k+j-1), transform (1 + s theta)^-k.
type gammaDist struct{ shape, scale float64 }

func newGamma(mean, sd float64) Distribution {
	return gammaDist{shape: mean / sd * (mean / sd), scale: sd * (sd / mean)}
}

func (x gammaDist) Mean() float64 { return x.shape * x.scale }

func (x gammaDist) Moment(k int) float64 {
	m := 1.0
	for i := 0; i < k; i++ {
		m *= (x.shape + float64(i)) * x.scale
	}
	return m
}

// Rand squeezes a transformed normal (Marsaglia and Tsang, A simple method
// for generating gamma variables, 2000); shapes below 1 are boosted by 1 and
// multiplied by U^(1/shape).
func (x gammaDist) Rand(rnd *rand.Rand) float64 {
	shape, boost := x.shape, 1.0
	if shape < 1 {
		boost = math.Exp(-rnd.ExpFloat64() / shape)
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		z := rnd.NormFloat64()
		v := 1 + c*z
		if v <= 0 {
			continue
		}
		v *= v * v
		if rnd.ExpFloat64() > -(0.5*z*z + d - d*v + d*math.Log(v)) {
			return x.scale * boost * d * v
		}
	}
}

func (x gammaDist) Transform(s complex128) complex128 {
	return cmplx.Exp(complex(-x.shape, 0) * log1p(s*complex(x.scale, 0)))
}

// log1p returns log(1+z), accurate for small z, for Re z >= 0.
func log1p(z complex128) complex128 {
	re, im := real(z), imag(z)
	return complex(0.5*math.Log1p(2*re+re*re+im*im), math.Atan2(im, 1+re))
}

func (x gammaDist) String() string {
	return fmt.Sprintf("gamma(shape %.6g, scale %.6g)", x.shape, x.scale)
}
