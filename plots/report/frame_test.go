package report

import (
	"math"
	"testing"

	"revopt/plots"
)

// TestFrame checks that what can be earned fills the figure of money, however
// much some policy loses and however wide its band is.
func TestFrame(t *testing.T) {
	curve := func(half float64, ys ...float64) plots.Series {
		s := plots.Series{X: []float64{1, 2}, Y: ys}
		for _, y := range ys {
			s.Low, s.High = append(s.Low, y-half), append(s.High, y+half)
		}
		return s
	}
	nan := math.NaN()
	for _, c := range []struct {
		name      string
		series    []plots.Series
		ceiling   []float64
		low, high float64
		below     bool
	}{
		{"all above zero", []plots.Series{curve(10, 50, 60)}, []float64{80, 100}, 0, 105, false},
		{"wide bands", []plots.Series{curve(1e6, 50, 60)}, []float64{80, 100}, 0, 157.5, false},
		{"a small loss", []plots.Series{curve(10, 50, -20)}, []float64{80, 100}, -21, 105, false},
		{"a ruinous loss", []plots.Series{curve(1, 50, 60), curve(3e6, -2e6, -1e6)}, []float64{80, 100}, -100, 105, true},
		{"models above", []plots.Series{{Y: []float64{nan, 200}}}, []float64{80, 100}, 0, 210, false},
		{"nothing to earn", []plots.Series{curve(10, 0, -40)}, []float64{0, 0}, -42, 4, false},
		{"nothing at all", []plots.Series{curve(0, 0, 0)}, []float64{0, 0}, 0, nan, false},
	} {
		fig := plots.Figure{Series: c.series, Regions: []plots.Region{plots.Ceiling("", []float64{1, 2}, c.ceiling)}}
		low, high := frame(fig)
		if math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 || math.IsNaN(high) != math.IsNaN(c.high) {
			t.Errorf("%s: from %g to %g, want %g to %g", c.name, low, high, c.low, c.high)
		}
		if fig.Y.Min = low; below(fig) != c.below {
			t.Errorf("%s: below is %v", c.name, !c.below)
		}
	}
}
