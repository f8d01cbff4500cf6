package model

import "math"

// OneClass is the single-class problem with linear utility, (22)-(23), whose
// optimum is known in closed form:
//
//	max over 0 <= rho <= beta of rho (p0 - v1~ rho/(1-rho)),  v1~ = 1/2 C v1 b2.
//
// C is the paper's capacity, in jobs per second: n/b1 with T0 as printed, and 1/(n b1)
// with T0 of the pooled server.
type OneClass struct {
	Moment2  float64 // b2, s^2
	Capacity float64 // C, 1/s
}

// NewOneClass returns the closed-form problem of a class on a server that
// runs n jobs at once, for a linear residual convention and Phi = 1.
func NewOneClass(c Class, n float64, r Residual) OneClass {
	b1 := c.Length.Mean()
	one := OneClass{Moment2: c.Length.Moment(2), Capacity: n / b1}
	switch r {
	case Printed:
	case Pooled:
		one.Capacity = 1 / (n * b1)
	default:
		panic("model: the one-class closed form needs a linear residual convention")
	}
	return one
}

// Contour returns the least p0/v1 at which the optimal admission is q at offered
// load beta, (26) for q = 1 and (27): C b2/2 (1/(1-q beta)^2 - 1), and +Inf if
// q beta >= 1.
func (o OneClass) Contour(q, beta float64) float64 {
	d := 1 - q*beta
	if d <= 0 {
		return math.Inf(1)
	}
	return o.Capacity * o.Moment2 / 2 * (1/(d*d) - 1)
}
