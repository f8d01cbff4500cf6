package model

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"
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

// CDF returns the regularized incomplete gamma function P(shape, at/scale).
func (x gammaDist) CDF(at float64) float64 {
	switch {
	case at <= 0:
		return 0
	case math.IsInf(at, 1):
		return 1
	}
	return mathext.GammaIncReg(x.shape, at/x.scale)
}

// Quantile inverts the incomplete gamma function, from the side of the smaller
// tail. Newton's steps, of log P by log z below the median, mend what the
// inverse leaves inexact.
func (x gammaDist) Quantile(p float64) float64 {
	return quantile(p, func(p float64) float64 {
		if p < 0.5 {
			// P(k, z) is about z^k/Gamma(k+1) near 0, where the inverse is lost.
			lg, _ := math.Lgamma(x.shape + 1)
			z := math.Exp((math.Log(p) + lg) / x.shape)
			if z > 1e-3 {
				z = mathext.GammaIncRegInv(x.shape, p)
			}
			for range 3 {
				if below := mathext.GammaIncReg(x.shape, z); below > 0 {
					z *= math.Exp(-math.Log(below/p) * below / x.front(z))
				}
			}
			return z * x.scale
		}
		z := mathext.GammaIncRegCompInv(x.shape, 1-p)
		for range 3 {
			if slope := x.front(z) / z; slope > 0 {
				z -= (1 - p - mathext.GammaIncRegComp(x.shape, z)) / slope
			}
		}
		return z * x.scale
	})
}

// Excess returns, with z = t/scale and Q = 1 - P,
//
//	scale ((shape - z) Q(shape, z) + z^shape e^-z/Gamma(shape)).
//
// In the upper tail, where the terms cancel, it is scale Q (1 + T) with T the
// tail of Legendre's continued fraction of Q,
//
//	T = 1(shape-1)/(z+3-shape + 2(shape-2)/(z+5-shape + ...)).
func (x gammaDist) Excess(t float64) float64 {
	switch {
	case t <= 0:
		return x.Mean() - t
	case math.IsInf(t, 1):
		return 0
	}
	k, z := x.shape, t/x.scale
	q := mathext.GammaIncRegComp(k, z)
	if z-k < 1+3*math.Sqrt(k) {
		return math.Max(0, x.scale*((k-z)*q+x.front(z)))
	}
	// Lentz's method.
	const small = 1e-300
	tail, c, d := small, small, 0.0
	for n := 1.0; n < 1e5; n++ {
		a, b := n*(k-n), z+2*n+1-k
		d = b + a*d
		if d == 0 {
			d = small
		}
		c = b + a/c
		if c == 0 {
			c = small
		}
		d = 1 / d
		tail *= c * d
		if math.Abs(c*d-1) < 1e-16 || a == 0 {
			break
		}
	}
	return x.scale * q * (1 + tail)
}

// front returns z^shape e^-z/Gamma(shape). For large shapes it is
// sqrt(shape/2 pi) exp(-shape (m - log(1+m))), m = z/shape - 1, over the
// correction of Stirling's formula (Loader 2000), which does not cancel.
func (x gammaDist) front(z float64) float64 {
	k := x.shape
	if k < 10 {
		lg, _ := math.Lgamma(k)
		return math.Exp(k*math.Log(z) - z - lg)
	}
	m := (z - k) / k
	deviance := m - math.Log1p(m)
	if math.Abs(m) < 0.3 {
		// log(1+m) = 2 atanh(r), r = m/(2+m).
		r := m / (2 + m)
		sum, power := 0.0, 1.0
		for j := 3.0; j < 60; j += 2 {
			sum += power / j
			power *= r * r
		}
		deviance = r * (m - 2*r*r*sum)
	}
	i := 1 / (k * k)
	stirling := (1.0/12 - i*(1.0/360-i*(1.0/1260-i*(1.0/1680-i*(1.0/1188-i*691.0/360360))))) / k
	return math.Sqrt(k/(2*math.Pi)) * math.Exp(-k*deviance-stirling)
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

func (x gammaDist) String() string {
	return fmt.Sprintf("gamma(shape %.6g, scale %.6g)", x.shape, x.scale)
}
