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
