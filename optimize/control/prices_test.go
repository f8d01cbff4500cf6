package control_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize/control"
)

// TestPricesByState checks prices that depend on the queue: they earn no less than the
// best fixed prices, in a loss system at most 1/0.789 times as much (Besbes, Elmachtoub
// and Sun), and the proof closes. No random fixed prices earn more than the best.
func TestPricesByState(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 3))
	least := math.Inf(1)
	for k := range 30 {
		servers := 1 + rnd.IntN(8)
		sys := model.System{Parallel: float64(servers), Phi: 1, Residual: model.Multiserver}
		for range 1 + rnd.IntN(3) {
			d := &model.Demand{Curve: model.Curves()[rnd.IntN(3)], Elasticity: 1.02 + 5*math.Pow(rnd.Float64(), 2), Price: 10 * math.Exp(2*rnd.Float64())}
			d.Rate = float64(servers) * math.Exp(5*rnd.Float64()-2.5)
			if rnd.IntN(3) == 0 {
				d.Max = d.Price * (1 + rnd.Float64())
			}
			mean := 1.0
			if k%3 == 2 {
				mean = math.Exp(2*rnd.Float64() - 1)
			}
			sys.Classes = append(sys.Classes, model.Class{Rate: d.Rate, Length: exponential(mean), Price: model.Tariff{Fixed: d.Price}, Demand: d, Floor: model.Floor{None: true}, Decay: rnd.Float64()})
		}
		settings := control.Settings{Servers: true, Gap: 1e-5}
		if k == 1 {
			settings, sys.Classes = control.Settings{Waiting: -1, Gap: 1e-3}, sys.Classes[:1]
		}
		got := must(control.Solve(context.Background(), sys.Priced(), settings))
		ratio := got.Static / got.Revenue
		if got.Gap > settings.Gap || ratio > 1+1e-4 {
			t.Errorf("system %d: static %g, by state %g under %g; %d states", k, got.Static, got.Revenue, got.UpperBound, got.States)
		}
		if !settings.Servers {
			continue
		}
		least = math.Min(least, got.Static/got.UpperBound)
		for range 2000 {
			if r := erlang(rnd, sys); r > got.Static*(1+1e-6) {
				t.Errorf("system %d: fixed prices earn %g, more than the best of %g", k, r, got.Static)
				break
			}
		}
	}
	t.Logf("static prices earn %.4g of those by state, at least", least)
	if least < 0.789 {
		t.Errorf("static prices earn %g of those by state, less than 0.789", least)
	}
}

// erlang returns the revenue of random fixed prices on servers without waiting, by
// Erlang's formula, for the rates that Solve allows.
func erlang(rnd *rand.Rand, sys model.System) float64 {
	paid, load := 0.0, 0.0
	for _, c := range sys.Classes {
		d, mean := c.Demand, c.Length.Mean()
		rate := math.Min(d.Most(), 4*math.Max(d.Rate, sys.Parallel/mean)) * math.Pow(rnd.Float64(), 3)
		value, _, _ := d.Revenue(rate)
		paid, load = paid+value, load+rate*mean
	}
	blocked := 1.0
	for n := 1.0; n <= sys.Parallel; n++ {
		blocked = load * blocked / (n + load*blocked)
	}
	return paid * (1 - blocked)
}

// TestPricesOfTwoServers holds the prices by state of one class on two servers
// without waiting against a search over both rates: with r = rate/speed the states
// have weights 1, r0 and r0 r1/2.
func TestPricesOfTwoServers(t *testing.T) {
	for _, curve := range model.Curves() {
		d := &model.Demand{Curve: curve, Elasticity: 1.4, Price: 10, Rate: 3, Max: 40}
		sys := model.System{Parallel: 2, Phi: 1, Residual: model.Multiserver, Classes: []model.Class{
			{Rate: 3, Length: exponential(1), Price: model.Tariff{Fixed: 10}, Demand: d, Floor: model.Floor{None: true}}}}.Priced()
		got := must(control.Solve(context.Background(), sys, control.Settings{Servers: true, Gap: 1e-9}))
		best, most := 0.0, math.Min(d.Most(), 12) // four times the stated rate
		paid := func(rate float64) float64 { value, _, _ := d.Revenue(rate); return value }
		for i := range 601 {
			for j := range 601 {
				r0, r1 := most*float64(i)/600, most*float64(j)/600
				best = math.Max(best, (paid(r0)+r0*paid(r1))/(1+r0+r0*r1/2))
			}
		}
		if best > got.UpperBound || got.Revenue-best > 1e-4*best {
			t.Errorf("%s: %g under %g, the search finds %g", curve, got.Revenue, got.UpperBound, best)
		}
	}
}
