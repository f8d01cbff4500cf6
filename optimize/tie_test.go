package optimize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// tiedClasses is a system of classes of one length that pay 1 or 5, with a grace
// or without decay.
func tiedClasses(load, grace float64, prices, decays, shares []float64) model.System {
	sys := model.System{Parallel: 10, Residual: model.Printed, Phi: 0.56}
	for i, p := range prices {
		sys.Classes = append(sys.Classes, model.Class{Length: normal(7200, 2400), Price: model.Tariff{Fixed: p},
			Decay: decays[i], Grace: model.Grace{Fixed: grace}})
	}
	arrive(&sys, load, shares...)
	return sys
}

// TestTied holds admissions against the one that the rule names where several
// earn the same, by hand: the cheap classes share what T0 = grace, or the edge of
// stability, leaves to them, the least urgent first, from any start.
func TestTied(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	shares := []float64{0.16, 0.64, 0.16, 0.04}
	moments := normal(7200, 2400).Moment(2) / 7200 / 7200
	full := 21600 / (0.56 * 10 * 7200 * moments / 2) // the utilization at which T0 is the grace
	for _, load := range []float64{1.02, 1.25, 2, 3} {
		for _, c := range []struct {
			name   string
			grace  float64
			decays []float64
			room   float64
		}{
			{"grace", 21600, []float64{1e-3, 1e-4, 5e-4, 5e-3}, full},
			{"no decay", 0, []float64{0, 0, 0, 0}, 1 - 1e-9},
		} {
			sys := tiedClasses(load, c.grace, []float64{1, 1, 5, 5}, c.decays, shares)
			room := c.room - load*(shares[2]+shares[3])
			want := []float64{0, 0, 1, 1}
			for _, i := range map[string][]int{"grace": {1, 0}, "no decay": {0, 1}}[c.name] {
				want[i] = math.Min(1, room/(load*shares[i]))
				room -= want[i] * load * shares[i]
			}
			for k := range 4 {
				settings := optimize.Settings{Seed: uint64(k)}
				if k > 0 {
					settings.Start = []float64{rnd.Float64(), rnd.Float64(), 1, 1}
				}
				got := certified(t, sys, settings)
				for i, q := range got.Admit {
					if math.Abs(q-want[i]) > 1e-7 {
						t.Errorf("%s, load %g: admit %v, want %v", c.name, load, got.Admit, want)
						break
					}
				}
				if !got.Tied || got.Gap > 1e-8 {
					t.Errorf("%s, load %g: tied %v, gap %g", c.name, load, got.Tied, got.Gap)
				}
			}
		}
	}
}

// TestNotTied solves systems in which no admission earns what another does, and
// two equal classes, of which the first comes first.
func TestNotTied(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 1))
	for k := range 60 {
		f := families()[k%len(families())]
		sys := wideSystem(rnd, f)
		got := certified(t, sys)
		if got.Tied {
			t.Errorf("instance %d: tied at %v", k, got.Admit)
		}
	}
	sys := tiedClasses(2, 0, []float64{1, 1, 0}, []float64{1e-5, 1e-5, 0}, []float64{0.4, 0.4, 0.2})
	got := certified(t, sys)
	if q := got.Admit; !got.Tied || q[1] > 0 && q[0] < 1 || q[2] != 0 {
		t.Errorf("equal classes and one that pays nothing: admit %v, tied %v", q, got.Tied)
	}
}

// TestEqualUrgenciesProof: of two classes that differ in standard deviation and price
// alone the second is served first, and no admission of a grid earns more than the
// bound in that order, by Cobham's formula; the best earns nearly as much.
func TestEqualUrgenciesProof(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 3))
	for k := range 40 {
		mean := 100 + 5000*rnd.Float64()
		sys := model.System{Parallel: 1, Residual: model.Pooled, Phi: 1}
		for range 2 {
			d := must(model.New(model.Gamma, mean, (0.1+rnd.Float64())*mean, 0))
			sys.Classes = append(sys.Classes, model.Class{
				Length: d, Price: model.Tariff{Fixed: mean * (0.2 + rnd.Float64())}, Decay: 0.1,
				Grace: model.Grace{Fixed: mean}, Floor: model.Floor{None: true},
			})
		}
		arrive(&sys, 0.6+rnd.Float64(), 0.5, 0.5)
		r := certified(t, sys)
		best := 0.0
		for at := range 201 * 201 {
			q := [2]float64{float64(at%201) / 200, float64(at/201) / 200}
			var load [2]float64 // of the class and those served before it
			residual := 0.0
			for s := 1; s >= 0; s-- {
				c := sys.Classes[s]
				residual += q[s] * c.Rate * c.Length.Moment(2) / 2
				load[s] = load[1] + q[s]*c.Rate*mean
			}
			if load[0] >= 1 {
				continue
			}
			wait := [2]float64{residual / (1 - load[1]) / (1 - load[0]), residual / (1 - load[1])}
			revenue := 0.0
			for s, c := range sys.Classes {
				revenue += q[s] * c.Rate * (c.Price.Fixed - c.Decay*math.Max(0, wait[s]-mean))
			}
			best = math.Max(best, revenue)
		}
		if best > r.UpperBound*(1+1e-12) || best < r.Revenue*0.999 {
			t.Errorf("system %d: the best of a grid earns %.12g, proven are %.12g to %.12g", k, best, r.Revenue, r.UpperBound)
		}
	}
}
