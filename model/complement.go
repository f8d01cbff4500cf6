package model

import (
	"math"
	"math/cmplx"
	"reflect"
)

// complementer is a distribution that computes 1 - E[exp(-s X)] without
// cancellation for small s, and its derivative E[X exp(-s X)].
type complementer interface {
	complement(s complex128) (c, slope complex128)
}

func (x deterministic) complement(s complex128) (c, slope complex128) {
	e := expm1(-s * complex(x.d, 0))
	return -e, complex(x.d, 0) * (1 + e)
}

func (x exponential) complement(s complex128) (c, slope complex128) {
	m := complex(x.mean, 0)
	t := 1 / (1 + s*m)
	return s * m * t, m * t * t
}

func (x hyperExponential) complement(s complex128) (c, slope complex128) {
	for i, p := range x.p {
		ci, di := exponential{x.mean[i]}.complement(s)
		c += complex(p, 0) * ci
		slope += complex(p, 0) * di
	}
	return c, slope
}

func (x gammaDist) complement(s complex128) (c, slope complex128) {
	e := expm1(complex(-x.shape, 0) * log1p(s*complex(x.scale, 0)))
	return -e, complex(x.shape*x.scale, 0) * (1 + e) / (1 + s*complex(x.scale, 0))
}

// preparedNormal is a truncated normal with the hazard h of X - min at 0.
type preparedNormal struct {
	truncatedNormal
	hazard float64
}

func (x truncatedNormal) prepare() slopes {
	var r [2]float64
	truncatedRatios(r[:], x.alpha)
	return preparedNormal{x, r[1] + x.alpha}
}

// transformSlope returns the transform and E[X exp(-s X)]. The transform R of
// X - min obeys R' = sigma ((alpha + s sigma) R - h).
func (x preparedNormal) transformSlope(s complex128) (t, slope complex128) {
	t = x.Transform(s)
	shift := complex(1, 0)
	if x.min > 0 {
		shift = cmplx.Exp(-s * complex(x.min, 0))
	}
	sigma := complex(x.sigma, 0)
	return t, complex(x.min, 0)*t - sigma*((complex(x.alpha, 0)+s*sigma)*t-complex(x.hazard, 0)*shift)
}

// slopes is a distribution with the derivative of its transform.
type slopes interface {
	transformSlope(s complex128) (t, slope complex128)
}

// terms is the number of terms of the series in moments that complement uses.
const terms = 8

// length is the distribution of a job's length, prepared for complements.
type length struct {
	dist   Distribution
	exact  complementer
	slopes slopes
	mean   float64
	moment [terms + 1]float64 // E[X^k]/k!
	radius float64            // of |s| below which the series is used
}

func newLength(d Distribution) *length {
	l := &length{dist: d, mean: d.Mean()}
	l.exact, _ = d.(complementer)
	l.slopes, _ = d.(slopes)
	switch d := d.(type) {
	case truncatedNormal:
		l.slopes = d.prepare()
	case *sized:
		l.exact = sizedLength{d, newLength(d.length)}
	}
	factorial := 1.0
	for k := 1; k <= terms; k++ {
		factorial *= float64(k)
		l.moment[k] = d.Moment(k) / factorial
	}
	// The first term left out is below rounding: (|s| q)^terms <= 1e-16 with
	// q^terms = E[X^(terms+1)]/(terms+1)!/E[X].
	next := d.Moment(terms+1) / (factorial * (terms + 1))
	if q := math.Pow(next/l.mean, 1.0/terms); l.exact == nil && !math.IsInf(q, 0) {
		l.radius = 1e-2 / q
	}
	return l
}

// complement returns 1 - E[exp(-s X)], accurate for small s, and its
// derivative E[X exp(-s X)], for Re s >= 0.
func (l *length) complement(s complex128) (c, slope complex128) {
	switch {
	case l.exact != nil:
		return l.exact.complement(s)
	case cmplx.Abs(s) < l.radius:
		for k := terms; k >= 1; k-- {
			m := complex(l.moment[k], 0)
			slope = complex(float64(k), 0)*m - s*slope
			c = s * (m - c)
		}
		return c, slope
	case l.slopes != nil:
		t, slope := l.slopes.transformSlope(s)
		return 1 - t, slope
	}
	// A difference along a vertical line stays in the domain of the transform.
	h := complex(0, 1e-5*(cmplx.Abs(s)+1/l.mean))
	slope = -(l.dist.Transform(s+h) - l.dist.Transform(s-h)) / (2 * h)
	return 1 - l.dist.Transform(s), slope
}

// sameLength reports whether two distributions are equal.
func sameLength(a, b Distribution) bool { return reflect.DeepEqual(a, b) }
