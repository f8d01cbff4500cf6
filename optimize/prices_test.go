package optimize_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// withDemand gives most classes of a system a demand curve, some with a largest
// price.
func withDemand(rnd *rand.Rand, sys model.System) model.System {
	for i := range sys.Classes {
		c := &sys.Classes[i]
		price := c.MeanPrice()
		if price == 0 || rnd.IntN(5) == 0 {
			continue
		}
		d := &model.Demand{Curve: model.Curves()[rnd.IntN(3)], Elasticity: math.Exp(1.5*rnd.Float64() - 0.5), Price: price, Rate: c.Rate}
		if d.Curve == model.IsoelasticDemand {
			d.Elasticity = 1.05 + 3*rnd.Float64()
		}
		if rnd.IntN(2) == 0 {
			d.Max = price * (1 + 2*rnd.Float64()*rnd.Float64())
		}
		c.Demand = d
	}
	return sys.Priced()
}

func TestPricesRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 1))
	for k := range 200 {
		sys := withDemand(rnd, wideSystem(rnd, families()[k%len(families())]))
		got, err := optimize.Certified(context.Background(), sys, optimize.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		local, err := optimize.ConjugateGradient(context.Background(), sys, optimize.Settings{Starts: 12})
		if err != nil {
			t.Fatal(err)
		}
		if local.Revenue > got.Revenue*(1+1e-8) || local.Revenue > got.UpperBound || got.Gap > 1e-6 || k < 20 {
			t.Errorf("%d %v: %g under %g gap %g, a local optimum is %g; %d nodes %d classes", k, families()[k%len(families())], got.Revenue, got.UpperBound, got.Gap, local.Revenue, got.Nodes, len(sys.Classes))
		}
	}
}

// TestPricesStationary checks that the last job sold pays what it costs all.
func TestPricesStationary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 2))
	worst, tested := 0.0, 0
	for range 60 {
		sys := withDemand(rnd, wideSystem(rnd, family{model.Residual(rnd.IntN(2)), "none", false}))
		got, err := optimize.Certified(context.Background(), sys, optimize.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := model.NewHOL(sys)
		if err != nil {
			t.Fatal(err)
		}
		marginal := h.Marginals(make([]float64, h.Len()), got.Admit)
		value := make([]float64, h.Len())
		h.MarginalValues(value, got.Admit)
		for i, c := range sys.Classes {
			if d := c.Demand; d != nil && got.Admit[i] > 1e-9 && got.Admit[i] < 1 && math.Abs(got.Admit[i]*c.Rate-d.Kink()) > 1e-6*d.Kink() {
				worst = math.Max(worst, math.Abs(value[i])/marginal[i])
				if math.Abs(value[i])/marginal[i] > 1e-6 {
					t.Errorf("class %v: %g apart of %g at %g, gap %g", c.Demand, value[i], marginal[i], got.Admit[i], got.Gap)
				}
				tested++
			}
		}
	}
	t.Log(worst, tested)
}

// TestMonopolyPrices holds prices against closed forms. Without delay loss and with
// room the price is the monopoly's, p0 (1+e)/(2e) with linear and p0/e with
// exponential demand. Isoelastic demand fills the server: the price of a unit of
// work times 1 - 1/e is the same for all classes.
func TestMonopolyPrices(t *testing.T) {
	for _, residual := range []model.Residual{model.Pooled, model.Printed} {
		sys := model.System{Parallel: 10, Phi: 1, Residual: residual}
		for i, e := range []float64{0.7, 1, 1.6, 0.7, 1, 1.6} {
			d := &model.Demand{Curve: model.LinearDemand, Elasticity: e, Price: 10 + float64(i), Rate: 0.1}
			if i > 2 {
				d.Curve = model.ExponentialDemand
			}
			sys.Classes = append(sys.Classes, model.Class{Rate: d.Rate, Length: exponentialLength(1 + float64(i)), Price: model.Tariff{Fixed: d.Price}, Demand: d})
		}
		priced := sys.Priced()
		got, err := optimize.Certified(context.Background(), priced, optimize.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range priced.Classes {
			e, sale := c.Demand.Elasticity, c.Sale(got.Admit[i])
			want := c.Demand.Price * (1 + e) / (2 * e)
			if c.Demand.Curve == model.ExponentialDemand {
				want = c.Demand.Price / e
			}
			if math.Abs(sale.Price-want) > 1e-9*want || sale.Admit != 1 || got.Gap > 1e-9 {
				t.Errorf("%v: class %d asks %.12g, want %.12g; gap %g", residual, i, sale.Price, want, got.Gap)
			}
		}

		for i := range sys.Classes {
			d := sys.Classes[i].Demand
			d.Curve, d.Elasticity = model.IsoelasticDemand, 1.2+0.5*float64(i)
		}
		priced = sys.Priced()
		if got, err = optimize.Certified(context.Background(), priced, optimize.Settings{}); err != nil {
			t.Fatal(err)
		}
		costs, err := optimize.Externalities(priced, got)
		if err != nil {
			t.Fatal(err)
		}
		var first float64
		for i, c := range priced.Classes {
			unit := c.Sale(got.Admit[i]).Price * (1 - 1/c.Demand.Elasticity) / c.Length.Mean()
			if i == 0 {
				first = unit
			}
			if math.Abs(unit-first) > 1e-6*first || math.Abs(costs[i]/c.Length.Mean()-first) > 1e-6*first || !got.StabilityBinds {
				t.Errorf("%v: a unit of work of class %d brings %.12g, of the first %.12g; externality %g", residual, i, unit, first, costs[i]/c.Length.Mean())
			}
		}
	}
}
