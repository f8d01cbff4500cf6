package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
)

// randomSystem draws a system of s classes with unequal lengths, variances,
// prices, decays and graces, offered at the given load.
func randomSystem(rnd *rand.Rand, s int, load float64, r model.Residual, grace func() float64) model.System {
	sys := model.System{Parallel: 1 + math.Floor(40*rnd.Float64()), Residual: r, Phi: 0.5 + rnd.Float64()}
	var total float64
	shares := make([]float64, s)
	for i := range shares {
		shares[i] = 0.1 + rnd.Float64()
		total += shares[i]
	}
	for i := range s {
		mean := math.Exp(4 + 5*rnd.Float64())
		length := must(model.New(model.Gamma, mean, mean*(0.1+1.5*rnd.Float64()), 0))
		sys.Classes = append(sys.Classes, model.Class{
			Rate:   load * shares[i] / total * sys.Parallel / mean,
			Length: length,
			Price:  model.Tariff{Fixed: math.Exp(3 + 4*rnd.Float64())},
			Decay:  math.Exp(-6 + 6*rnd.Float64()),
			Grace:  model.Grace{Fixed: grace()},
		})
	}
	return sys
}

// TestGradient holds the analytic gradient against central differences at
// random points, away from kinks, and counts the checks made.
func TestGradient(t *testing.T) {
	const want = 1000
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, convention := range []model.Residual{model.Printed, model.Pooled, model.Multiserver} {
		for _, width := range []float64{0, 0.2} {
			checks := 0
			for checks < want {
				s := 1 + rnd.IntN(8)
				sys := randomSystem(rnd, s, 0.2+0.75*rnd.Float64(), convention, func() float64 {
					return math.Trunc(2*rnd.Float64()) * math.Exp(6*rnd.Float64())
				})
				h := hol(t, sys)
				q := make([]float64, s)
				for i := range q {
					q[i] = 0.01 + 0.98*rnd.Float64()
				}
				checks += checkGradient(t, h, q, width)
			}
			t.Logf("%v, smoothed over %g graces: %d partial derivatives checked", convention, width, checks)
		}
	}
}

// checkGradient compares every partial derivative that has no kink nearby
// and returns how many it compared.
func checkGradient(t *testing.T, h *model.HOL, q []float64, width float64) int {
	t.Helper()
	grad, scratch := make([]float64, len(q)), make([]float64, len(q))
	r := h.SmoothGradient(grad, q, width)
	if width == 0 {
		if got := h.Revenue(q); math.Abs(got-r) > 1e-12*math.Abs(r) {
			t.Fatalf("Revenue is %g, the gradient says %g", got, r)
		}
	}
	value := func(i int, x float64) float64 {
		saved := q[i]
		q[i] = x
		defer func() { q[i] = saved }()
		return h.SmoothGradient(scratch, q, width)
	}
	checks := 0
	for i := range q {
		const step = 1e-3
		x := q[i]
		// A five-point stencil and one of half its step: where they
		// disagree a kink lies between.
		d := func(h float64) float64 {
			return (8*(value(i, x+h)-value(i, x-h)) - (value(i, x+2*h) - value(i, x-2*h))) / (12 * h)
		}
		wide, narrow := d(step), d(step/4)
		scale := math.Abs(grad[i]) + 1e-3*math.Abs(r)
		if math.Abs(wide-narrow) > 1e-7*scale {
			continue
		}
		if math.Abs(narrow-grad[i]) > 1e-6*scale {
			t.Errorf("dR/dq[%d] of %v at %v is %.10g, differences give %.10g", i, h.System().Residual, q, grad[i], narrow)
		}
		checks++
	}
	return checks
}
