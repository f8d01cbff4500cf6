package paper

import (
	"math"
	"slices"
	"testing"

	"revopt/plots"
)

// point is one point of load or share, the accuracy at which the paper's text
// gives numbers.
const point = 0.01

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %.6g within %.2g", what, got, want, tolerance)
	}
}

// peak returns the place and height of the maximum of a series.
func peak(s plots.Series) (x, y float64) {
	y = slices.Max(s.Y)
	return s.X[slices.Index(s.Y, y)], y
}

func TestClusterByThePrintedFormula(t *testing.T) {
	res := build(t, "nist-15", Options{Quick: true})
	sheet := res.Picture.(plots.Sheet)
	if _, err := plots.Save(t.TempDir(), sheet, res.Provenance, plots.SVG, plots.CSV); err != nil {
		t.Error(err)
	}
	if len(sheet.Panels) != 3 {
		t.Fatalf("%d panels, want 3", len(sheet.Panels))
	}
	printed := sheet.Panels[0]
	first := math.Inf(1)
	for _, s := range printed.Series {
		first = math.Min(first, lastFull(s.X, s.Y))
	}
	near(t, "last load without a rejected job", first, 0.964, point)
	for _, class := range []string{"Low value, high", "Low value, low"} {
		s := named(t, printed, class)
		gone, ok := firstGone(s.X, s.Y)
		if !ok {
			t.Errorf("%s: never gone", s.Name)
		}
		near(t, s.Name+": gone", gone, 4.8, 0.05)
	}
	for _, p := range sheet.Panels {
		for _, class := range []string{"High value, high", "High value, low"} {
			if q := at(t, named(t, p, class), 4.5); q < everybody {
				t.Errorf("%s: %s: only %g admitted at load 4.5, where low-value jobs are still displaced", p.Title, class, q)
			}
		}
	}
	betterEstimatesAgree(t, sheet.Panels[1], sheet.Panels[2])
}

// betterEstimatesAgree: two better estimates of the delay admit the same jobs.
func betterEstimatesAgree(t *testing.T, pooled, servers plots.Figure) {
	for i, s := range pooled.Series {
		for j, x := range s.X {
			near(t, s.Name, servers.Series[i].Y[j], s.Y[j], 2*point)
			if s.X[j] <= 0.95 && s.Y[j] < everybody {
				t.Errorf("%s: only %g admitted at load %g", s.Name, s.Y[j], x)
			}
		}
	}
}
