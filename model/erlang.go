package model

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ErlangB returns the probability that an arriving job finds all n servers
// busy where blocked jobs are lost (M/G/n/n) and the offered load is a
// Erlang. n need not be an integer: the function is continued by
//
//	B(n, a) = a^n e^-a / Gamma(n+1, a)
//
// (Jagerman 1974). Special cases: B(0, a) = 1, B(n, 0) = 0 for n > 0.
func ErlangB(n, a float64) float64 {
	if a == 0 {
		if n == 0 {
			return 1
		}
		return 0
	}
	const recursive = 2000
	if n > recursive {
		lg, _ := math.Lgamma(n + 1)
		return math.Exp(n*math.Log(a)-a-lg) / mathext.GammaIncRegComp(n+1, a)
	}
	// 1/B(x+1) = 1 + (x+1)/a * 1/B(x), which only adds positive terms.
	whole := math.Floor(n)
	x := n - whole
	inverse := 1 / erlangFraction(x, a)
	for range int(whole) {
		x++
		inverse = 1 + x/a*inverse
	}
	return 1 / inverse
}

// erlangFraction returns B(x, a) for 0 <= x < 1.
func erlangFraction(x, a float64) float64 {
	if x == 0 {
		return 1
	}
	if a < 2 {
		g := math.Gamma(x+1) * mathext.GammaIncRegComp(x+1, a)
		return math.Exp(x*math.Log(a)-a) / g
	}
	// Gamma(s, a) = e^-a a^s / (a+1-s - 1(1-s)/(a+3-s - 2(2-s)/(a+5-s - ...))),
	// evaluated backwards; s = x+1. Forty terms are exact to rounding from a = 2.
	s := x + 1
	var f float64
	for k := 80; k >= 1; k-- {
		i := float64(k)
		f = i * (i - s) / (a + 2*i + 1 - s - f)
	}
	return (a + 1 - s - f) / a
}

// ErlangC returns the probability that an arriving job must wait in M/M/n with
// an offered load of a < n Erlang: C = n B / (n - a (1 - B)). It is 1 from
// a = n on.
func ErlangC(n, a float64) float64 {
	if a >= n {
		return 1
	}
	b := ErlangB(n, a)
	return n * b / (n - a*(1-b))
}

// erlangCSlope returns dC(n, a)/da, from dB/da = B (n/a - 1 + B).
func erlangCSlope(n, a float64) float64 {
	if a == 0 {
		if n == 1 {
			return 1
		}
		return 0
	}
	b := ErlangB(n, a)
	db := b * (n/a - 1 + b)
	d := n - a*(1-b)
	return n * (db*d - b*(b-1+a*db)) / (d * d)
}
