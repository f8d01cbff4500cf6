package model

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
)

// truncatedNormal is min + Y, where Y is normal with standard deviation sigma
// and mean -alpha sigma, given that Y >= 0.
type truncatedNormal struct {
	min, alpha, sigma float64
	mu, tail          float64 // mean of the underlying normal, and its share above min
}

// Invertible is a distribution that is drawn by inversion, from one uniform number u, so
// that draws of two series with other parameters are comparable.
type Invertible interface {
	Distribution
	// Above returns the number that a share u of all draws exceeds, 0 < u < 1:
	// Quantile(1-u), accurate for small u.
	Above(u float64) float64
}

// rarest is the largest distance, in standard deviations, of the limit of a truncated
// normal above its mean: one draw in a thousand million exceeds it.
const rarest = 6

// drawable reports whether a normal can be drawn until it passes a limit,
// which may lie at most six standard deviations above the mean. A limit of 0
// may be met, any other must be exceeded.
func drawable(mean, sd, limit float64) bool {
	if sd == 0 {
		return mean > limit || limit == 0 && mean == 0
	}
	return limit-mean <= rarest*sd
}

// NewNormalAbove returns a normal of the given mean and standard deviation,
// both of the normal as it is before any of it is cut off, drawn until it
// exceeds limit >= 0. A normal without deviation is its mean.
func NewNormalAbove(mean, sd, limit float64) (Invertible, error) {
	switch {
	case !(limit >= 0) || !(sd >= 0) || math.IsInf(mean+sd+limit, 0):
		return nil, fmt.Errorf("a normal of mean %g and sd %g above %g is not one of finite numbers of at least 0",
			mean, sd, limit)
	case !drawable(mean, sd, limit):
		return nil, fmt.Errorf("normal numbers of mean %g and sd %g are hardly ever above %g", mean, sd, limit)
	case sd == 0:
		return deterministic{mean}, nil
	}
	alpha := (limit - mean) / sd
	tail := math.Erfc((limit-mean)/(sd*math.Sqrt2)) / 2
	return truncatedNormal{min: limit, alpha: alpha, sigma: sd, mu: mean, tail: tail}, nil
}

// newTruncatedNormal solves for the underlying normal whose part above least
// has the given mean and standard deviation. The coefficient of variation of
// Y rises from 0 to 1 (the exponential) as alpha runs from -Inf to +Inf, so a
// solution exists, and is unique, when 0 < sd < mean - least.
func newTruncatedNormal(mean, sd, least float64) (Distribution, error) {
	if !(least >= 0) || math.IsInf(least, 0) {
		return nil, fmt.Errorf("min %g is not a finite number of at least 0", least)
	}
	if sd == 0 && mean >= least {
		return deterministic{mean}, nil
	}
	m := mean - least
	// Within this margin of the exponential the underlying normal cannot be
	// resolved in double precision.
	if !(sd < m*(1-1e-9)) {
		return nil, fmt.Errorf("a normal truncated at %g with mean %g cannot have sd %g: sd must be below "+
			"mean - min = %g, or take another dist such as gamma or lognormal", least, mean, sd, m)
	}
	target := sd / m
	lo, hi := -1/target-1, 1.0
	for truncatedCV(hi) < target {
		hi *= 2
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if truncatedCV(mid) < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	alpha := lo + (hi-lo)/2
	var r [3]float64
	truncatedRatios(r[:], alpha)
	sigma := m / r[1]
	tail := math.Erfc(alpha/math.Sqrt2) / 2
	return truncatedNormal{min: least, alpha: alpha, sigma: sigma, mu: least - alpha*sigma, tail: tail}, nil
}

// truncatedRatios sets r[k] = E[Y^k]/E[Y^(k-1)] for k = 1, ..., len(r)-1,
// where Y is standard normal with mean -alpha given Y >= 0. They satisfy
// r[k+1] = -alpha + k/r[k], used forwards from the hazard for alpha <= 2 and
// backwards, as a continued fraction, above, where forwards would cancel.
func truncatedRatios(r []float64, alpha float64) {
	if alpha <= 2 {
		hazard := math.Sqrt(2/math.Pi) * math.Exp(-alpha*alpha/2) / math.Erfc(alpha/math.Sqrt2)
		r[1] = hazard - alpha
		for k := 1; k+1 < len(r); k++ {
			r[k+1] = -alpha + float64(k)/r[k]
		}
		return
	}
	start := len(r) + 40 + int(600/(alpha*alpha))
	x := (math.Sqrt(alpha*alpha+4*float64(start)) - alpha) / 2
	for k := start - 1; k >= 1; k-- {
		x = float64(k) / (alpha + x)
		if k < len(r) {
			r[k] = x
		}
	}
}

// truncatedCV returns the coefficient of variation of Y: its squared value is
// r2/r1 - 1.
func truncatedCV(alpha float64) float64 {
	var r [3]float64
	truncatedRatios(r[:], alpha)
	return math.Sqrt(math.Max(0, (r[2]-r[1])/r[1]))
}

func (x truncatedNormal) Mean() float64 { return x.Moment(1) }

// Moment expands E[(min+Y)^k] by the binomial theorem; all terms are
// non-negative.
func (x truncatedNormal) Moment(k int) float64 {
	r := make([]float64, max(k+1, 2))
	truncatedRatios(r, x.alpha)
	sum, y, binomial := 0.0, 1.0, 1.0
	for j := 0; j <= k; j++ {
		sum += binomial * math.Pow(x.min, float64(k-j)) * y
		binomial *= float64(k-j) / float64(j+1)
		if j < k {
			y *= r[j+1] * x.sigma
		}
	}
	return sum
}

// Above returns mu + sigma Q^-1(u Q(alpha)), Q the upper tail of the standard
// normal, but at least slightly more than min. The numbers of a seed depend on the last
// digits.
func (x truncatedNormal) Above(u float64) float64 {
	if x.alpha > rarest {
		return x.min + x.sigma*x.beyond(math.Log(u))
	}
	// Below this the inverse has no digits left; it is 8 sd away.
	p := math.Max(u*x.tail, 1e-15)
	return math.Max(x.mu+x.sigma*math.Sqrt2*math.Erfcinv(2*p), x.min*(1+1e-12))
}

// survival returns P(Y > y sigma) for y >= 0, Q(alpha+y)/Q(alpha).
func (x truncatedNormal) survival(y float64) float64 {
	if x.alpha < 1 {
		return math.Erfc((x.alpha+y)/math.Sqrt2) / (2 * x.tail)
	}
	return math.Exp(-y*(x.alpha+y/2)) * realErfcx((x.alpha+y)/math.Sqrt2) / realErfcx(x.alpha/math.Sqrt2)
}

// CDF returns 1 - Q(alpha+y)/Q(alpha), y = (at-min)/sigma; below the mode,
// where that would cancel, (Q(-alpha-y) - Q(-alpha))/Q(alpha).
func (x truncatedNormal) CDF(at float64) float64 {
	y := (at - x.min) / x.sigma
	switch {
	case y <= 0:
		return 0
	case x.alpha+y < 0:
		return (math.Erfc(-(x.alpha+y)/math.Sqrt2) - math.Erfc(-x.alpha/math.Sqrt2)) / (2 * x.tail)
	}
	return 1 - x.survival(y)
}

// Quantile inverts CDF, from the side of the smaller tail. Quantile(0) is min.
func (x truncatedNormal) Quantile(p float64) float64 {
	if p == 0 {
		return x.min
	}
	return quantile(p, func(p float64) float64 {
		if below := math.Erfc(-x.alpha/math.Sqrt2)/2 + p*x.tail; below < 0.5 {
			return math.Max(x.min, x.mu+x.sigma*normalQuantile(below))
		}
		return x.min + x.sigma*x.beyond(math.Log1p(-p))
	})
}

// beyond returns y with log P(Y > y sigma) = tail, by Newton's method. The
// logarithm is concave, so that the iterates fall to the root from any point
// to the right of it: from where the hazard at 0, which rises, would reach it;
// and where the normal is hardly cut off from where its tail would.
func (x truncatedNormal) beyond(tail float64) float64 {
	hazard := func(y float64) float64 {
		var r [2]float64
		truncatedRatios(r[:], x.alpha+y)
		return x.alpha + y + r[1]
	}
	// Q(z) <= exp(-z^2/2)/2 for z >= 0.
	y := math.Sqrt(math.Max(0, -2*(tail+math.Log(2*x.tail)))) - x.alpha
	if x.alpha > 0 {
		y = -tail / hazard(0)
	}
	for range 200 {
		d := (math.Log(x.survival(y)) - tail) / hazard(y)
		y = math.Max(0, y+d)
		if !(math.Abs(d) > 4e-16*y) {
			break
		}
	}
	return y
}

// Excess returns P(X > t) times the mean of what lies beyond t, which is that
// of the same normal cut off at t.
func (x truncatedNormal) Excess(t float64) float64 {
	y := (t - x.min) / x.sigma
	switch {
	case y <= 0:
		return x.Mean() - t
	case math.IsInf(y, 1):
		return 0
	}
	var r [2]float64
	truncatedRatios(r[:], x.alpha+y)
	return x.survival(y) * x.sigma * r[1]
}

// Rand draws from the underlying normal until the draw is above min or, if that would
// reject too often, from an exponential tail (Robert 1995).
func (x truncatedNormal) Rand(rnd *rand.Rand) float64 {
	if x.alpha < 0.5 {
		for {
			if y := rnd.NormFloat64() - x.alpha; y >= 0 {
				return x.min + x.sigma*y
			}
		}
	}
	rate := (x.alpha + math.Sqrt(x.alpha*x.alpha+4)) / 2
	for {
		y := rnd.ExpFloat64() / rate
		d := y + x.alpha - rate
		if rnd.ExpFloat64() >= d*d/2 {
			return x.min + x.sigma*y
		}
	}
}

// Transform returns exp(-s min) erfcx((alpha+s sigma)/sqrt2)/erfcx(alpha/sqrt2),
// with erfcx(z) = exp(z^2) erfc(z); for alpha < 0 both sides are scaled by
// exp(-alpha^2/2), so that nothing overflows.
func (x truncatedNormal) Transform(s complex128) complex128 {
	shift := cmplx.Exp(-s * complex(x.min, 0))
	z := (complex(x.alpha, 0) + s*complex(x.sigma, 0)) / complex(math.Sqrt2, 0)
	if x.alpha >= 0 {
		return shift * erfcx(z) / erfcx(complex(x.alpha/math.Sqrt2, 0))
	}
	scale := math.Exp(-x.alpha * x.alpha / 2)
	denominator := math.Erfc(x.alpha / math.Sqrt2)
	if real(z) >= 0 {
		return shift * erfcx(z) * complex(scale/denominator, 0)
	}
	// erfcx(z) = 2 exp(z^2) - erfcx(-z), and z^2 - alpha^2/2 = s sigma (alpha + s sigma/2).
	ss := s * complex(x.sigma, 0)
	numerator := 2*cmplx.Exp(ss*(complex(x.alpha, 0)+ss/2)) - erfcx(-z)*complex(scale, 0)
	return shift * numerator / complex(denominator, 0)
}

func (x truncatedNormal) String() string {
	return fmt.Sprintf("normal(mu %.6g, sigma %.6g, truncated at %g)", x.min-x.alpha*x.sigma, x.sigma, x.min)
}
