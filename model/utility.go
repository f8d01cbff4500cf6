package model

import "math"

// Utility is a piecewise linear willingness to pay for a job as a function of
// its queueing delay tau, with two corners:
//
//	v(tau) = v+                      for tau <= tau_min
//	v(tau) = v+ - b (tau - tau_min)  for tau_min < tau <= tau_max
//	v(tau) = -v-                     for tau > tau_max
//
// Marbukh & Mills (2)-(4), where a = v+ + b tau_min. The corner tau_max =
// tau_min + (v+ + v-)/b follows from the other parameters.
//
// Special cases: Penalty = +Inf has no second corner; Grace = 0 and
// Penalty = +Inf is the linear utility (5); Decay = 0 never loses value.
type Utility struct {
	Base    float64 // v+, $: value of a job that does not wait
	Decay   float64 // b, $/s: loss per second of delay after the grace
	Grace   float64 // tau_min, s: delay before decay starts
	Penalty float64 // v-, $: the largest penalty; +Inf without a limit
}

// Linear returns the linear utility v0 - v1 tau of Marbukh & Mills (5).
func Linear(v0, v1 float64) Utility {
	return Utility{Base: v0, Decay: v1, Penalty: math.Inf(1)}
}

// At returns the value v(tau) of a job that waited tau seconds, (2).
func (u Utility) At(tau float64) float64 { return u.Base - u.Loss(tau) }

// Loss returns v+ - v(tau), the price reduction after a wait of tau seconds.
// A provider that charges a base price p0 collects p0 - Loss(tau), (6).
func (u Utility) Loss(tau float64) float64 {
	if tau <= u.Grace || u.Decay == 0 {
		return 0
	}
	return math.Min(u.Decay*(tau-u.Grace), u.Base+u.Penalty)
}

// Corner returns tau_max, the delay at which the largest penalty is reached, or +Inf.
func (u Utility) Corner() float64 {
	switch loss := u.Base + u.Penalty; {
	case loss <= 0:
		return u.Grace
	case u.Decay == 0:
		return math.Inf(1)
	default:
		return u.Grace + loss/u.Decay
	}
}

// Zero returns the delay at which the value has fallen to zero, or +Inf. The paper calls
// Zero() - Grace "tau".
func (u Utility) Zero() float64 {
	if u.Base <= 0 {
		return u.Grace
	}
	if u.Decay == 0 || u.Penalty < 0 {
		return math.Inf(1)
	}
	return u.Grace + u.Base/u.Decay
}
