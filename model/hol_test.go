package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
)

func hol(t testing.TB, sys model.System) *model.HOL {
	t.Helper()
	return must(model.NewHOL(sys))
}

// TestWaits checks waits worked by hand.
func TestWaits(t *testing.T) {
	exp1 := length(model.Exponential, 1, 1)
	class := func(rate, decay float64, d model.Distribution) model.Class {
		return model.Class{Rate: rate, Decay: decay, Length: d}
	}
	for _, c := range []struct {
		name    string
		sys     model.System
		q, want []float64
	}{
		{"M/M/1 at load 1/2", model.System{Parallel: 1, Residual: model.Pooled, Phi: 1, Classes: []model.Class{class(0.5, 1, exp1)}},
			[]float64{1}, []float64{1}},
		{"M/D/1 at load 1/2", model.System{Parallel: 1, Residual: model.Pooled, Phi: 1, Classes: []model.Class{class(0.5, 1, length(model.Deterministic, 1, 0))}},
			[]float64{1}, []float64{0.5}},
		{"two M/M/1 classes", model.System{Parallel: 1, Residual: model.Pooled, Phi: 1, Classes: []model.Class{class(0.25, 1, exp1), class(0.25, 2, exp1)}},
			[]float64{1, 1}, []float64{0.5 / (0.5 * 0.75), 0.5 / 0.75}},
		{"nothing admitted", model.System{Parallel: 1, Residual: model.Pooled, Phi: 1, Classes: []model.Class{class(0.25, 1, exp1)}},
			[]float64{0}, []float64{0}},
		// The low class is served at rate 1/2, so T0 = 1 and the high class
		// waits 1/(1/2); 5 would be its wait if all low jobs were counted.
		{"saturated low class", model.System{Parallel: 1, Residual: model.Pooled, Phi: 1, Classes: []model.Class{class(0.5, 2, exp1), class(2, 1, exp1)}},
			[]float64{1, 1}, []float64{2, math.Inf(1)}},
		{"three classes, the middle one saturates", model.System{Parallel: 2, Residual: model.Pooled, Phi: 1,
			Classes: []model.Class{class(0.5, 3, exp1), class(9, 2, exp1), class(9, 1, exp1)}},
			[]float64{1, 1, 1}, []float64{(0.5 + 1.5) / 4 / 0.75, math.Inf(1), math.Inf(1)}},
		{"as printed", model.System{Parallel: 2, Residual: model.Printed, Phi: 1, Classes: []model.Class{class(1, 1, exp1)}},
			[]float64{1}, []float64{1 / 0.5}},
		{"M/M/2 at load 1/2", model.System{Parallel: 2, Residual: model.Multiserver, Phi: 1, Classes: []model.Class{class(1, 1, exp1)}},
			[]float64{1}, []float64{1.0 / 3}},
		{"M/M/2 past load 1", model.System{Parallel: 2, Residual: model.Multiserver, Phi: 1, Classes: []model.Class{class(1, 2, exp1), class(8, 1, exp1)}},
			[]float64{1, 1}, []float64{2.0 / 4 / 0.5, math.Inf(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := hol(t, c.sys).Waits(make([]float64, len(c.q)), c.q)
			for i := range got {
				if got[i] != c.want[i] && !(math.Abs(got[i]-c.want[i]) < 1e-12) {
					t.Errorf("class %d waits %.15g, want %.15g", i, got[i], c.want[i])
				}
			}
		})
	}
}

// TestErlang checks the M/M/n waiting probability against tables and its
// continuation between integers against the integral it stands for,
// 1/B(n, a) = a Int exp(-a t) (1+t)^n dt.
func TestErlang(t *testing.T) {
	for _, c := range []struct{ n, a, b, c float64 }{
		{1, 0.5, 1.0 / 3, 0.5},
		{2, 1, 0.2, 1.0 / 3},
		{5, 3, 0.11005434782608696, 0.23615160349854225},
	} {
		if got := model.ErlangB(c.n, c.a); math.Abs(got-c.b) > 1e-12 {
			t.Errorf("B(%g, %g) = %.15g, want %.15g", c.n, c.a, got, c.b)
		}
		if got := model.ErlangC(c.n, c.a); math.Abs(got-c.c) > 1e-12 {
			t.Errorf("C(%g, %g) = %.15g, want %.15g", c.n, c.a, got, c.c)
		}
	}
	for n := 1; n <= 30; n += 3 {
		a := 0.8 * float64(n)
		sum, term := 0.0, 1.0
		for k := range n {
			sum += term
			term *= a / float64(k+1)
		}
		wait := term * float64(n) / (float64(n) - a)
		if got, want := model.ErlangC(float64(n), a), wait/(sum+wait); math.Abs(got-want) > 1e-13 {
			t.Errorf("C(%d, %g) = %.15g, the sum of states gives %.15g", n, a, got, want)
		}
	}
	for _, n := range []float64{0.3, 0.7, 2.5, 7.69230769, 40.1} {
		for _, a := range []float64{0.1, 1, 1.99, 2.01, 6, 35} {
			const steps = 20000
			upper := 60 + 6*n
			var sum float64
			for i := range steps {
				x := (float64(i) + 0.5) * upper / steps // x = a t
				sum += math.Exp(-x) * math.Pow(1+x/a, n) * upper / steps
			}
			if got := model.ErlangB(n, a); math.Abs(got*sum-1) > 1e-6 {
				t.Errorf("B(%g, %g) = %.12g, the integral gives %.12g", n, a, got, 1/sum)
			}
		}
	}
	if small, large := model.ErlangB(2000, 1950), model.ErlangB(2000.0000001, 1950); math.Abs(small/large-1) > 1e-6 {
		t.Errorf("B jumps from %g to %g where the method changes", small, large)
	}
	if got := model.ErlangC(3, 3); got != 1 {
		t.Errorf("C(3, 3) = %g, want 1", got)
	}
}

// TestRevenueEdges checks inputs at the edge of the model's domain.
func TestRevenueEdges(t *testing.T) {
	exp1 := length(model.Exponential, 1, 1)
	for _, r := range []model.Residual{model.Printed, model.Pooled, model.Multiserver} {
		sys := model.System{Parallel: 2, Residual: r, Phi: 1, Classes: []model.Class{
			{Rate: 3, Length: exp1, Price: model.Tariff{Fixed: 10}, Decay: 1},
			{Rate: 1, Length: exp1, Price: model.Tariff{Fixed: 10}},
			{Rate: 0, Length: exp1, Price: model.Tariff{Fixed: 10}, Decay: 1},
		}}
		h := hol(t, sys)
		if got := h.Revenue([]float64{1, 1, 1}); !math.IsInf(got, -1) {
			t.Errorf("%v: revenue of an unstable queue is %g, want -Inf", r, got)
		}
		if got := h.Revenue([]float64{0, 0, 0}); got != 0 {
			t.Errorf("%v: revenue of nothing is %g", r, got)
		}
		if got := h.Revenue([]float64{0, 1, 1}); got != 10 {
			t.Errorf("%v: a class without decay earns %g, want 10", r, got)
		}
		grad := make([]float64, 3)
		if h.Gradient(grad, []float64{0, 0, 0}); math.IsNaN(grad[0] + grad[1] + grad[2]) {
			t.Errorf("%v: gradient at 0 is %v", r, grad)
		}
		per := h.ClassRevenue(make([]float64, 3), []float64{0.2, 0.5, 1})
		if got, want := per[0]+per[1]+per[2], h.Revenue([]float64{0.2, 0.5, 1}); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: classes earn %g together, the system %g", r, got, want)
		}
	}
}

// TestLossByParts holds the loss against its convex form: the identity on
// which the certificate rests.
func TestLossByParts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		s := 1 + rnd.IntN(6)
		sys := randomSystem(rnd, s, 0.9*rnd.Float64()+0.05, model.Pooled, func() float64 { return 0 })
		h := hol(t, sys)
		q := make([]float64, s)
		gross := 0.0
		for i := range q {
			q[i] = rnd.Float64()
			gross += q[i] * sys.Classes[i].Rate * sys.Classes[i].MeanPrice()
		}
		t0 := h.Residual(q)
		order := model.ServiceOrder(sys.Classes)
		loss, last, sigma := 0.0, 0.0, h.Utilization(q)
		for _, i := range order {
			c := sys.Classes[i]
			loss += (c.Urgency() - last) / (1 - sigma)
			last = c.Urgency()
			sigma -= q[i] * c.Rate * c.Length.Mean() / sys.Parallel
		}
		loss = sys.Phi * t0 * sys.Parallel * (loss - last)
		if got := gross - h.Revenue(q); math.Abs(got-loss) > 1e-9*gross {
			t.Fatalf("loss %.12g, by parts %.12g", got, loss)
		}
	}
}

// TestCapacityValue holds dR/dn and the slopes of waits against differences.
func TestCapacityValue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	for _, r := range []model.Residual{model.Printed, model.Pooled, model.Multiserver} {
		for range 100 {
			s := 1 + rnd.IntN(5)
			sys := randomSystem(rnd, s, 0.9, r, func() float64 { return 0 })
			q := make([]float64, s)
			for i := range q {
				q[i] = 0.1 + 0.9*rnd.Float64()
			}
			at := func(n float64) *model.HOL {
				changed := sys
				changed.Parallel = n
				return hol(t, changed)
			}
			n, step := sys.Parallel, 1e-4*sys.Parallel
			difference := func(f func(h *model.HOL) float64) float64 {
				return (8*(f(at(n+step))-f(at(n-step))) - (f(at(n+2*step)) - f(at(n-2*step)))) / (12 * step)
			}
			h := hol(t, sys)
			want := difference(func(h *model.HOL) float64 { return h.Revenue(q) })
			if got := h.CapacityValue(q); math.Abs(got-want) > 1e-5*math.Abs(want)+1e-9 {
				t.Errorf("%v: dR/dn = %.10g, differences give %.10g", r, got, want)
			}
			class := rnd.IntN(s)
			wait := func(h *model.HOL) float64 { return h.Waits(make([]float64, s), q)[class] }
			slopes := make([]float64, s)
			if got, want := h.WaitSlopes(slopes, q, class), difference(wait); math.Abs(got-want) > 1e-5*math.Abs(want)+1e-12 {
				t.Errorf("%v: dW/dn = %.10g, differences give %.10g", r, got, want)
			}
			j := rnd.IntN(s)
			rate := sys.Classes[j].Rate
			bump := func(x float64) float64 { q[j] += x; defer func() { q[j] -= x }(); return wait(h) }
			want = (8*(bump(1e-4)-bump(-1e-4)) - (bump(2e-4) - bump(-2e-4))) / (12e-4 * rate)
			if math.Abs(slopes[j]-want) > 1e-5*math.Abs(want)+1e-12 {
				t.Errorf("%v: dW/dlambda = %.10g, differences give %.10g", r, slopes[j], want)
			}
		}
	}
}
