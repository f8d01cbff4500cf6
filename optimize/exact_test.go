package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

func promise(within, level float64, classes ...int) func(i int, c *model.Class) {
	return func(i int, c *model.Class) {
		c.Grace.Fixed = 600
		for _, k := range classes {
			if i == k {
				c.SLO = &model.SLO{Within: within, Level: level}
			}
		}
	}
}

func solveExact(t testing.TB, sys model.System) optimize.ExactResult {
	t.Helper()
	return must(optimize.Exact(context.Background(), sys, optimize.Settings{}))
}

// allowed reports whether an admission is stable and keeps the promises, also to a
// job of a class that it does not admit.
func allowed(e *model.Exact, sys model.System, q []float64) bool {
	if e.Utilization(q) > 1-1e-9 {
		return false
	}
	scratch := make([]float64, len(q))
	for i, c := range sys.Classes {
		if c.SLO != nil && e.Kept(scratch, q, i, c.SLO.Within) < c.SLO.Level {
			return false
		}
	}
	return true
}

// TestExactOptimum: no random admission, everywhere and near the optimum, earns more;
// the optimum keeps its promises; its bound holds.
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
		{"promise of the last", 0.9, promise(600, 0.9, 3)},
		{"promise that closes a class", 1.4, promise(600, 0.9, 3)},
		{"two promises", 1.4, promise(300, 0.95, 1, 3)},
		{"real servers", 0.95, promise(300, 0.95, 0, 1)},
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
		if !allowed(e, sys, r.Admit) {
			t.Errorf("%s: the optimum %v breaks a promise: %v", c.name, r.Admit, r.Kept)
		}
		promises := slices.ContainsFunc(sys.Classes, func(c model.Class) bool { return c.SLO != nil })
		if r.Revenue > r.UpperBound || r.Free < r.Revenue || promises != (r.Free > r.Revenue) {
			t.Errorf("%s: revenue %.10g, bound %.10g, without promises %.10g", c.name, r.Revenue, r.UpperBound, r.Free)
		}
		if a := r.Refusing; a != nil && !(a.Revenue > r.Revenue) {
			t.Errorf("%s: refusing earns %.10g, keeping %.10g", c.name, a.Revenue, r.Revenue)
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
			if !allowed(e, sys, q) {
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

// TestPromiseStrict: one class of exponential lengths is admitted at the rate at which
// (lambda/mu) exp(-(mu-lambda) t) = 1 - level, however strict the level.
func TestPromiseStrict(t *testing.T) {
	lengths := must(model.New(model.Exponential, 1, 1, 0))
	for _, residual := range []model.Residual{model.Pooled, model.Multiserver} {
		for _, level := range []float64{0.5, 0.9, 0.999, 0.9997, 0.99999, 1 - 1e-9} {
			sys := model.System{Parallel: 1, Phi: 1, Residual: residual, Classes: []model.Class{{
				Name: "a", Rate: 0.9, Length: lengths, Price: model.Tariff{Fixed: 10}, SLO: &model.SLO{Within: 1, Level: level},
			}}}
			low, high := 0.0, 0.9
			for range 100 {
				if rate := (low + high) / 2; rate*math.Exp(rate-1) <= 1-level {
					low = rate
				} else {
					high = rate
				}
			}
			if rate := 0.9 * solveExact(t, sys).Admit[0]; math.Abs(rate/low-1) > 1e-5 {
				t.Errorf("%v, level %g: a rate of %g is admitted, %g keeps the promise", residual, level, rate, low)
			}
		}
	}
}

// TestPromiseRelaxed: on random systems of one queue and of several servers a weaker
// promise earns no less, the promise is kept, exactly if it binds, and its cost is the
// difference to the revenue without it.
func TestPromiseRelaxed(t *testing.T) { promiseRelaxed(t, 2) }

func promiseRelaxed(t *testing.T, systems int) {
	rnd := rand.New(rand.NewPCG(8, 2))
	for k := range systems {
		sys := hurried(0.7+0.5*rnd.Float64(), func(i int, c *model.Class) { c.Grace.Fixed = 300 * rnd.Float64() })
		sys.Classes = sys.Classes[2:]
		if k%2 == 1 {
			sys.Residual, sys.Parallel = model.Multiserver, 3+math.Floor(5*rnd.Float64())
			load := sys.Load()
			for i := range sys.Classes {
				sys.Classes[i].Rate /= load
			}
		}
		class, within, last := rnd.IntN(2), 600*rnd.Float64(), math.Inf(-1)
		for _, level := range []float64{0.95, 0.75} {
			sys.Classes[class].SLO = &model.SLO{Within: within, Level: level}
			r := solveExact(t, sys)
			if k := r.Kept[class]; r.Admit[class] > 0 && r.Free > r.Revenue && k > level+1e-4 {
				t.Errorf("level %g: the promise binds, and %g is kept", level, k)
			}
			if r.Revenue < last*(1-1e-4) {
				t.Errorf("%d, level %g: revenue %.10g, with a stricter promise %.10g", k, level, r.Revenue, last)
			}
			cost, gain := r.Costs[class], r.Free-r.Revenue
			if gain < 0 || math.Abs(cost-gain) > 1e-6*r.Free || r.Kept[class] < level {
				t.Errorf("%d, level %g: kept %g, cost %g, revenue %g and %g",
					k, level, r.Kept[class], cost, r.Revenue, r.Free)
			}
			last = r.Revenue
		}
	}
}

// TestPromiseBound: a promise of no wait, in a queue of one length, bounds the
// utilization by its level: the bound is tight.
func TestPromiseBound(t *testing.T) {
	for _, residual := range []model.Residual{model.Pooled, model.Multiserver} {
		sys := hurried(0.9, func(_ int, c *model.Class) { c.Decay = 0 })
		sys.Residual = residual
		sys.Classes[0].SLO = &model.SLO{Within: 0, Level: 0.7}
		r := solveExact(t, sys)
		if !(r.Gap < 0.01) || r.Free < r.Revenue*1.03 {
			t.Errorf("%v: %.10g of at most %.10g, without the promise %.10g", residual, r.Revenue, r.UpperBound, r.Free)
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

// TestExactPrices leaves floors and promises to the long tests.
func TestExactPrices(t *testing.T) {
	exactPrices(t, map[string]func(int, *model.Class){"grace": grace})
}

// TestExactEdges: no arrivals, no prices, one class; impossible promises.
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
	at0 := hurried(0.9, promise(0, 0.9, 0))
	if r := solveExact(t, at0); r.Admit[0] > 0 && r.Kept[0] < 0.9 {
		t.Errorf("a promise of no wait: kept %g", r.Kept[0])
	}
	var bad *optimize.PromiseError
	for _, slo := range []model.SLO{
		{Within: 1, Level: 1}, {Within: 1, Level: 0}, {Within: 1, Level: math.NaN()},
		{Within: -1, Level: 0.5}, {Within: math.NaN(), Level: 0.5},
	} {
		sys := hurried(0.5, promise(slo.Within, slo.Level, 1))
		_, err := optimize.Exact(context.Background(), sys, optimize.Settings{})
		if !errors.As(err, &bad) || bad.Class == "" {
			t.Errorf("promise %+v: %v", slo, err)
		}
	}
	if _, err := optimize.Exact(context.Background(), model.System{}, optimize.Settings{}); err == nil {
		t.Error("an empty system is accepted")
	}
}

func ExampleExact() {
	length, err := model.New(model.Gamma, 3600, 1800, 0)
	if err != nil {
		panic(err)
	}
	sys := model.System{Parallel: 10, Phi: 1, Classes: []model.Class{
		{Name: "urgent", Rate: 0.0005, Length: length, Price: model.Tariff{Fixed: 60}, Decay: 0.01, Floor: model.Floor{None: true},
			SLO: &model.SLO{Within: 600, Level: 0.95}},
		{Name: "batch", Rate: 0.003, Length: length, Price: model.Tariff{Fixed: 5}, Decay: 0.0001, Floor: model.Floor{Fixed: 1}},
	}}
	r, err := optimize.Exact(context.Background(), sys, optimize.Settings{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("admit %.2f and %.2f, %.1f %% of the urgent within ten minutes\n", r.Admit[0], r.Admit[1], 100*r.Kept[0])
	// Output: admit 1.00 and 0.37, 95.0 % of the urgent within ten minutes
}
