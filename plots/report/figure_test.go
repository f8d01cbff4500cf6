package report

import (
	"math"
	"slices"
	"testing"

	"revopt/plots"
)

// Policies are curves with bands, models dashed lines, and the least proven
// bound the edge of the area that nothing can be in: never a line like theirs.
func TestOverlay(t *testing.T) {
	r := sample(fourteen()...)
	fig := r.Overlay()
	bounds := 0
	for _, s := range fig.Series {
		if s.Bound {
			bounds++
			if s.Name != "model: optimum (printed)" || s.Low != nil || s.Y[0] != 400 { // 800 x load 0.5
				t.Errorf("model bound %q %v", s.Name, s.Y)
			}
		} else if len(s.Low) != 5 || s.High[0]-s.Y[0] != 20 {
			t.Errorf("policy %q has no band", s.Name)
		}
	}
	if bounds != 1 || len(fig.Series) != 15 {
		t.Errorf("%d series, %d of them bounds", len(fig.Series), bounds)
	}
	if len(fig.Regions) != 1 || fig.Regions[0].Name != "proven bound: clairvoyant" || fig.Regions[0].Y[4] != 1800 || fig.Regions[0].Side != plots.Above {
		t.Errorf("regions %+v", fig.Regions)
	}
	if len(fig.VLines) != 1 || fig.VLines[0].At != 0.9 {
		t.Errorf("the table's point is marked by %v", fig.VLines)
	}
	for _, own := range []float64{math.NaN(), 0.1, 2} {
		if r.Validated.Value = own; len(r.Overlay().VLines) > 0 {
			t.Errorf("a mark at %g, outside the points", own)
		}
	}
}

// Along the load of a trace the points run from the largest delay factor to the least.
func TestByLoad(t *testing.T) {
	r := sample("a")
	r.Validated.ByLoad, r.Load = true, 1
	for i := range r.Validated.Points {
		r.Validated.Points[i].Load = 0.9 / r.Validated.Points[i].Value
	}
	fig := r.Shares()
	if x := fig.Series[0].X; !slices.IsSorted(x) || x[0] != 0.9/1.8 || !fig.X.Percent || fig.VLines[0].At != 1 {
		t.Errorf("points at %v of %q, the table at %v", x, fig.X.Label, fig.VLines)
	}
}

func TestShares(t *testing.T) {
	r := sample("a", "b")
	r.Validated.Points[0].Policies[0].Efficiency = estimate(0.99, 0.05)
	r.Validated.Points[1].Policies[1].Efficiency = estimate(-0.4, 0.1)
	fig := r.Shares()
	if fig.Series[0].High[0] != 1 {
		t.Errorf("a band up to %g of what nothing exceeds", fig.Series[0].High[0])
	}
	if fig.Y.Min != -0.45 {
		t.Errorf("the axis begins at %g, want a little below the lowest, -0.4", fig.Y.Min)
	}
	if fig.Regions[0].Y[0] != 1 {
		t.Errorf("the ceiling is at %g", fig.Regions[0].Y[0])
	}
}

// Color is for the best three and for today, whose label may name an admission besides.
func TestColored(t *testing.T) {
	r := sample(fourteen()...)
	now := &r.Policies[9]
	now.Label, now.Policy.Label, r.Validated.Now = "hol, all", "hol", "hol"
	for _, fig := range r.Figures() {
		for i, s := range fig.Series[:14] {
			if want := i >= 3 && i != 9; s.Behind != want {
				t.Errorf("%s: row %d is thin and gray: %t", fig.Title, i, s.Behind)
			}
		}
	}
}

// A gap in a bound, where a model does not apply, can be drawn.
func TestSheet(t *testing.T) {
	r := sample("a", "b")
	r.Validated.Points[2].Bounds = r.Validated.Points[2].Bounds[:2]
	sheet, _ := r.Pictures()
	if b, err := plots.Render(sheet, plots.SVG, r.Provenance()); err != nil || len(b) == 0 {
		t.Error(err)
	}
	r.Validated.Points = nil
	if len(r.Figures()) != 0 {
		t.Error("a curve without points")
	}
}
