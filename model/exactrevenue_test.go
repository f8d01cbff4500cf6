package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
)

// priced gives the classes of a system prices and decays of the order of its
// waits, and what change does to each.
func priced(sys model.System, change func(i int, c *model.Class)) model.System {
	w := must(model.NewWaits(sys, all(len(sys.Classes)), model.WaitOptions{}))
	for i := range sys.Classes {
		c := &sys.Classes[i]
		c.Price.Fixed = 100 * float64(i+1)
		c.Decay *= 30 / (w.Mean(0) * c.Length.Mean())
		change(i, c)
	}
	return sys
}

func newExact(t testing.TB, sys model.System) *model.Exact {
	t.Helper()
	return must(model.NewExact(sys))
}

// randomAdmission draws probabilities, some of them 0 or 1.
func randomAdmission(rnd *rand.Rand, n int) []float64 {
	q := make([]float64, n)
	for i := range q {
		q[i] = math.Min(1, math.Max(0, 1.4*rnd.Float64()-0.2))
	}
	return q
}

// TestExactLinear: without grace and floor the exact revenue is that of the
// pooled queue in closed form, (20).
func TestExactLinear(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 7))
	for name, sys := range mixes() {
		sys = priced(sys, func(int, *model.Class) {})
		sys.Phi = 0.7
		hol := hol(t, sys)
		e := newExact(t, sys)
		for range 5 {
			q := randomAdmission(rnd, hol.Len())
			r, off := e.Revenue(q)
			if want := hol.Revenue(q); math.Abs(r-want) > 1e-10*math.Abs(want) || off != 0 {
				t.Errorf("%s: exact %.15g, closed form %.15g", name, r, want)
			}
		}
	}
}

// TestExactBetween: with a grace or a floor the exact revenue lies between the
// linear revenue and the revenue without any loss, and by Jensen's inequality,
// without floors, not above the revenue with the loss of the mean wait.
func TestExactBetween(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 7))
	for name, sys := range mixes() {
		for _, floor := range []bool{false, true} {
			sys := priced(sys, func(i int, c *model.Class) {
				c.Grace.Fixed = 0.3 * float64(i)
				c.Floor = model.Floor{None: !floor, OfPrice: 0.05}
			})
			linear, lossless := sys, sys
			linear.Classes, lossless.Classes = append([]model.Class(nil), sys.Classes...), append([]model.Class(nil), sys.Classes...)
			for i := range sys.Classes {
				linear.Classes[i].Grace, linear.Classes[i].Floor = model.Grace{}, model.Floor{None: true}
				lossless.Classes[i].Price = sys.Classes[i].Price
			}
			hol, _ := model.NewHOL(linear)
			mean, _ := model.NewHOL(sys)
			e := newExact(t, sys)
			for range 4 {
				q := randomAdmission(rnd, hol.Len())
				r, off := e.Revenue(q)
				var gross float64
				for i, c := range sys.Classes {
					gross += q[i] * c.Rate * c.MeanPrice()
				}
				if low := hol.Revenue(q); !(r >= low-off && r <= gross+off) {
					t.Errorf("%s, floor %v: %.12g is not between %.12g and %.12g", name, floor, r, low, gross)
				}
				if high := mean.Revenue(q); !floor && r > high+off+1e-12*gross {
					t.Errorf("%s: %.12g is above the revenue of the mean wait, %.12g", name, r, high)
				}
				per := e.ClassRevenue(make([]float64, len(q)), q)
				var sum float64
				for _, x := range per {
					sum += x
				}
				if math.Abs(sum-r) > 1e-12*math.Abs(r) {
					t.Errorf("%s: classes earn %.15g, together %.15g", name, sum, r)
				}
			}
		}
	}
}

// TestExactMM1 prices M/M/1 with both corners against the integral in closed
// form: X(a) = rho m exp(-a/m), m = b/(1-rho).
func TestExactMM1(t *testing.T) {
	const rho, b = 0.75, 2.0
	sys := queueOf(1, rho, length(model.Exponential, b, b))
	sys.Phi = 0.5
	sys.Classes[0].Price.Fixed, sys.Classes[0].Decay = 10, 3
	sys.Classes[0].Grace.Fixed = 1.5
	sys.Classes[0].Floor = model.Floor{Fixed: 2}
	x := func(a float64) float64 { return rho * b / (1 - rho) * math.Exp(-a*(1-rho)/b) }
	want := rho / b * (10 - 3*0.5*(x(1.5/0.5)-x((1.5+12.0/3)/0.5)))
	if r, off := newExact(t, sys).Revenue([]float64{1}); math.Abs(r-want) > 1e-10 || off > 1e-9 {
		t.Errorf("revenue %.14g ± %.1e, want %.14g", r, off, want)
	}
	sys.Classes[0].Decay = 0
	if r, _ := newExact(t, sys).Revenue([]float64{1}); r != rho/b*10 {
		t.Errorf("without delay revenue is %g", r)
	}
	if r, _ := newExact(t, queueOf(1, 1.2, length(model.Exponential, b, b))).Revenue([]float64{1}); !math.IsInf(r, -1) {
		t.Errorf("an unstable queue earns %g", r)
	}
}

// TestExactGradient compares the inverted derivatives with differences, of the
// pooled queue and of several real servers.
func TestExactGradient(t *testing.T) {
	checkExactGradient(t, model.Pooled)
	checkExactGradient(t, model.Multiserver)
}

func checkExactGradient(t *testing.T, queue model.Residual) {
	for name, sys := range mixes() {
		if name == "heavy traffic" {
			continue // differences would leave the stable region
		}
		sys := priced(sys, func(i int, c *model.Class) {
			c.Grace.Fixed = 0.5 * float64(i%2)
			c.Floor = model.Floor{None: i%3 == 0, Fixed: 20}
		})
		name += ", " + queue.String()
		sys.Residual = queue
		e := newExact(t, sys)
		n := e.Len()
		q := all(n)
		for i := range q {
			q[i] = 0.9 - 0.1*float64(i)
		}
		grad := make([]float64, n)
		r := e.Gradient(grad, q)
		if want, _ := e.Revenue(q); math.Abs(r-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s: Gradient returns %.12g, Revenue %.12g", name, r, want)
		}
		for i := range q {
			const h = 1e-3
			up, down := append([]float64(nil), q...), append([]float64(nil), q...)
			up[i] += h
			down[i] -= h
			per := 2 * h * sys.Classes[i].Rate
			a, _ := e.Revenue(up)
			b, _ := e.Revenue(down)
			if want := (a - b) / per; math.Abs(grad[i]-want) > 1e-3*math.Abs(want)+1e-3 {
				t.Errorf("%s: dR/dlambda_%d = %.8g, difference %.8g", name, i, grad[i], want)
			}
		}
	}
}
