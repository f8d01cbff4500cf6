package model

import (
	"cmp"
	"fmt"
	"math"
)

// Spread is a quantity with a mean for each of the two urgencies and a distribution, by
// default normal, within each.
type Spread struct {
	LowMean float64 // of the urgency in which it is small
	Ratio   float64 // the mean of the other urgency over LowMean
	SD      float64 // standard deviation over mean, in both
	Kind    Kind    // of the distribution, of Kinds or Uniform; "" is Normal

	// Curve multiplies the quantity by (R/Scale)^Curve, where R is the run time. With
	// it f(R) and g(R) of QoS, which the literature does not state, are powers of R.
	Curve float64
	Scale float64 // s; 0 is an hour
}

// Uniform is a family of Spread: uniform from mean - sqrt(3) sd to mean + sqrt(3) sd.
const Uniform Kind = "uniform"

// Means returns the means of the two urgencies, the small mean for the given one.
func (s Spread) Means(small int) (m [2]float64) {
	m[small], m[1-small] = s.LowMean, s.LowMean*s.Ratio
	return m
}

// Factor returns the factor of the quantity of a job with the given run time.
func (s Spread) Factor(runtime float64) float64 {
	if s.Curve == 0 {
		return 1
	}
	return math.Pow(runtime/cmp.Or(s.Scale, 3600), s.Curve)
}

// Draws returns a function that draws the quantity about one of its means until it
// exceeds a limit; a limit of 0 may be met. The function returns the number that a share
// u of all draws exceeds, for 0 < u < 1. It is an error if less than one draw in a
// thousand million exceeds the limit. Mean and deviation are those before truncation.
func (s Spread) Draws(mean, limit float64) (func(u float64) float64, error) {
	sd := s.SD * mean
	if s.Kind == "" || s.Kind == Normal || mean == 0 {
		n, err := NewNormalAbove(mean, sd, limit)
		if err != nil {
			return nil, err
		}
		return n.Above, nil
	}
	width := math.Sqrt(3) * sd
	quantile := func(p float64) float64 { return mean + width*(2*p-1) }
	tail := min(1, (mean+width-limit)/(2*width))
	if s.Kind != Uniform || width == 0 {
		kind := s.Kind
		if kind == Uniform {
			kind = Deterministic
		}
		d, err := New(kind, mean, sd, 0)
		if err != nil {
			return nil, err
		}
		quantile, tail = d.Quantile, 1-d.CDF(limit)
	}
	if !(tail > 1e-9) {
		return nil, fmt.Errorf("%s numbers of mean %g and sd %g are hardly ever above %g", s.Kind, mean, sd, limit)
	}
	last := math.Nextafter(1, 0)
	return func(u float64) float64 { return max(quantile(min(1-u*tail, last)), limit*(1+1e-12)) }, nil
}
