package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots/answer"
)

// decode reads the JSON that a command prints into v.
func decode(t *testing.T, v any, args ...string) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, args...)), v); err != nil {
		t.Fatal(err)
	}
}

// load returns the system of a built-in with overrides.
func load(t *testing.T, name string, overrides ...scenario.Override) model.System {
	t.Helper()
	doc, err := scenario.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = doc.With(overrides...); err != nil {
		t.Fatal(err)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	return sc.System()
}

// known returns a value of an answer that must exist.
func known(t *testing.T, a answer.Answer, name string) answer.Value {
	t.Helper()
	v := answer.Fact{Values: a.Values}.Value(name)
	if !v.Known() {
		t.Fatalf("no value %s in %v", name, a.Values)
	}
	return v
}

// wantNear checks a number against one computed without the command line.
func wantNear(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s: got %g, want %g", name, got, want)
	}
}

// wantValue checks a value of an answer.
func wantValue(t *testing.T, a answer.Answer, name string, want float64) {
	t.Helper()
	wantNear(t, name, known(t, a, name).Number, want)
}

// TestSolveJSON: the answer has the numbers of the model.
func TestSolveJSON(t *testing.T) {
	a := told(t, "solve", "nist-four", "--no-check", "--load", "0.28")
	sys := load(t, "nist-four", scenario.Set("load", 0.28))
	r, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	shadow, err := optimize.ShadowPrices(context.Background(), sys, r)
	if err != nil {
		t.Fatal(err)
	}
	hol, err := model.NewHOL(sys)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, a, "value", 3600*r.Revenue)
	wantValue(t, a, "bound", 3600*r.UpperBound)
	wantValue(t, a, "gap", r.Gap)
	wantValue(t, a, "utilization", hol.Utilization(r.Admit))
	wantValue(t, a, "next_slot", 3600*shadow.Capacity)
	if known(t, a, "method").Word != "certified" || a.Scenario != "nist-four" || a.Version == "" || len(a.Warnings) != 0 {
		t.Errorf("got %+v", a)
	}
	waits := hol.Waits(make([]float64, hol.Len()), r.Admit)
	earns := hol.ClassRevenue(make([]float64, hol.Len()), r.Admit)
	var jobs, waited float64
	for i, c := range sys.Classes {
		if got := value(t, a, "classes", i, "class").Word; got != c.Name {
			t.Errorf("class %d is %s, want %s", i, got, c.Name)
		}
		admitted := c.Rate * r.Admit[i]
		jobs, waited = jobs+admitted, waited+admitted*waits[i]
		for column, want := range map[string]float64{"admit": r.Admit[i], "rate": c.Rate, "wait": waits[i],
			"utilization": admitted * c.Length.Mean() / sys.Parallel, "value": 3600 * earns[i],
			"next_job": shadow.Demand[i]} {
			wantNear(t, column, number(t, a, "classes", i, column), want)
		}
	}
	wantValue(t, a, "mean_wait", waited/jobs)
}

// readTable reads a CSV file: the comments at its beginning, and its rows.
func readTable(t *testing.T, path string) (comments string, rows [][]string) {
	t.Helper()
	data := readText(t, path)
	text := data
	for strings.HasPrefix(text, "#") {
		line, rest, _ := strings.Cut(text, "\n")
		comments, text = comments+line+"\n", rest
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return comments, rows
}
