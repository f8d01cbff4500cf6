package paper

import (
	"math"
	"testing"

	"revopt/plots"
)

// TestSketches: the corners of figure 1 of Kim, Buyya and Kim, and (1)-(2) of Yeo
// and Buyya (2005).
func TestSketches(t *testing.T) {
	sheet := build(t, "ic-01", Options{}).Picture.(plots.Sheet)
	for i, want := range []map[string][3]float64{ // at a quarter, just before the end, and at the end of the optional length
		{"Linear": {125, 497.5, 500}, "Concave": {250, 500 * math.Sqrt(0.995), 500}, "Steps": {200, 300, 500}},
		{"Linear": {1125, 1495, 1500}, "Concave": {1250, 1000 + 500*math.Sqrt(0.99), 1500}, "Steps": {1200, 1300, 1500}},
	} {
		for name, w := range want {
			s := named(t, sheet.Panels[i], name)
			from := float64(i)
			got := [3]float64{at(t, s, from+0.25), s.Y[len(s.Y)-2], s.Y[len(s.Y)-1]}
			for k := range got {
				if math.Abs(got[k]-w[k]) > 1e-9 {
					t.Errorf("panel %d, %s: %v, want %v", i, name, got, w)
				}
			}
			if i == 1 && (at(t, s, 0.99) != 0 || at(t, s, 1) != 1000) {
				t.Errorf("%s: a job without its mandatory length pays %g, with it %g", name, at(t, s, 0.99), at(t, s, 1))
			}
		}
	}
	fig := figure(t, "sla-01")
	for name, want := range map[string][2]float64{"Soft, 0.05": {1000 - 3600*0.05, 1000 - 7200*0.05}, "Soft, 0.25": {100, -800}, "Hard": {0, 0}} {
		s := named(t, fig, name)
		if got := [3]float64{at(t, s, 0.99), at(t, s, 2.01), at(t, s, 3)}; got[0] != 1000 || math.Abs(got[1]-want[0]) > 10 || math.Abs(got[2]-want[1]) > 1e-9 {
			t.Errorf("%s: %v, want 1000 and about %v", name, got, want)
		}
	}
}
