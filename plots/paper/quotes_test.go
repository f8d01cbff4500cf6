package paper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/plots"
)

// TestQuotesAreComplete: a figure of which the paper states a number has a marker, and none else has.
func TestQuotesAreComplete(t *testing.T) {
	for _, c := range allClaims() {
		if c.figure != "" && (c.kind == "number" || c.kind == "input") && quotes[c.figure] == nil {
			t.Errorf("%s: figure %s has no hollow marker", c.id, c.figure)
		}
	}
	for id := range quotes {
		of := func(c claim) bool { return c.figure == id && (c.kind == "number" || c.kind == "input") }
		if !slices.ContainsFunc(allClaims(), of) {
			t.Errorf("figure %s has markers of no claim", id)
		}
	}
}

// TestQuotesInFigures: markers have the name of their curve, and are on it where the paper states no value.
func TestQuotesInFigures(t *testing.T) {
	for _, id := range []string{"nist-09", "nist-10", "nist-11", "nist-12", "nist-13"} {
		fig := build(t, id, Options{Quick: true}).Picture.(plots.Figure)
		quoted := text.Where(fig.Series, func(s plots.Series) bool { return s.Quoted })
		n := text.Sum(quoted, func(s plots.Series) int { return len(s.X) })
		if n != len(quotes[id]) || len(quoted) == 0 {
			t.Errorf("%s: %d markers, want %d", id, n, len(quotes[id]))
		}
		for _, s := range quoted {
			if seriesOf(t, fig, s.Name).Quoted {
				t.Errorf("%s: no curve %q", id, s.Name)
			}
		}
	}
	fig := withQuotes(plots.Figure{Series: []plots.Series{
		{Name: "low", X: []float64{0, 2}, Y: []float64{1, 3}}, {Name: "lower", X: []float64{0, 2}, Y: []float64{0, 1}},
	}}, []quote{
		{curve: "low", x: 1, y: drawnY}, {curve: "low", x: 9, y: drawnY}, {curve: "other", y: 0.25, above: "lower"},
	})
	want := []plots.Series{
		{Name: "low", Kind: plots.Points, Quoted: true, X: []float64{1, 9}, Y: []float64{2, 3}},
		{Name: "other", Kind: plots.Points, Quoted: true, X: []float64{0}, Y: []float64{0.75}},
	}
	for i, w := range want {
		got := fig.Series[2+i]
		if got.Name != w.Name || !slices.Equal(got.X, w.X) || !slices.Equal(got.Y, w.Y) || !got.Quoted || got.Kind != w.Kind {
			t.Errorf("%+v, want %+v", got, w)
		}
	}
	if v := along(plots.Series{X: []float64{1, 2}, Y: []float64{math.Pi, 0}}, 0); v != math.Pi {
		t.Errorf("before the first point: %g", v)
	}
}

// TestFitted: a figure says what was fitted to its paper under the reading in which it was, and no other figure does.
func TestFitted(t *testing.T) {
	says := func(id string, r Reading) bool {
		fig := build(t, id, Options{Quick: true, Reading: r}).Picture.(plots.Figure)
		return slices.ContainsFunc(fig.Notes, func(n string) bool { return strings.HasPrefix(n, "Fitted to the paper: ") })
	}
	if !says("nist-13", Reading{}) || !says("nist-14", Alternative("nist")) || says("nist-10", Reading{}) {
		t.Error("figures of four classes are fitted, and those of two are not")
	}
	for id, want := range map[string][2]bool{ // by default, and under the alternative
		"nist-15": {false, true}, "sla-02a": {true, false}, "libra-table1": {true, true}, "pricing-04b": {},
	} {
		paper, _, _ := strings.Cut(id, "-")
		_, first := Reading{}.fitted(id)
		_, second := Alternative(paper).fitted(id)
		if got := [2]bool{first, second}; got != want {
			t.Errorf("%s: fitted %v, want %v", id, got, want)
		}
	}
	for _, f := range fits {
		for _, id := range f.figures {
			plannedFigure(id) // panics where there is no such figure
		}
	}
	for _, c := range allClaims() {
		if c.id == "sla-better" && !c.fitted(defaultReading) || c.id == "libra-ray-tracing" && c.fitted(defaultReading) {
			t.Errorf("%s: fitted %v", c.id, c.fitted(defaultReading))
		}
	}
}
