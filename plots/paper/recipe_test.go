package paper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots"
)

// common keeps the sweeps that figures of several tests draw from.
var common Shared

// build returns the figure of a recipe.
func build(t *testing.T, id string, o Options) Result {
	t.Helper()
	r, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	o.Workers = 2
	if o.Shared == nil {
		o.Shared = &common
	}
	res, err := r.Build(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// seriesOf returns the series whose name starts with the given words.
func seriesOf(t *testing.T, fig plots.Figure, words string) plots.Series {
	t.Helper()
	for _, s := range fig.Series {
		if strings.HasPrefix(s.Name, words) {
			return s
		}
	}
	t.Fatalf("%s: no series %q", fig.ID, words)
	return plots.Series{}
}

// at returns the value of a series at x, which must be one of its points.
func at(_ *testing.T, s plots.Series, x float64) float64 { return s.Y[indexOf(s.X, x)] }

// within fails unless a number is near another.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.6g, want %.6g within %.2g", what, got, want, tolerance)
	}
}

// drawn builds a recipe, writes its files and returns it.
func drawn(t *testing.T, id string, o Options) Result {
	t.Helper()
	res := build(t, id, o)
	whole(t, id, panelsOf(res.Picture)...)
	if _, err := plots.Save(t.TempDir(), res.Picture, res.Provenance, plots.SVG, plots.CSV); err != nil {
		t.Errorf("%s: %v", id, err)
	}
	if res.Provenance.Seed == nil || *res.Provenance.Seed != o.Seed {
		t.Errorf("%s: the seed is not on record", id)
	}
	return res
}

// says fails unless the remarks of a result contain the given words.
func says(t *testing.T, id string, res Result, words ...string) {
	t.Helper()
	all := strings.Join(res.Remarks, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%s: no remark says %q:\n%s", id, w, all)
		}
	}
}

func TestRecipes(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Recipes() {
		if seen[r.ID] || r.Title == "" {
			t.Errorf("%s: twice in the table, or without a title", r.ID)
		}
		seen[r.ID] = true
	}
	if _, err := Find("bound-nits"); err == nil || !strings.Contains(err.Error(), "bound-nist") {
		t.Errorf("error %v does not name the figure that was meant", err)
	}
}

// clipped are the figures that cut off curves on purpose: contours of a map.
var clipped = []string{"nist-05", "nist-06"}

// whole fails where an axis of a figure cuts off curves. Other axes grow, see plots.Axis.
func whole(t *testing.T, id string, panels ...plots.Figure) {
	t.Helper()
	for _, fig := range panels {
		if (fig.X.Clip || fig.Y.Clip) && !slices.Contains(clipped, id) {
			t.Errorf("%s: an axis cuts off curves", id)
		}
	}
}

func TestFiguresAreDrawnAndTraceable(t *testing.T) {
	dir := t.TempDir()
	for _, r := range Recipes() {
		if r.simulated != nil {
			whole(t, r.ID, plots.Figure{X: r.simulated.x, Y: r.simulated.y})
		}
		if r.simulated != nil || slices.Contains([]string{"nist-15", "bound-nist", "bound-sp2"}, r.ID) {
			continue // drawn by another test
		}
		res := build(t, r.ID, Options{Quick: true})
		whole(t, r.ID, panelsOf(res.Picture)...)
		if _, err := plots.Save(dir, res.Picture, res.Provenance, plots.SVG, plots.CSV); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if len(res.Provenance.Pairs()) == 0 {
			t.Errorf("%s: nothing says where its numbers come from", r.ID)
		}
	}
}

func TestCanceledBuildStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range Recipes() {
		if strings.HasSuffix(r.ID, "01") || slices.Contains([]string{"nist-02", "nist-03", "nist-09", "nist-12"}, r.ID) {
			continue // computed at once
		}
		if _, err := r.Build(ctx, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", r.ID, err, context.Canceled)
		}
	}
}

// TestPhaseDiagram holds the edges that the optimizer finds by bisection against the
// closed forms (26) and (27) of the NIST paper.
func TestPhaseDiagram(t *testing.T) {
	sys, err := open("nist-one", scenario.Set("classes.all.grace", 0)).system()
	if err != nil {
		t.Fatal(err)
	}
	one := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual)
	s := seriesOf(t, build(t, "nist-05", Options{Quick: true}).Picture.(plots.Figure), "Numerical")
	for i, beta := range s.X {
		closest := math.Inf(1)
		for _, q := range []float64{1, 0.9, 0.7, 0.5} {
			closest = min(closest, math.Abs(s.Y[i]/one.Contour(q, beta)-1))
		}
		within(t, "distance to the nearest contour", closest, 0, 1e-4)
	}
	if len(s.X) < 10 {
		t.Errorf("%d edges", len(s.X))
	}
}
