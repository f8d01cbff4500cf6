package optimize_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// hurried returns four classes in one pooled server whose delays matter.
func hurried(load float64, change func(i int, c *model.Class)) model.System {
	sys := fourClasses(load)
	sys.Residual = model.Pooled
	for i := range sys.Classes {
		c := &sys.Classes[i]
		c.Decay *= 10
		c.Floor.None = true
		change(i, c)
	}
	return sys
}

func grace(_ int, c *model.Class) { c.Grace.Fixed = 600 }

func graceAndFloor(i int, c *model.Class) {
	c.Grace.Fixed = 300 * float64(i)
	c.Floor = model.Floor{OfPrice: 0.05}
}

func solveExact(t testing.TB, sys model.System) optimize.ExactResult {
	t.Helper()
	return must(optimize.Exact(context.Background(), sys, optimize.Settings{}))
}

// TestExactOptimum: no random admission, everywhere and near the optimum, earns more;
// its bound holds.
func TestExactOptimum(t *testing.T) { exactOptimum(t, 60, 3) }

// exactOptimum tries so many admissions in every k-th case.
func exactOptimum(t *testing.T, tries, every int) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for k, c := range []struct {
		name   string
		load   float64
		change func(int, *model.Class)
	}{
		{"grace", 0.9, grace},
		{"grace, overload", 1.4, grace},
		{"floor", 1.1, graceAndFloor},
		{"real servers", 0.95, grace},
	} {
		if k%every != 0 {
			continue
		}
		sys := hurried(c.load, c.change)
		if c.name == "real servers" {
			sys.Residual = model.Multiserver
		}
		r := solveExact(t, sys)
		e := must(model.NewExact(sys))
		if r.Revenue > r.UpperBound || e.Utilization(r.Admit) > 1-1e-9 {
			t.Errorf("%s: revenue %.10g, bound %.10g", c.name, r.Revenue, r.UpperBound)
		}
		tried, scratch := 0, make([]float64, 4)
		for k := range tries {
			q := make([]float64, 4)
			for i := range q {
				if q[i] = 1.6*rnd.Float64() - 0.3; k%2 == 1 {
					q[i] = r.Admit[i] + 0.1*math.Exp(-6*rnd.Float64())*rnd.NormFloat64()
				}
				q[i] = math.Min(1, math.Max(0, q[i]))
			}
			if e.Utilization(q) > 1-1e-9 {
				continue
			}
			tried++
			if got := e.Gradient(scratch, q); got > r.Revenue*(1+1e-6) {
				t.Errorf("%s: %v earns %.10g, the optimum %v only %.10g", c.name, q, got, r.Admit, r.Revenue)
				break
			}
		}
		if tried < tries/12 {
			t.Errorf("%s: only %d admissions were tried", c.name, tried)
		}
	}
}

// TestExactMatchesLinear: without graces and floors the exact optimum is the
// certified one.
func TestExactMatchesLinear(t *testing.T) {
	for _, load := range []float64{0.3, 0.9, 1.5} {
		sys := hurried(load, func(int, *model.Class) {})
		r := solveExact(t, sys)
		want := certified(t, sys)
		if math.Abs(r.Revenue-want.Revenue) > 1e-6*want.Revenue || r.UpperBound != want.UpperBound {
			t.Errorf("load %g: exact %.12g under %.12g, certified %.12g under %.12g",
				load, r.Revenue, r.UpperBound, want.Revenue, want.UpperBound)
		}
	}
}

// exactPrices compares shadow prices with differences of optima.
func exactPrices(t *testing.T, changes map[string]func(int, *model.Class)) {
	for name, change := range changes {
		sys := hurried(0.9, change)
		r := solveExact(t, sys)
		const step = 0.01
		again := func(changed model.System) float64 { return solveExact(t, changed).Revenue }
		larger, smaller := sys, sys
		larger.Parallel += step * 25
		smaller.Parallel -= step * 25
		want := (again(larger) - again(smaller)) / (2 * step * 25)
		if got := r.Prices.Capacity; math.Abs(got-want) > 0.02*want {
			t.Errorf("%s: a slot is worth %g, by differences %g", name, got, want)
		}
		for i := range sys.Classes {
			per := step * sys.Classes[i].Rate
			more := sys
			more.Classes = append([]model.Class(nil), sys.Classes...)
			more.Classes[i].Rate += per
			want := (again(more) - r.Revenue) / per
			if got := r.Prices.Demand[i]; math.Abs(got-want) > 0.02*want+0.01*sys.Classes[i].MeanPrice() {
				t.Errorf("%s: a job of class %d is worth %g, by differences %g", name, i, got, want)
			}
		}
	}
}

// TestExactPrices leaves floors to the long tests.
func TestExactPrices(t *testing.T) {
	exactPrices(t, map[string]func(int, *model.Class){"grace": grace})
}

// TestExactEdges: no arrivals, no prices, no class.
func TestExactEdges(t *testing.T) {
	idle := hurried(0.5, grace)
	for i := range idle.Classes {
		idle.Classes[i].Rate = 0
	}
	if r := solveExact(t, idle); r.Revenue != 0 || r.Admit[0] != 1 {
		t.Errorf("no arrivals: %+v", r.Result)
	}
	unpaid := hurried(0.5, func(_ int, c *model.Class) { c.Price = model.Tariff{} })
	if r := solveExact(t, unpaid); math.Abs(r.Revenue) > 1e-9 {
		t.Errorf("nothing pays: %+v", r.Result)
	}
	if _, err := optimize.Exact(context.Background(), model.System{}, optimize.Settings{}); err == nil {
		t.Error("an empty system is accepted")
	}
}
