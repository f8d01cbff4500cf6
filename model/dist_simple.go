package model

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
)

// deterministic is the length that is always d.
type deterministic struct{ d float64 }

func (x deterministic) Mean() float64                     { return x.d }
func (x deterministic) Moment(k int) float64              { return math.Pow(x.d, float64(k)) }
func (x deterministic) Rand(*rand.Rand) float64           { return x.d }
func (x deterministic) Transform(s complex128) complex128 { return cmplx.Exp(-s * complex(x.d, 0)) }
func (x deterministic) String() string                    { return fmt.Sprintf("deterministic(%g)", x.d) }

// CDF is a step at d.
func (x deterministic) CDF(at float64) float64 {
	switch {
	case math.IsNaN(at):
		return at
	case at < x.d:
		return 0
	}
	return 1
}

// Quantile is d for every p.
func (x deterministic) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return x.d
}

func (x deterministic) Excess(t float64) float64 { return math.Max(0, x.d-t) }

// Above is d for every share of lengths above it.
func (x deterministic) Above(float64) float64 { return x.d }

// exponential is the memoryless length: E[X^k] = k! mean^k, transform
// 1/(1 + s mean).
type exponential struct{ mean float64 }

func (x exponential) Mean() float64 { return x.mean }

func (x exponential) Moment(k int) float64 {
	m := 1.0
	for i := 1; i <= k; i++ {
		m *= float64(i) * x.mean
	}
	return m
}

func (x exponential) Rand(rnd *rand.Rand) float64       { return x.mean * rnd.ExpFloat64() }
func (x exponential) Transform(s complex128) complex128 { return 1 / (1 + s*complex(x.mean, 0)) }
func (x exponential) String() string                    { return fmt.Sprintf("exponential(mean %g)", x.mean) }

// CDF returns 1 - exp(-at/mean).
func (x exponential) CDF(at float64) float64 { return -math.Expm1(-math.Max(0, at) / x.mean) }

// Quantile returns -mean log(1-p).
func (x exponential) Quantile(p float64) float64 {
	return quantile(p, func(p float64) float64 { return -x.mean * math.Log1p(-p) })
}

// Excess returns mean exp(-t/mean): the rest of a longer length is distributed as
// the length was.
func (x exponential) Excess(t float64) float64 {
	return x.mean*math.Exp(-math.Max(0, t)/x.mean) - math.Min(0, t)
}

// hyperExponential is exponential with mean mean[i] with probability p[i].
type hyperExponential struct {
	p    [2]float64
	mean [2]float64
}

// newHyperExponential returns the two-phase hyperexponential with balanced
// means, p1 mean1 = p2 mean2, which needs a coefficient of variation c > 1:
// p1 = (1 + sqrt((c^2-1)/(c^2+1)))/2, mean_i = mean/(2 p_i).
func newHyperExponential(mean, sd float64) (Distribution, error) {
	c2 := sd / mean * (sd / mean)
	if !(sd > mean) {
		return nil, fmt.Errorf("a hyperexponential needs sd > mean, not sd %g and mean %g", sd, mean)
	}
	root := math.Sqrt((c2 - 1) / (c2 + 1))
	// 1-root without cancellation, for sd far above the mean.
	small := (2 / (c2 + 1)) / (1 + root)
	p := [2]float64{(1 + root) / 2, small / 2}
	return hyperExponential{p: p, mean: [2]float64{mean / (2 * p[0]), mean / (2 * p[1])}}, nil
}

func (x hyperExponential) Mean() float64 { return x.p[0]*x.mean[0] + x.p[1]*x.mean[1] }

func (x hyperExponential) Moment(k int) float64 {
	return x.p[0]*exponential{x.mean[0]}.Moment(k) + x.p[1]*exponential{x.mean[1]}.Moment(k)
}

func (x hyperExponential) Rand(rnd *rand.Rand) float64 {
	if rnd.Float64() < x.p[0] {
		return x.mean[0] * rnd.ExpFloat64()
	}
	return x.mean[1] * rnd.ExpFloat64()
}

func (x hyperExponential) Transform(s complex128) complex128 {
	return complex(x.p[0], 0)*exponential{x.mean[0]}.Transform(s) +
		complex(x.p[1], 0)*exponential{x.mean[1]}.Transform(s)
}

func (x hyperExponential) String() string {
	return fmt.Sprintf("hyperexponential(%.4g of mean %.6g, %.4g of mean %.6g)", x.p[0], x.mean[0], x.p[1], x.mean[1])
}

// CDF mixes the distribution functions of the phases.
func (x hyperExponential) CDF(at float64) float64 {
	return x.p[0]*exponential{x.mean[0]}.CDF(at) + x.p[1]*exponential{x.mean[1]}.CDF(at)
}

// Quantile solves CDF(x) = p below the median and log(1-CDF(x)) = log(1-p)
// above it by Newton's method. The first is concave and the second convex, so
// that the iterates rise to the root from any point to the left of it: from
// where the density at 0, or one phase alone, would reach p.
func (x hyperExponential) Quantile(p float64) float64 {
	return quantile(p, func(p float64) float64 {
		if p < 0.5 {
			rate := x.p[0]/x.mean[0] + x.p[1]/x.mean[1]
			return rise(p/rate, func(at float64) float64 { return (p - x.CDF(at)) / x.density(at) })
		}
		tail := math.Log1p(-p)
		start := math.Max(-x.mean[0]*tail, x.mean[1]*(math.Log(x.p[1])-tail))
		return rise(start, func(at float64) float64 {
			survival := x.p[0]*math.Exp(-at/x.mean[0]) + x.p[1]*math.Exp(-at/x.mean[1])
			return (math.Log(survival) - tail) * survival / x.density(at)
		})
	})
}

func (x hyperExponential) density(at float64) float64 {
	return x.p[0]/x.mean[0]*math.Exp(-at/x.mean[0]) + x.p[1]/x.mean[1]*math.Exp(-at/x.mean[1])
}

// rise adds the steps of a Newton iteration that rises to its root until they
// are lost in rounding.
func rise(at float64, step func(at float64) float64) float64 {
	for range 200 {
		d := step(at)
		if !(d > 1e-16*at) {
			break
		}
		at += d
	}
	return at
}

// Excess mixes those of the phases.
func (x hyperExponential) Excess(t float64) float64 {
	return x.p[0]*exponential{x.mean[0]}.Excess(t) + x.p[1]*exponential{x.mean[1]}.Excess(t)
}
