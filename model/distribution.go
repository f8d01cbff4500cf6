package model

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Distribution is the distribution of a job's length, a non-negative random
// variable X with finite moments.
type Distribution interface {
	// Mean returns E[X], b1 in the paper.
	Mean() float64
	// Moment returns E[X^k] for k >= 0; Moment(2) is the paper's b2.
	Moment(k int) float64
	// CDF returns P(X <= x): 0 for x < 0, 1 at +Inf.
	CDF(x float64) float64
	// Quantile returns the least x with CDF(x) >= p. Quantile(0) is the least length
	// and Quantile(1) the largest, or +Inf. It is NaN for p outside of [0, 1].
	Quantile(p float64) float64
	// Excess returns E[(X-t)^+], the integral of 1 - CDF from t on: Mean() - t
	// for t <= 0, and 0 at +Inf. E[(t-X)^+] is t - Mean() + Excess(t).
	Excess(t float64) float64
	// Rand draws X.
	Rand(rnd *rand.Rand) float64
	// Transform returns the Laplace-Stieltjes transform E[exp(-s X)] for
	// Re s >= 0.
	Transform(s complex128) complex128
	// String returns the name and parameters.
	String() string
}

// SD returns the standard deviation of d.
func SD(d Distribution) float64 {
	m := d.Mean()
	return math.Sqrt(math.Max(0, d.Moment(2)-m*m))
}

// Kind names a family of distributions.
type Kind string

// The families of length distributions.
const (
	Normal           Kind = "normal" // truncated below at a minimum
	Exponential      Kind = "exponential"
	Deterministic    Kind = "deterministic"
	Gamma            Kind = "gamma"
	LogNormal        Kind = "lognormal"
	HyperExponential Kind = "hyperexponential" // two phases, balanced means
)

// Kinds returns the families that New knows.
func Kinds() []Kind {
	return []Kind{Normal, Exponential, Deterministic, Gamma, LogNormal, HyperExponential}
}

// New returns the distribution of the family with the given mean and standard deviation.
// For a truncated normal least is the least length, and mean and deviation are those after
// truncation; the other families start at 0 and ignore least.
//
// Special cases: exponential and deterministic lengths ignore sd; sd = 0 is deterministic
// in every other family.
func New(kind Kind, mean, sd, least float64) (Distribution, error) {
	if !(mean > 0) || math.IsInf(mean, 0) {
		return nil, fmt.Errorf("mean %g is not a positive finite number", mean)
	}
	if !(sd >= 0) || math.IsInf(sd, 0) {
		return nil, fmt.Errorf("sd %g is not a finite number of at least 0", sd)
	}
	switch kind {
	case Exponential:
		return exponential{mean}, nil
	case Deterministic:
		return deterministic{mean}, nil
	case Normal:
		return newTruncatedNormal(mean, sd, least)
	case Gamma, LogNormal, HyperExponential:
	default:
		return nil, fmt.Errorf("unknown distribution %q", kind)
	}
	if sd == 0 && kind != HyperExponential {
		return deterministic{mean}, nil
	}
	switch kind {
	case Gamma:
		return newGamma(mean, sd), nil
	case LogNormal:
		return newLogNormal(mean, sd), nil
	default:
		return newHyperExponential(mean, sd)
	}
}

// Family returns the kind and the least length with which New returns d, given its mean and
// standard deviation up to rounding, and whether there are such arguments.
func Family(d Distribution) (kind Kind, least float64, ok bool) {
	switch d := d.(type) {
	case deterministic:
		return Deterministic, 0, true
	case exponential:
		return Exponential, 0, true
	case truncatedNormal:
		return Normal, d.min, true
	case gammaDist:
		return Gamma, 0, true
	case logNormal:
		return LogNormal, 0, true
	case hyperExponential:
		return HyperExponential, 0, true
	}
	return "", 0, false
}

// quantile returns the special values of lengths from 0 to +Inf, and calls inside for
// 0 < p < 1.
func quantile(p float64, inside func(p float64) float64) float64 {
	switch {
	case p == 0:
		return 0
	case p == 1:
		return math.Inf(1)
	case !(p > 0 && p < 1):
		return math.NaN()
	}
	return inside(p)
}
