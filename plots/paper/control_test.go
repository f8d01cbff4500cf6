package paper

import (
	"math"
	"testing"

	"revopt/plots"
)

// naiveDecisions returns which of two classes, the urgent one first, the best
// admission lets in, by jobs waiting of each, from value iteration over a box.
func naiveDecisions(rate, price, decay [2]float64, mu float64) func(class, x, y int) bool {
	const box = 40
	h, next := make([]float64, box*box+1), make([]float64, box*box+1) // the last: an idle server
	at := func(x, y int) int { return x*box + y }
	most := rate[0] + rate[1] + mu
	for {
		low, high := math.Inf(1), math.Inf(-1)
		note := func(i int, gain float64) {
			low, high = math.Min(low, gain), math.Max(high, gain)
			next[i] = h[i] + gain/most
		}
		gain := 0.0
		for s := range rate {
			gain += rate[s] * math.Max(0, price[s]+h[at(0, 0)]-h[box*box])
		}
		note(box*box, gain)
		for x := range box {
			for y := range box {
				now := h[at(x, y)]
				gain := -decay[0]*float64(x) - decay[1]*float64(y)
				if x+1 < box {
					gain += rate[0] * math.Max(0, h[at(x+1, y)]-now)
				}
				if y+1 < box {
					gain += rate[1] * math.Max(0, h[at(x, y+1)]-now)
				}
				switch {
				case x > 0:
					gain += mu * (price[0] + h[at(x-1, y)] - now)
				case y > 0:
					gain += mu * (price[1] + h[at(x, y-1)] - now)
				default:
					gain += mu * (h[box*box] - now)
				}
				note(at(x, y), gain)
			}
		}
		h, next = next, h
		if high-low < 1e-9*high {
			return func(class, x, y int) bool { return h[at(x+1-class, y+class)] > h[at(x, y)] }
		}
	}
}

// TestControlThreshold holds the map against value iteration over a larger box,
// square by square. The curves fall with the jobs waiting and with the load.
func TestControlThreshold(t *testing.T) {
	var last [2][]float64
	for k, panel := range build(t, "control-threshold", Options{}).Picture.(plots.Sheet).Panels {
		load := []float64{0.8, 1.2, 2}[k]
		mu := 5.0 / 4400
		admits := naiveDecisions([2]float64{load * mu / 2, load * mu / 2}, [2]float64{20000, 10000}, [2]float64{1, 0.25}, mu)
		curves := [2][]float64{panel.Regions[2].Y, panel.Regions[1].Y}
		for class, curve := range curves {
			for x := range mapSize + 1 {
				for y := range mapSize + 1 {
					if drawn := float64(y) < curve[x]; drawn != admits(class, x, y) {
						t.Errorf("load %g, class %d, %d and %d waiting: admitted %t", load, class, x, y, drawn)
					}
				}
				if x > 0 && curve[x] > curve[x-1] {
					t.Errorf("load %g, class %d: more are let in when %d urgent jobs wait than when one less does", load, class, x)
				}
				if k > 0 && curve[x] > last[class][x] {
					t.Errorf("load %g, class %d, %d urgent jobs waiting: more are let in than at a lower load", load, class, x)
				}
			}
		}
		for x := range mapSize + 1 {
			within(t, "both admitted", panel.Regions[0].Y[x], min(curves[0][x], curves[1][x]), 0)
			within(t, "both refused", panel.Regions[3].Y[x], max(curves[0][x], curves[1][x]), 0)
		}
		last = curves
	}
}

// TestPriceMenu checks the claim: monopoly prices p0/e while there is room, prices
// that rise with the load, of the cheapest class most, sales of every class, and
// no less revenue than at the stated prices.
func TestPriceMenu(t *testing.T) {
	panels := build(t, "price-menu", Options{Quick: true}).Picture.(plots.Sheet).Panels
	prices, sold, money := panels[0].Series, panels[1].Series, panels[2].Series
	last := len(prices[0].Y) - 1
	for i, s := range prices {
		within(t, s.Name+" at load 0.1", s.Y[0], 1/menuElasticity, 0.01)
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
