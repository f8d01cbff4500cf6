package tidy

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/plots"
	"revopt/plots/answer"
)

// sweep is an answer with points of two loads and two coefficients.
func sweep() answer.Answer {
	text, number, axis := answer.Text, answer.Ratio, true
	columns := []answer.Column{{Name: "load", Unit: number, Axis: axis}, {Name: "phi", Unit: number, Axis: axis},
		{Name: "policy", Unit: text}, {Name: "customer", Unit: text}, {Name: "mean_wait", Unit: answer.Time},
		{Name: "value", Unit: answer.Money}}
	row := func(load, phi float64, policy, customer string, wait, half float64) []answer.Value {
		v := answer.Exactly(answer.Time, wait)
		if half > 0 {
			v.Random, v.Low, v.High = true, wait-half, wait+half
		}
		return []answer.Value{answer.Exactly(number, load), answer.Exactly(number, phi), answer.Word(policy),
			answer.Word(customer), v, answer.Exactly(answer.Money, -7200)}
	}
	return answer.Answer{Tables: []answer.Table{{Name: "points", Columns: columns, Rows: [][]answer.Value{
		row(0.5, 1, "hol", "", 60, 6), row(0.5, 1, "hol:backfill=true", "", 50, 5), row(0.5, 1, "hol", "rich", 1, 0),
		row(0.5, 2, "hol", "", 61, 6), row(1, 1, "hol", "", 600, 0), row(1, 1, "hol:backfill=true", "", 500, 50),
		row(1, 2, "hol", "", 601, 60),
	}}}}
}

func TestTidy(t *testing.T) {
	table, err := OfAnswer(sweep())
	if err != nil {
		t.Fatal(err)
	}
	fig, err := table.Figure(Options{Y: "mean_wait", Where: map[string]string{"phi": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	// Two policies are two lines along the load; other classes and phi are left out.
	if fig.X != "load" || len(fig.Series) != 2 || fig.Series[0].Name != "hol" ||
		fig.Series[0].Kind != plots.Line {
		t.Fatalf("%s: %+v", fig.X, fig.Series)
	}
	s := fig.Series[0]
	if !slices.Equal(s.X, []float64{0.5, 1}) || !slices.Equal(s.Y, []float64{60, 600}) ||
		s.Low[0] != 54 || s.High[0] != 66 || !math.IsNaN(s.High[1]) {
		t.Errorf("%+v", s)
	}
	var listed strings.Builder
	fig.Table.Print(&listed)
	if fig.Unit != "min" || !strings.Contains(listed.String(), "1.00 ± 0.10") ||
		!strings.Contains(listed.String(), "0.833 ± 0.083") {
		t.Errorf("%s: %s", fig.Unit, &listed)
	}
	// Names are bars; what is earned is in dollars per hour, and may be lost.
	fig, err = table.Figure(Options{X: "policy", Where: map[string]string{"load": "1", "phi": "2"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := fig.Series[0]; fig.Y != "value" || s.Kind != plots.Bars ||
		s.Y[0] != -7200 || !math.IsNaN(fig.Figure.Y.Min) ||
		!slices.Equal(fig.Figure.X.Categories, []string{"hol"}) {
		t.Errorf("%s: %+v", fig.Y, s)
	}
	for _, o := range []Options{
		{X: "rho"}, {Y: "wait"}, {Where: map[string]string{"rho": "1"}}, {Where: map[string]string{"load": "7"}},
	} {
		var refused *Error
		if _, err := table.Figure(o); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestOfAnswer: policies and customers of an answer are rows, in the units of their columns.
func TestOfAnswer(t *testing.T) {
	columns := []answer.Column{{Name: "policy", Unit: answer.Text}, {Name: "customer", Unit: answer.Text},
		{Name: "value", Unit: answer.Money}, {Name: "kept", Unit: answer.Share}}
	row := func(policy, customer string, value float64) []answer.Value {
		v := answer.Exactly(answer.Money, value)
		v.Random, v.Low, v.High = true, value-2, value+2
		return []answer.Value{answer.Word(policy), answer.Word(customer), v, answer.Exactly(answer.Share, 0.5)}
	}
	table, err := OfAnswer(answer.Answer{Tables: []answer.Table{
		{Name: "policies", Columns: columns, Rows: [][]answer.Value{row("easy", "", 100), row("fcfs", "", 90)}},
		{Name: "customers", Columns: columns, Rows: [][]answer.Value{row("easy", "gold", 60), row("fcfs", "gold", 50)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	fig, err := table.Figure(Options{})
	if err != nil || fig.Y != "value" || fig.Unit != "$/h" || fig.Series[0].Y[1] != 90 || fig.Series[0].High[1] != 92 {
		t.Errorf("%v, %+v", err, fig)
	}
	fig, err = table.Figure(Options{Y: "kept", Where: map[string]string{"class": "gold"}})
	if err != nil || fig.Unit != "%" || len(fig.Series[0].Y) != 2 {
		t.Errorf("%v, %+v", err, fig)
	}
	if _, err := OfAnswer(answer.Answer{Command: "quote"}); err == nil {
		t.Error("an answer without policies is drawn")
	}
}
