package paper

import (
	"testing"

	"revopt/plots"
)

// TestPriceMenu checks the claim: monopoly prices p0/e while there is room, prices
// that rise with the load, of the cheapest class most, sales of every class, and
// no less revenue than at the stated prices.
func TestPriceMenu(t *testing.T) {
	panels := build(t, "price-menu", Options{Quick: true}).Picture.(plots.Sheet).Panels
	prices, sold, money := panels[0].Series, panels[1].Series, panels[2].Series
	last := len(prices[0].Y) - 1
	for i, s := range prices {
		near(t, s.Name+" at load 0.1", s.Y[0], 1/menuElasticity, 0.01)
		for k := range s.Y {
			if k > 0 && s.Y[k] < s.Y[k-1] {
				t.Errorf("%s: the price falls to %g at load %g", s.Name, s.Y[k], s.X[k])
			}
			if !(sold[i].Y[k] > 0) {
				t.Errorf("%s: nothing is sold at load %g", s.Name, s.X[k])
			}
		}
		if i < 3 && s.Y[last] > prices[3].Y[last] {
			t.Errorf("%s rises to %g, the cheapest class to %g", s.Name, s.Y[last], prices[3].Y[last])
		}
	}
	for k, best := range money[0].Y {
		if best < money[1].Y[k] {
			t.Errorf("load %g: the best prices earn %g, the stated ones %g", money[0].X[k], best, money[1].Y[k])
		}
	}
}
