package paper

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"revopt/plots"
)

// TestControlGain holds the numbers written for n = 25 against an independent
// value iteration over a box of 143,000 states, to the dollar. Losses are not
// negative, those of thresholds not above those of static admission, and fewer
// jobs at a time lose more.
func TestControlGain(t *testing.T) {
	res := build(t, "control-gain", Options{Quick: true})
	paths, err := plots.Save(t.TempDir(), res.Picture, res.Provenance, plots.CSV)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type place struct{ panel, series, load string }
	written := make(map[place]float64)
	for _, row := range rows[1:] {
		if written[place{row[0], row[1], row[2]}], err = strconv.ParseFloat(row[3], 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		load          string
		static, state float64
	}{
		{"0.95", 371127, 374745}, {"1", 381170, 388605}, {"1.2", 421226, 435487}, {"2", 576054, 593641},
	} {
		near(t, "static admission at load "+c.load, written[place{"Revenue at n = 25", "Static admission", c.load}], c.static, 1)
		near(t, "optimum at load "+c.load, written[place{"Revenue at n = 25", "State-dependent optimum, proven", c.load}], c.state, 1)
	}
	panels := res.Picture.(plots.Sheet).Panels
	static, threshold := panels[1], panels[2]
	for n := range static.Series {
		for i, load := range static.Series[n].X {
			s, l := static.Series[n].Y[i], threshold.Series[n].Y[i]
			if l < -1e-12 || s < l-1e-12 || l > 0.02 {
				t.Errorf("%s, load %g: static admission loses %g, thresholds %g", static.Series[n].Name, load, s, l)
			}
			if n > 0 && s > static.Series[n-1].Y[i]+1e-6 { // to within the gap
				t.Errorf("load %g: %s loses %g, fewer jobs at a time %g", load, static.Series[n].Name, s, static.Series[n-1].Y[i])
			}
		}
	}
	says(t, "control-gain", res, "an idle server", "static admission at n = 25 loses up to 3.3 %")
}

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
			near(t, "both admitted", panel.Regions[0].Y[x], min(curves[0][x], curves[1][x]), 0)
			near(t, "both refused", panel.Regions[3].Y[x], max(curves[0][x], curves[1][x]), 0)
		}
		last = curves
	}
}
