package workload

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"revopt/model"
)

// lengthCDF returns P(X <= x) of the distribution that model.New makes of a
// family, a mean and a standard deviation, with min 0.
func lengthCDF(kind model.Kind, mean, sd float64) func(x float64) float64 {
	c2 := sd / mean * (sd / mean)
	var cdf func(x float64) float64
	switch {
	case kind == model.Deterministic || sd == 0:
		return func(x float64) float64 {
			if x >= mean {
				return 1
			}
			return 0
		}
	case kind == model.Normal:
		mu, sigma := underlyingNormal(mean, sd)
		whole := math.Erfc(-mu / (sigma * math.Sqrt2))
		cdf = func(x float64) float64 { return 1 - math.Erfc((x-mu)/(sigma*math.Sqrt2))/whole }
	case kind == model.Gamma:
		cdf = func(x float64) float64 { return mathext.GammaIncReg(1/c2, x/(c2*mean)) }
	case kind == model.LogNormal:
		s2 := math.Log1p(c2)
		mu, sigma := math.Log(mean)-s2/2, math.Sqrt(s2)
		cdf = func(x float64) float64 { return math.Erfc((mu-math.Log(x))/(sigma*math.Sqrt2)) / 2 }
	case kind == model.HyperExponential:
		root := math.Sqrt((c2 - 1) / (c2 + 1))
		p := [2]float64{(1 + root) / 2, 1 / ((c2 + 1) * (1 + root))}
		cdf = func(x float64) float64 {
			return -p[0]*math.Expm1(-2*p[0]*x/mean) - p[1]*math.Expm1(-2*p[1]*x/mean)
		}
	case kind == model.Exponential:
		cdf = func(x float64) float64 { return -math.Expm1(-x / mean) }
	default:
		panic("workload: no distribution function of " + string(kind))
	}
	return func(x float64) float64 {
		if x <= 0 {
			return 0
		}
		return cdf(x)
	}
}

// mostNormal is the coefficient of variation up to which a normal truncated at
// 0 is tried; its limit, at 1, is the exponential.
const mostNormal = 0.95

// underlyingNormal returns the parameters of the normal whose part above 0 has
// the given moments, for sd/mean up to mostNormal. With a = -mu/sigma and h the
// hazard of the standard normal at a the part has mean sigma (h - a) and
// variance sigma^2 (1 - h (h - a)).
func underlyingNormal(mean, sd float64) (mu, sigma float64) {
	low, high := -mean/sd-1, 10.0
	part := func(a float64) (mean, sd float64) {
		h := math.Sqrt(2/math.Pi) * math.Exp(-a*a/2) / math.Erfc(a/math.Sqrt2)
		return h - a, math.Sqrt(math.Max(0, 1-h*(h-a)))
	}
	for range 100 {
		a := (low + high) / 2
		if m, s := part(a); s/m < sd/mean {
			low = a
		} else {
			high = a
		}
	}
	a := (low + high) / 2
	m, _ := part(a)
	sigma = mean / m
	return -a * sigma, sigma
}
