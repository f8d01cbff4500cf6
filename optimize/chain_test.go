package optimize

import (
	"math"
	"testing"

	"revopt/model"
)

// TestCurvedChain: the optimum of one class with a demand is where the marginal revenue is the
// marginal cost of delay, by bisection. The solver finds it with any tolerance of the gap, as
// the payoff is curved; without a demand the tolerance alone ends it.
func TestCurvedChain(t *testing.T) {
	for _, curve := range []model.Curve{model.LinearDemand, model.ExponentialDemand} {
		for _, a := range []float64{0.01, 0.1, 0.3} {
			f, _ := newPayoff(model.Class{
				Demand: &model.Demand{Curve: curve, Elasticity: 1.5, Price: 1, Rate: 1},
			}, 1, 0.95)
			low, high := 0.0, 0.95
			for range 60 {
				x := (low + high) / 2
				if _, slope, _ := f.at(x); slope > a/(1-x)/(1-x) {
					low = x
				} else {
					high = x
				}
			}
			c := newChain(1)
			c.pay[0], c.a[0], c.most[0], c.hi[0], c.kappa[0], c.t = f, a, 0.95, 0.95, 1, 10
			c.solve(1e-2)
			if math.Abs(c.x[0]-low) > 1e-6 {
				t.Errorf("%s, cost %g: %g, want %g", curve, a, c.x[0], low)
			}
		}
	}
}
