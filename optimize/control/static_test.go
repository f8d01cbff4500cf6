package control

import (
	"context"
	"math"
	"testing"

	"revopt/model"
)

// TestSaturatedPrices: at the edge of stability, what is not sold by a demand keeps its price. A
// priced system without any demand earns what the unpriced one earns, and so does an
// unpriced system whose demands are not used.
func TestSaturatedPrices(t *testing.T) {
	exponential := func(mean float64) model.Distribution {
		d, err := model.New(model.Exponential, mean, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	earned := func(prices bool, demand *model.Demand) float64 {
		sys := model.System{Parallel: 1, Residual: model.Pooled, Phi: 1, Prices: prices}
		for _, c := range []model.Class{
			{Name: "patient", Rate: 2, Price: model.Tariff{Fixed: 1}, Demand: demand},
			{Name: "urgent", Rate: 0.2, Price: model.Tariff{Fixed: 4}, Decay: 0.5},
		} {
			c.Length, c.Floor = exponential(1), model.Floor{None: true}
			sys.Classes = append(sys.Classes, c)
		}
		sys.Classes[1].Length = exponential(2)
		p, err := bestStatic(context.Background(), sys, Settings{Waiting: -1, Servers: true, Gap: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		if share := p.rule.Share[0]; !(share > 0.01 && share < 0.9) {
			t.Errorf("%g of the patient jobs are admitted, expected some at the edge of stability", share)
		}
		return p.revenue
	}
	want := earned(false, nil)
	if got := earned(true, nil); math.Abs(got-want) > 1e-9*want {
		t.Errorf("priced without demands: %g, want %g", got, want)
	}
	demand := &model.Demand{Curve: model.LinearDemand, Elasticity: 1, Price: 1, Rate: 2}
	if got := earned(false, demand); math.Abs(got-want) > 1e-9*want {
		t.Errorf("unpriced with a demand: %g, want %g", got, want)
	}
}
