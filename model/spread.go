package model

import (
	"cmp"
	"fmt"
	"math"
)

// Spread is a quantity that differs between the two urgencies and, by default
// normally distributed, within each.
type Spread struct {
	LowMean float64 // of the urgency in which it is small
	Ratio   float64 // the mean of the other urgency over LowMean
	SD      float64 // standard deviation over mean, in both
	Kind    Kind    // of the distribution, of Kinds or Uniform; "" is Normal

	// Curve says how the quantity grows with the run time R beyond what QoS says
	// of it: it is multiplied by (R/Scale)^Curve. With it f(R) and g(R) of the
	// literature, which does not state them, are powers of R.
	Curve float64
	Scale float64 // s; 0 is an hour
}

// Uniform is a family that a Spread may have: even from mean - sqrt(3) sd to mean +
// sqrt(3) sd.
const Uniform Kind = "uniform"

// Means returns the means of the two urgencies, where the small one belongs to
// the given one.
func (s Spread) Means(small int) (m [2]float64) {
	m[small], m[1-small] = s.LowMean, s.LowMean*s.Ratio
	return m
}

// Factor returns by what the quantity of a job with the given run time is
// multiplied.
func (s Spread) Factor(runtime float64) float64 {
	if s.Curve == 0 {
		return 1
	}
	return math.Pow(runtime/cmp.Or(s.Scale, 3600), s.Curve)
}

// Draws returns how the quantity is drawn about one of its means, until it exceeds
// a limit, which 0 may be met. The function returns the number of which a share u
// of all lie above, for 0 < u < 1. Less than one draw in a thousand million passing
// the limit is an error. Mean and deviation are those before anything is cut off.
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
