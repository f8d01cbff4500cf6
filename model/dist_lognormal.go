package model

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
)

// logNormal is exp(mu + sigma Z) with Z standard normal.
type logNormal struct{ mu, sigma float64 }

// newLogNormal matches the moments of the length itself:
// sigma^2 = log(1 + (sd/mean)^2), mu = log mean - sigma^2/2.
func newLogNormal(mean, sd float64) Distribution {
	s2 := math.Log1p(sd / mean * (sd / mean))
	return logNormal{mu: math.Log(mean) - s2/2, sigma: math.Sqrt(s2)}
}

func (x logNormal) Mean() float64 { return x.Moment(1) }

// Moment returns exp(k mu + k^2 sigma^2/2).
func (x logNormal) Moment(k int) float64 {
	j := float64(k)
	return math.Exp(j*x.mu + j*j*x.sigma*x.sigma/2)
}

func (x logNormal) Rand(rnd *rand.Rand) float64 {
	return math.Exp(x.mu + x.sigma*rnd.NormFloat64())
}

// CDF returns Phi((log at - mu)/sigma).
func (x logNormal) CDF(at float64) float64 {
	if at <= 0 {
		return 0
	}
	return math.Erfc((x.mu-math.Log(at))/(x.sigma*math.Sqrt2)) / 2
}

// Quantile returns exp(mu + sigma Phi^-1(p)).
func (x logNormal) Quantile(p float64) float64 {
	return quantile(p, func(p float64) float64 { return math.Exp(x.mu + x.sigma*normalQuantile(p)) })
}

// Excess returns mean Phi(d+sigma) - t Phi(d) with d = (mu - log t)/sigma, the
// formula of Black and Scholes. Since mean phi(d+sigma) = t phi(d), it is
// t phi(d) times a difference of Mills' ratios Q/phi, which is used in the
// upper tail, where the two terms would cancel.
func (x logNormal) Excess(t float64) float64 {
	switch {
	case t <= 0:
		return x.Mean() - t
	case math.IsInf(t, 1):
		return 0
	}
	d := (x.mu - math.Log(t)) / x.sigma
	if d+x.sigma < -1 {
		return t * math.Exp(-d*d/2) / 2 * (realErfcx(-(d+x.sigma)/math.Sqrt2) - realErfcx(-d/math.Sqrt2))
	}
	return x.Mean()*math.Erfc(-(d+x.sigma)/math.Sqrt2)/2 - t*math.Erfc(-d/math.Sqrt2)/2
}

// Transform integrates E[exp(-s X)] = (2 pi)^-1/2 Int exp(h(z)) dz with
// h(z) = -z^2/2 - s exp(mu + sigma z) by the trapezoidal rule on a horizontal
// line near the saddle point z0 = -W(s sigma^2 e^mu)/sigma (W is Lambert's
// function), on which the integrand hardly oscillates (Asmussen, Jensen &
// Rojas-Nandayapa 2016).
//
// The rule converges as fast as the integrand can be continued away from the
// line: until s exp(mu + sigma z), of phase arg W at the saddle, turns
// negative. The line is moved from the saddle, by at most 0.8, to where that
// leaves a strip of half-width 0.8.
func (x logNormal) Transform(s complex128) complex128 {
	t, _ := x.transformSlope(s)
	return t
}

// transformSlope returns the transform and E[X exp(-s X)], the same integral
// with exp(mu + sigma z) as a factor.
func (x logNormal) transformSlope(s complex128) (t, slope complex128) {
	if s == 0 {
		return 1, complex(x.Mean(), 0)
	}
	sigma := complex(x.sigma, 0)
	w := lambertW(s * sigma * sigma * complex(math.Exp(x.mu), 0))
	const strip = 0.8
	phase := cmplx.Phase(w)
	turn := math.Max(0, math.Abs(phase)-math.Max(0, math.Pi/2-strip*x.sigma))
	turn = math.Copysign(turn, -phase)
	z := -w/sigma + complex(0, turn/x.sigma)
	// At the saddle s exp(mu + sigma z0) = w/sigma^2.
	b := w / (sigma * sigma) * cmplx.Rect(1, turn)
	const step = 0.1
	h0 := -z*z/2 - b
	if real(h0) < -60 {
		return 0, 0
	}
	sum, tilted := complex(1, 0), complex(1, 0)
	for _, dir := range [2]float64{1, -1} {
		for k := 1; k < 2000; k++ {
			u := dir * step * float64(k)
			grown := math.Expm1(x.sigma * u)
			e := -z*complex(u, 0) - complex(u*u/2, 0) - b*complex(grown, 0)
			if real(e) < -45 {
				break
			}
			term := cmplx.Exp(e)
			sum += term
			tilted += term * complex(1+grown, 0)
		}
	}
	front := cmplx.Exp(h0) * complex(step/math.Sqrt(2*math.Pi), 0)
	return front * sum, front * tilted * b / s
}

func (x logNormal) String() string {
	return fmt.Sprintf("lognormal(mu %.6g, sigma %.6g)", x.mu, x.sigma)
}
