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

const sweepTable = `# version: v1
load,phi,admission,policy,options,class,metric,mean,half_width,level,n
0.5,1,all,hol,backfill=false,,mean_wait,60,6,0.95,3
0.5,1,all,hol,backfill=true,,mean_wait,50,5,0.95,3
0.5,1,all,hol,backfill=false,rich,mean_wait,1,0,0.95,3
0.5,1,all,hol,backfill=false,,revenue_per_second,-2,0.1,0.95,3
0.5,2,all,hol,backfill=false,,mean_wait,61,6,0.95,3
1,1,all,hol,backfill=false,,mean_wait,600,,0.95,1
1,1,all,hol,backfill=true,,mean_wait,500,50,0.95,3
1,2,all,hol,backfill=false,,mean_wait,601,60,0.95,3
`

func TestTidy(t *testing.T) {
	table, err := Read(strings.NewReader(sweepTable))
	if err != nil {
		t.Fatal(err)
	}
	fig, err := table.Figure(Options{Y: "mean_wait", Where: map[string]string{"phi": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	// Two sets of options are two lines along the load; other classes and phi are left out.
	if fig.X != "load" || len(fig.Series) != 2 || fig.Series[0].Name != "backfill=false" ||
		fig.Series[0].Kind != plots.Line {
		t.Fatalf("%s: %+v", fig.X, fig.Series)
	}
	s := fig.Series[0]
	if !slices.Equal(s.X, []float64{0.5, 1}) || !slices.Equal(s.Y, []float64{60, 600}) ||
		s.Low[0] != 54 || s.High[0] != 66 || !math.IsNaN(s.High[1]) {
		t.Errorf("%+v", s)
	}
	got := fig.Table.Rows()[1]
	if fig.Unit != "min" || !slices.Equal(got, []string{"0.5", "1.00 ± 0.10", "0.833 ± 0.083"}) {
		t.Errorf("%s: %v", fig.Unit, got)
	}
	// Names are bars; what is earned is in dollars per hour, and may be lost.
	fig, err = table.Figure(Options{X: "policy"})
	if err != nil {
		t.Fatal(err)
	}
	if s := fig.Series[0]; fig.Y != "revenue_per_second" || s.Kind != plots.Bars ||
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
	for _, text := range []string{
		"", "a,b\n1,2\n", "metric,mean\nx,1\n", "metric,mean,half_width\n1\n", "metric,mean,half_width\nx,1,2\n",
		"policy,metric,mean,half_width\nx,,1,2\n", "\x00",
	} {
		var refused *Error
		if _, err := Read(strings.NewReader(text)); !errors.As(err, &refused) {
			t.Errorf("%q: %v", text, err)
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
