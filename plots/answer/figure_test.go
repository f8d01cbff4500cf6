package answer

import (
	"errors"
	"math"
	"slices"
	"testing"

	"revopt/internal/text"
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

// TestNoFigure: what a table cannot show is a DrawError, and numbers that are all 0 have no figure.
func TestNoFigure(t *testing.T) {
	a := along("first", "second")
	for _, d := range []Drawing{{Y: "none"}, {Y: "policy"}, {X: "none"}, {Where: map[string]string{"policy": "third"}}} {
		var refused *DrawError
		if _, err := a.Tables[0].drawing(d); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", d, err)
		}
	}
	one, err := a.Tables[1].drawing(Drawing{X: "policy", Y: "share", Where: map[string]string{"load": "0.6"}})
	if err != nil || len(one.fig.Series[0].Y) != 2 || math.IsNaN(one.fig.Series[0].Y[0]) {
		t.Errorf("%+v, %v", one, err)
	}
	for _, row := range a.Tables[1].Rows {
		row[2].Number = 0
		row[3].Number = 0
	}
	if list := a.Figures(); len(list) != 0 {
		t.Errorf("%d figures of zeros", len(list))
	}
}

// TestDraw: of two axes the second tells lines apart, rows of customers are drawn if the drawing names them, and a column
// that the first table lacks is drawn from another.
func TestDraw(t *testing.T) {
	a := along("first")
	points := &a.Tables[1]
	points.Columns = append([]Column{{Name: "phi", Unit: Ratio, Axis: true}, {Name: "customer", Unit: Text}},
		points.Columns...)
	var rows [][]Value
	for _, phi := range []float64{1, 2} {
		for _, customer := range []string{"", "gold"} {
			for _, row := range points.Rows {
				rows = append(rows, append([]Value{Exactly(Ratio, phi), Word(customer)}, row...))
			}
		}
	}
	points.Rows = rows
	fig, numbers, err := a.Draw(Drawing{X: "load", Y: "value"})
	if err != nil || len(fig.Series) != 2 || fig.Series[1].Name != "phi 2" || len(fig.Series[0].X) != 3 {
		t.Fatalf("%v, %+v", err, fig.Series)
	}
	if names := text.Each(numbers.Columns, func(c Column) string { return c.Name }); len(numbers.Rows) != 6 ||
		!slices.Equal(names, []string{"load", "phi", "value"}) {
		t.Errorf("%d rows of %v", len(numbers.Rows), names)
	}
	fig, _, err = a.Draw(Drawing{X: "customer", Where: map[string]string{"phi": "1", "load": "1.2"}})
	if err != nil || len(fig.X.Categories) != 2 {
		t.Errorf("%v, %v", err, fig.X.Categories)
	}
	only := Column{Name: "cost", Unit: Money}
	a.Tables[0].Columns = append(a.Tables[0].Columns, only)
	for i := range a.Tables[0].Rows {
		a.Tables[0].Rows[i] = append(a.Tables[0].Rows[i], Exactly(Money, 5))
	}
	fig, _, err = a.Draw(Drawing{Y: "cost"})
	if err != nil || fig.Series[0].Kind != plots.Bars || fig.Series[0].Y[0] != 5 {
		t.Errorf("%v, %+v", err, fig)
	}
	var refused *DrawError
	if _, _, err := (Answer{Command: "trace info"}).Draw(Drawing{}); !errors.As(err, &refused) {
		t.Error(err)
	}
}
