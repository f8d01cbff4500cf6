package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// bundle is n lines that end near each other in the corner of the axes, one of them below a clipped axis.
func bundle(n int) Figure {
	f := Figure{X: Axis{Max: 1}, Y: Axis{Label: "y", Max: 1, Clip: true}, EndLabels: true}
	for i := range n {
		x, y := points(0, 1, 5, func(v float64) float64 { return v*0.001*float64(i) - 0.002 })
		f.Series = append(f.Series, Series{Name: fmt.Sprint("a policy with a name ", i), X: x, Y: y})
	}
	return f
}

// Labels at the ends of lines must neither touch each other nor the axes, leave the page, or change the order of
// the lines. No label has an entry in the legend.
func TestEndLabelsHaveRoom(t *testing.T) {
	for name, p := range map[string]Picture{
		"one": bundle(1), "nine": bundle(9), "sheet": Sheet{Panels: []Figure{bundle(9), bundle(3)}},
	} {
		pg := newPage(p.sheet())
		if n := len(pg.legend.entries); n > 0 {
			t.Errorf("%s: %d entries in the legend", name, n)
		}
		for _, q := range pg.panels {
			if len(q.endLabels) != len(q.fig.Series) {
				t.Fatalf("%s: %d labels for %d lines", name, len(q.endLabels), len(q.fig.Series))
			}
			for i, l := range q.endLabels {
				box := vg.Rectangle{
					Min: vg.Point{X: q.area.Max.X + leaderWidth, Y: l.middle - l.height()/2},
					Max: vg.Point{X: q.area.Max.X + leaderWidth + widest(endFace(), l.lines), Y: l.middle + l.height()/2},
				}
				if !inside(box, q.cell) {
					t.Errorf("%s: label %q at %v leaves its cell %v", name, l.lines, box, q.cell)
				}
				if i == 0 {
					continue
				}
				above := q.endLabels[i-1]
				if above.middle-above.height()/2 < l.middle+l.height()/2 || q.end(above).Y < q.end(l).Y {
					t.Errorf("%s: label %q at %v, %q at %v", name, above.lines, above.middle, l.lines, l.middle)
				}
			}
		}
	}
}

// TestFalling compares the fit with small changes of any number of its last values: none that keeps the order is
// nearer.
func TestFalling(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		y := make([]float64, 7)
		for i := range y {
			y[i] = rng.Float64()
		}
		distance := func(z []float64) (sum float64) {
			for i := range z {
				sum += (z[i] - y[i]) * (z[i] - y[i])
			}
			return sum
		}
		ordered := func(z []float64) bool {
			return slices.IsSortedFunc(z, func(a, b float64) int { return -int(math.Copysign(1, a-b-1e-12)) })
		}
		best := falling(y)
		if !ordered(best) {
			t.Fatalf("%v rises", best)
		}
		for first := range y {
			for last := first + 1; last <= len(y); last++ {
				for _, by := range []float64{-0.01, 0.01} {
					other := slices.Clone(best)
					for i := first; i < last; i++ {
						other[i] += by
					}
					if ordered(other) && distance(other) < distance(best)-1e-12 {
						t.Errorf("%v is nearer to %v than %v", other, y, best)
					}
				}
			}
		}
	}
}

// TestAxesShowAllData draws data about given ends: all of them lie within the axes, but for those behind others.
func TestAxesShowAllData(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var s Series
		for range 5 {
			y := 3 * rng.NormFloat64()
			s.X, s.Y = append(s.X, rng.Float64()*4), append(s.Y, y)
			s.Low, s.High = append(s.Low, y-rng.Float64()), append(s.High, y+rng.Float64())
		}
		behind := Series{X: []float64{100}, Y: []float64{100}, Behind: true}
		x, y := Figure{X: Axis{Min: 1, Max: 2}, Y: Axis{Max: 1}, Series: []Series{s, behind}}.scales()
		if x.min > min(1, slices.Min(s.X)) || x.max < slices.Max(s.X) || x.max > 4 {
			t.Errorf("axis from %g to %g for %v", x.min, x.max, s.X)
		}
		if y.min > min(0, slices.Min(s.Low)) || y.max < max(1, slices.Max(s.High)) || y.max > 50 {
			t.Errorf("axis from %g to %g for %v to %v", y.min, y.max, s.Low, s.High)
		}
	}
}
