package paper

import (
	"context"
	"errors"
	"math"
	"reflect"
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
	if o.Shared == nil && o.Dir == "" {
		o.Shared = &common
	}
	res, err := r.Build(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// figure returns the picture of a recipe that draws one figure.
func figure(t *testing.T, id string) plots.Figure {
	t.Helper()
	return build(t, id, Options{}).Picture.(plots.Figure)
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
func at(t *testing.T, s plots.Series, x float64) float64 {
	t.Helper()
	for i := range s.X {
		if d := s.X[i] - x; d < 1e-9 && d > -1e-9 {
			return s.Y[i]
		}
	}
	t.Fatalf("%s: no point at %g", s.Name, x)
	return 0
}

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

func TestRecipesSayWhatTheyAre(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Recipes() {
		if seen[r.ID] {
			t.Errorf("%s: twice in the table", r.ID)
		}
		seen[r.ID] = true
		if r.Title == "" {
			t.Errorf("%s: no title", r.ID)
		}
	}
}

func TestFindNamesTheFiguresThereAre(t *testing.T) {
	if _, err := Find("nist-04"); err == nil || !strings.Contains(err.Error(), "nist-05") {
		t.Errorf("error %v does not name nist-05", err)
	}
}

func TestFiguresAreDrawnAndTraceable(t *testing.T) {
	dir := t.TempDir()
	for _, r := range Recipes() {
		if r.simulated != nil || slices.Contains([]string{"nist-15", "control-gain", "earning", "bound-nist", "bound-sp2"}, r.ID) {
			continue // drawn by another test
		}
		res := build(t, r.ID, Options{Quick: true})
		if _, err := plots.Save(dir, res.Picture, res.Provenance, plots.SVG, plots.CSV); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if len(res.Provenance.Pairs()) == 0 {
			t.Errorf("%s: nothing says where its numbers come from", r.ID)
		}
	}
}

func TestNumbersDoNotDependOnWorkers(t *testing.T) {
	for _, id := range []string{"nist-05", "nist-08", "nist-13"} {
		r, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		var want Result
		for _, workers := range []int{0, 1, 3} {
			got, err := r.Build(context.Background(), Options{Quick: true, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if workers == 0 {
				want = got
			} else if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers give another figure", id, workers)
			}
		}
	}
}

func TestProgressEndsAtTheTotal(t *testing.T) {
	last, calls := 0, 0
	build(t, "nist-10", Options{Quick: true, Progress: func(done, total int) {
		calls++
		if done <= last || total != 99 {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}})
	if last != 99 || calls < 2 {
		t.Errorf("progress ended at %d after %d calls", last, calls)
	}
}

func TestCanceledBuildStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range Recipes() {
		if strings.HasSuffix(r.ID, "01") || slices.Contains([]string{"nist-02", "nist-03", "nist-09", "nist-12"}, r.ID) {
			continue // computed at once
		}
		id := r.ID
		if _, err := r.Build(ctx, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", id, err, context.Canceled)
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

// TestSketches: the corners of figure 1 of Kim, Buyya and Kim, and (1)-(2) of Yeo
// and Buyya (2005).
func TestSketches(t *testing.T) {
	sheet := build(t, "ic-01", Options{}).Picture.(plots.Sheet)
	for i, want := range []map[string][3]float64{ // at a quarter, just before the end, and at the end of the optional length
		{"Linear": {125, 497.5, 500}, "Concave": {250, 500 * math.Sqrt(0.995), 500}, "Steps": {200, 300, 500}},
		{"Linear": {1125, 1495, 1500}, "Concave": {1250, 1000 + 500*math.Sqrt(0.99), 1500}, "Steps": {1200, 1300, 1500}},
	} {
		for name, w := range want {
			s := seriesOf(t, sheet.Panels[i], name)
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
		s := seriesOf(t, fig, name)
		if got := [3]float64{at(t, s, 0.99), at(t, s, 2.01), at(t, s, 3)}; got[0] != 1000 || math.Abs(got[1]-want[0]) > 10 || math.Abs(got[2]-want[1]) > 1e-9 {
			t.Errorf("%s: %v, want 1000 and about %v", name, got, want)
		}
	}
}
