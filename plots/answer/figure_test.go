package answer

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/plots"
)

// along returns an answer whose policies run along an axis, under a bound.
func along(policies ...string) Answer {
	value := Column{Name: "value", Title: "$/h", Unit: Money, Means: "value delivered", Drawn: true}
	share := Column{Name: "share", Unit: Share, Means: "share of what no policy exceeds", Drawn: true,
		Bound: Exactly(Share, 1)}
	policy := Column{Name: "policy", Unit: Text, Means: "label"}
	first := value
	first.Bound = Exactly(Money, 2000)
	all := Table{Name: "policies", Columns: []Column{policy, first, share}}
	points := Table{Name: "points", Columns: []Column{{Name: "load", Unit: Share, Axis: true}, policy, value, share,
		{Name: "bound", Unit: Money, Limits: "value", Proven: true, Quiet: true}}}
	for _, load := range []float64{0.6, 1.2, 1.8} {
		for i, name := range policies {
			x := 1000 * load * (1 - 0.1*load) * (1 - 0.01*float64(i))
			earned := Value{Unit: Money, Number: x, Low: x - 20, High: x + 20, Random: true}
			reached := Exactly(Share, x/2000)
			if load == 1.2 {
				all.Rows = append(all.Rows, []Value{Word(name), earned, reached})
			}
			points.Rows = append(points.Rows, []Value{Exactly(Share, load), Word(name), earned, reached,
				Exactly(Money, 2000)})
		}
	}
	return Answer{Version: "1", Command: "validate", Replications: 5, Level: 0.95, Headline: New("NO_WINNER"),
		Tables: []Table{all, points}}
}

// TestFigures: an answer along an axis has lines under a hatched bound and no bars; else bars do, with the names and marks
// of rows. Intervals end at the bound.
func TestFigures(t *testing.T) {
	a := along("first", "second")
	a.Scenario = "a/b"
	list := a.Figures()
	if len(list) != 2 || list[0].ID != "a-b-points-value" || list[1].ID != "a-b-points-share" {
		t.Fatalf("%d figures", len(list))
	}
	value := list[0]
	if len(value.Series) != 2 || !slices.Equal(value.Series[0].X, []float64{0.6, 1.2, 1.8}) || len(value.Regions) != 1 ||
		value.Regions[0].Side != plots.Above || value.Regions[0].Y[0] != 2000 {
		t.Errorf("%+v", value)
	}
	a.Tables = a.Tables[:1]
	a.Tables[0].Columns = append(a.Tables[0].Columns, Column{Name: "present", Unit: Truth, Mark: true})
	for i, row := range a.Tables[0].Rows {
		row[1].Number = 1990
		row[1].High = 2010
		a.Tables[0].Rows[i] = append(row, Yes(i == 1))
	}
	bars := a.Figures()[0]
	if !slices.Equal(bars.X.Categories, []string{"first", "second (present)"}) || bars.Series[0].Kind != plots.Bars {
		t.Errorf("%+v", bars)
	}
	if high := bars.Series[0].High[0]; high != 2000 {
		t.Errorf("an interval reaches %g, beyond the bound of 2000", high)
	}
	if _, err := plots.Render(bars, plots.SVG, plots.Provenance{}); err != nil {
		t.Error(err)
	}
}

// TestNoFigure: numbers that are all 0, and tables without room for their rows, have no figure.
func TestNoFigure(t *testing.T) {
	a := along("first", "second")
	for _, row := range a.Tables[1].Rows {
		row[2].Number = 0
		row[3].Number = 0
	}
	if list := a.Figures(); len(list) != 0 {
		t.Errorf("%d figures of zeros", len(list))
	}
	if list := along(strings.Fields(strings.Repeat("policy ", 61))...).Figures(); len(list) != 2 {
		t.Errorf("%d figures of one line", len(list))
	}
	var names []string
	for i := range mostCurves + 1 {
		names = append(names, strconv.Itoa(i))
	}
	if list := along(names...).Figures(); len(list) != 0 {
		t.Errorf("%d figures of %d lines", len(list), len(names))
	}
}

// TestTwoAxes: of two axes the second tells lines apart.
func TestTwoAxes(t *testing.T) {
	a := along("first")
	points := &a.Tables[1]
	points.Columns = append(slices.Clone(points.Columns), Column{Name: "phi", Unit: Ratio, Axis: true})
	var rows [][]Value
	for _, phi := range []float64{1, 2} {
		for _, row := range points.Rows {
			rows = append(rows, append(slices.Clone(row), Exactly(Ratio, phi)))
		}
	}
	points.Rows = rows
	fig := a.Figures()[0]
	if len(fig.Series) != 2 || fig.Series[1].Name != "phi 2" || len(fig.Series[0].X) != 3 {
		t.Errorf("%+v", fig.Series)
	}
}
