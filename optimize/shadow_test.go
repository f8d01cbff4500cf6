package optimize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"revopt/model"
	"revopt/optimize"
)

// quotients returns the difference quotients of optima with more, and with less, of one
// parameter.
func quotients(t *testing.T, sys model.System, change func(*model.System, float64), step float64) (more, less float64) {
	t.Helper()
	solve := func(by float64) float64 {
		changed := sys
		changed.Classes = append([]model.Class(nil), sys.Classes...)
		change(&changed, by)
		r := certified(t, changed, optimize.Settings{Gap: 1e-7})
		return r.Revenue
	}
	base := solve(0)
	return (solve(step) - base) / step, (base - solve(-step)) / step
}

// TestShadowPrices holds the multipliers against difference quotients of optima. The
// slope for an increase is the quotient for more or, if the optimum curves, lies between
// it and the mean of both.
func TestShadowPrices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	systems := []model.System{}
	for _, load := range []float64{0.1, 0.15, 0.3, 0.5, 0.7, 0.95, 1.3} {
		systems = append(systems, fourClasses(load))
	}
	for _, h := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
		systems = append(systems, twoClasses(25, 0, h), twoClasses(30, 13200, h))
	}
	for range 15 {
		systems = append(systems, randomSystem(rnd, model.Printed, common(rnd)),
			randomSystem(rnd, model.Pooled, func() float64 { return 0 }))
	}
	smooth := len(systems)
	for range 3 {
		systems = append(systems, randomSystem(rnd, model.Pooled, common(rnd)),
			randomSystem(rnd, model.Printed, func() float64 { return 1.5 * rnd.Float64() }))
	}
	checks := 0
	for k, sys := range systems {
		r := certified(t, sys, optimize.Settings{Gap: 1e-7})
		prices := shadowPrices(t, sys, r)
		noise := 1e-4
		if k >= smooth {
			noise = 2e-3 // these optima are known to 1e-6 only
		}
		check := func(name string, got, scale float64, change func(*model.System, float64), step float64) {
			more, less := quotients(t, sys, change, step)
			if math.Abs(got-more) > 0.6*math.Abs(more-less)+noise*scale {
				t.Errorf("system %d: %s is %.8g, differences give %.8g for more and %.8g for less", k, name, got, more, less)
			}
			checks++
		}
		slot := r.Revenue / sys.Parallel
		check("capacity", prices.Capacity, slot, func(s *model.System, by float64) { s.Parallel += by }, 1e-3*sys.Parallel)
		for i, c := range sys.Classes {
			check("demand of class "+string(rune('0'+i)), prices.Demand[i], c.MeanPrice(),
				func(s *model.System, by float64) { s.Classes[i].Rate += by }, 1e-3*c.Rate)
		}
	}
	t.Logf("%d shadow prices checked", checks)
}

// TestPricesOnKinks holds both prices of capacity against values worked by hand where one slot is just enough for a
// class with jobs of length 1.
func TestPricesOnKinks(t *testing.T) {
	unit := must(model.New(model.Deterministic, 1, 0, 0))
	class := func(rate, decay, grace float64) model.Class {
		return model.Class{
			Rate: rate, Length: unit, Price: model.Tariff{Fixed: 5}, Decay: decay, Grace: model.Grace{Fixed: grace},
		}
	}
	for _, c := range []struct {
		name            string
		class           model.Class
		next, last, job float64
	}{
		// All are admitted, and the next slot is idle; the last one earns what it works.
		{"the edge of stability", class(1, 0, 0), 0, 5, 0},
		// The wait x / (2 n (n - x)) at rate x = 1/2 is the grace. With less capacity it grows by 3/2 for each slot, which
		// costs x decay; one more arrival costs 2 x decay.
		{"a wait that equals the grace", class(0.5, 1, 0.5), 0, 0.75, 4},
		// Without a grace nothing is kinked: the same wait costs on both sides.
		{"no kink", class(0.5, 1, 0), 0.75, 0.75, 5 - 0.5 - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := model.System{Parallel: 1, Residual: model.Pooled, Classes: []model.Class{c.class}}
			p := shadowPrices(t, sys, certified(t, sys))
			want := optimize.Prices{Capacity: c.next, Last: c.last, Demand: []float64{c.job}}
			if diff := cmp.Diff(want, p, cmpopts.EquateApprox(0.01, 1e-3)); diff != "" {
				t.Errorf("(-worked +got):\n%s", diff)
			}
		})
	}
}
