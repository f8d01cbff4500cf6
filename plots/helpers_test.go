package plots

import "math"

var formats = []Format{PNG, SVG, PDF, CSV}

// points returns n evenly spaced x from lo to hi, and f of them.
func points(lo, hi float64, n int, f func(float64) float64) (x, y []float64) {
	for i := range n {
		v := lo + (hi-lo)*float64(i)/float64(max(1, n-1))
		x, y = append(x, v), append(y, f(v))
	}
	return x, y
}

func shifted(y []float64, d float64) []float64 {
	z := make([]float64, len(y))
	for i := range y {
		z[i] = y[i] + d
	}
	return z
}

// rich uses everything a figure can hold.
func rich() Figure {
	x, y := points(0, 5, 40, func(v float64) float64 { return 3e5 * (1 - math.Exp(-v)) })
	f := Figure{
		ID: "rich", Title: "Revenue ρ under load",
		X: Axis{Label: "Offered load ρ"}, Y: Axis{Label: "Revenue", Unit: "$/h"},
		Series: []Series{
			{Name: "Admit all", X: x, Y: y, Low: shifted(y, -1e4), High: shifted(y, 1e4)},
			{Name: "Steps", X: x, Y: shifted(y, 2e4), Kind: Step},
			{Name: "Seen", X: x, Y: shifted(y, 3e4), Low: shifted(y, 2e4), High: shifted(y, 4e4), Kind: Points},
			{Name: "Counts", X: x, Y: shifted(y, -5e4), Kind: Bars},
			{Name: "Model <bound> & more", X: x, Y: shifted(y, 5e4), Bound: true},
		},
		Regions: []Region{
			Ceiling("Proven bound", x, shifted(y, 9e4)),
			{Name: "Strip", X: x, Y: shifted(y, -9e4), Y2: shifted(y, -7e4), Side: Between, Tint: 2},
		},
		VLines: []Rule{{At: 1, Text: "here"}, {At: 1.1, Text: "and nearly there"}},
		HLines: []Rule{{At: 1e5, Text: "cost"}},
		Labels: []Label{{X: 4, Y: 1e5, Text: "admission control"}},
		Notes:  []string{"The paper reports λ ≤ 2."},
	}
	return f
}

func provenance() Provenance {
	seed := uint64(math.MaxUint64)
	return Provenance{
		Version: "v1.2.3", Scenario: "four-class", Seed: &seed, Cleaning: "keep\nall",
		Command: `revopt figure "a<b" & λ`, Extra: []Pair{{Key: "paper", Value: "nist"}, {Key: "", Value: "dropped"}},
	}
}

// panels is a sheet of four unlike figures.
func panels() Sheet {
	a, b, c := rich(), rich(), rich()
	b.Title, b.Y.Log = "Logarithmic", true
	c.Title, c.X.Categories = "Categories", []string{"first of all", "second", "third"}
	return Sheet{ID: "sheet", Title: "All of it", Panels: []Figure{a, b, c, {}}}
}
