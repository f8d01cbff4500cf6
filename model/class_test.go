package model_test

import (
	"math"
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
