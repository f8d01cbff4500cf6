package model_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/model"
)

// TestDeadline: a deadline of mean length plus g is a grace of g, in every
// formula; one that is shorter than the length costs a job served at once what
// it is short, and no wait is free.
func TestDeadline(t *testing.T) {
	length := must(model.New(model.Exponential, 10, 0, 0))
	const price, decay, rate, short = 50, 2, 0.07, 4
	system := func(change func(c *model.Class)) model.System {
		c := model.Class{Name: "x", Rate: rate, Length: length, Price: model.Tariff{Fixed: price}, Decay: decay, Floor: model.Floor{None: true}}
		change(&c)
		return model.System{Classes: []model.Class{c}, Parallel: 1, Residual: model.Pooled, Phi: 1}
	}
	revenues := func(sys model.System) (linear, exact float64) {
		h := hol(t, sys)
		e := must(model.NewExact(sys))
		exact, _ = e.Revenue([]float64{1})
		return h.Revenue([]float64{1}), exact
	}
	plain, plainExact := revenues(system(func(*model.Class) {}))
	grace, graceExact := revenues(system(func(c *model.Class) { c.Grace.Fixed = short }))
	for _, tt := range []struct {
		name          string
		change        func(c *model.Class)
		linear, exact float64
	}{
		{"as grace", func(c *model.Class) { c.Deadline.Fixed = 10 + short }, grace, graceExact},
		{"in lengths", func(c *model.Class) { c.Deadline.Lengths = 1 + short/10.0 }, grace, graceExact},
		{"short", func(c *model.Class) { c.Deadline.Fixed = 10 - short }, plain - rate*decay*short, plainExact - rate*decay*short},
		{"share of the price", func(c *model.Class) { c.Decay, c.DecayOfPrice = 0, decay/50.0 }, plain, plainExact},
	} {
		linear, exact := revenues(system(tt.change))
		if math.Abs(linear-tt.linear) > 1e-9 || math.Abs(exact-tt.exact) > 1e-7 {
			t.Errorf("%s: revenue %g and %g, want %g and %g", tt.name, linear, exact, tt.linear, tt.exact)
		}
	}
}

// TestEqualUrgencies: classes that differ in standard deviation alone keep their order
// although their means are computed. Differences of a billionth of the least urgency of
// a group do not count, larger ones do.
func TestEqualUrgencies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 2))
	for range 300 {
		kind := []model.Kind{model.Normal, model.LogNormal, model.Gamma}[rnd.IntN(3)]
		mean, min := 1+5000*rnd.Float64(), 0.0
		if kind == model.Normal {
			min = 0.3 * mean * rnd.Float64()
		}
		var pair []model.Class
		for range 2 {
			d := must(model.New(kind, mean, (0.05+0.6*rnd.Float64())*mean, min))
			pair = append(pair, model.Class{Length: d, Decay: 0.013})
		}
		if got := model.ServiceOrder(pair); got[0] != 0 {
			t.Errorf("%v, %v: order %v", pair[0].Length, pair[1].Length, got)
		}
	}
	const d = 0.6e-9
	got := model.ByUrgency([]float64{1 + 3*d, 1 + d, 0, 1 + 2*d, 1, 5, 0, 1})
	if want := []int{2, 6, 1, 4, 7, 0, 3, 5}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
