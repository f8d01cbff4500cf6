package model_test

import (
	"fmt"
	"math"
	"testing"

	"revopt/model"
)

// TestOneClass holds the closed form (24)-(27) against a search over the
// revenue itself.
func TestOneClass(t *testing.T) {
	for _, r := range []model.Residual{model.Printed, model.Pooled} {
		for _, decay := range []float64{0, 1e-4, 0.01, 1, 100} {
			for _, beta := range []float64{0.05, 0.5, 0.95, 1.5} {
				const n = 30
				class := model.Class{Length: length(model.Normal, 4400, 1500), Price: model.Tariff{Fixed: 1000}, Decay: decay}
				class.Rate = beta * n / class.Length.Mean()
				h := hol(t, model.System{Parallel: n, Residual: r, Phi: 1, Classes: []model.Class{class}})
				one := model.NewOneClass(class, n, r)
				loss := one.Capacity * decay * one.Moment2 / 2         // (23)
				q := math.Min(1, (1-math.Sqrt(loss/(1000+loss)))/beta) // (24), (25)
				if q*beta >= 1 {
					q = (1 - 1e-9) / beta // at the edge of stability, where the supremum lies
				}
				best := h.Revenue([]float64{q})
				rho := q * beta
				if got := rho * (1000 - loss*rho/(1-rho)) * n / class.Length.Mean(); math.Abs(got-best) > 1e-9*best {
					t.Errorf("objective (22) %.12g, revenue %.12g", got, best)
				}
				for i := 0; i <= 1000; i++ {
					if x := float64(i) / 1000; x*beta < 1-1e-9 && h.Revenue([]float64{x}) > best*(1+1e-12) {
						t.Fatalf("%v, decay %g, load %g: admission %g earns more than %g", r, decay, beta, x, q)
					}
				}
				if decay > 0 && q < 1 {
					if got := one.Contour(q, beta); math.Abs(got-1000/decay) > 1e-6*got {
						t.Errorf("(27) at q = %g gives p0/v1 = %g, want %g", q, got, 1000/decay)
					}
				}
				if all := decay == 0 || 1000/decay >= one.Contour(1, beta); beta < 1 && all != (q == 1) {
					t.Errorf("(26) says admit all: %v, (25) says %g", all, q)
				}
			}
		}
	}
}

func TestUtility(t *testing.T) {
	u := model.Utility{Base: 100, Decay: 4, Grace: 10, Penalty: 20}
	for _, c := range []struct{ tau, want float64 }{
		{0, 100}, {10, 100}, {11, 96}, {25, 40}, {35, 0}, {40, -20}, {41, -20}, {1e9, -20},
	} {
		if got := u.At(c.tau); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("v(%g) = %g, want %g", c.tau, got, c.want)
		}
	}
	if u.Corner() != 40 || u.Zero() != 35 {
		t.Errorf("corner %g, zero %g", u.Corner(), u.Zero())
	}
	line := model.Linear(30, 2)
	if line.At(1000) != -1970 || !math.IsInf(line.Corner(), 1) || line.Zero() != 15 {
		t.Errorf("linear utility: %g at 1000, corner %g, zero %g", line.At(1000), line.Corner(), line.Zero())
	}
	flat := model.Utility{Base: 5, Penalty: 1}
	if flat.At(1e12) != 5 || !math.IsInf(flat.Corner(), 1) || !math.IsInf(flat.Zero(), 1) {
		t.Error("a utility without decay loses value")
	}
}

func ExampleHOL() {
	length, _ := model.New(model.Exponential, 60, 60, 0)
	sys := model.System{
		Parallel: 4,
		Classes: []model.Class{
			{Name: "urgent", Rate: 0.01, Length: length, Price: model.Tariff{Fixed: 5}, Decay: 0.02},
			{Name: "batch", Rate: 0.04, Length: length, Price: model.Tariff{Fixed: 1}, Decay: 0.001},
		},
	}
	h, err := model.NewHOL(sys)
	if err != nil {
		panic(err)
	}
	q := []float64{1, 1}
	waits := h.Waits(make([]float64, 2), q)
	fmt.Printf("utilization %.2f, waits %.1f s and %.1f s, $%.4f/s\n", h.Utilization(q), waits[0], waits[1], h.Revenue(q))
	// Output: utilization 0.75, waits 13.2 s and 52.9 s, $0.0852/s
}
