package paper

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

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

// named returns the series whose name starts with the given words.
func named(t *testing.T, fig plots.Figure, words string) plots.Series {
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

func TestRecipesSayWhatTheyAre(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Recipes() {
		if seen[r.ID] {
			t.Errorf("%s: twice in the table", r.ID)
		}
		seen[r.ID] = true
		for what, words := range map[string]string{"title": r.Title, "source": r.Source, "parameters": r.Parameters, "claim": r.Claim} {
			if words == "" {
				t.Errorf("%s: no %s", r.ID, what)
			}
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
		if r.ID == "nist-15" || r.ID == "control-gain" || r.ID == "earning" || simulated(r.ID) {
			continue // drawn by its own test, once
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
	for _, id := range []string{"nist-05", "nist-06", "nist-07", "nist-10", "nist-13", "nist-15", "nist-16", "nist-gain", "nist-widths", "nist-phi", "pricing-02a", "sla-02b", "control-gain", "control-threshold", "price-menu"} {
		r, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Build(ctx, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", id, err, context.Canceled)
		}
	}
}
