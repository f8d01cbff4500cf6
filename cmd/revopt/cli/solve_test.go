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
)

// decode reads the JSON that a command prints into v.
func decode(t *testing.T, v any, args ...string) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, args...)), v); err != nil {
		t.Fatal(err)
	}
}

// fetch decodes what a command prints with --json.
func fetch(t *testing.T, args ...string) (v map[string]any) {
	t.Helper()
	decode(t, &v, append(args, "--json")...)
	return v
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

// wantNumber checks a number of a JSON object against one computed without the
// command line.
func wantNumber(t *testing.T, object any, key string, want float64) {
	t.Helper()
	got, ok := object.(map[string]any)[key].(float64)
	if !ok || math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s: got %v, want %g", key, object.(map[string]any)[key], want)
	}
}

func TestSolveJSON(t *testing.T) {
	for _, load06 := range []bool{false, true} {
		args := []string{"solve", "nist-four", "--no-check"}
		var overrides []scenario.Override
		if load06 {
			args, overrides = append(args, "--load", "0.28"), append(overrides, scenario.Set("load", 0.28))
		}
		checkSolveJSON(t, fetch(t, args...), load(t, "nist-four", overrides...))
	}
}

func checkSolveJSON(t *testing.T, v map[string]any, sys model.System) {
	t.Helper()
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
	wantNumber(t, v, "revenue_per_second", r.Revenue)
	wantNumber(t, v, "revenue_per_hour", 3600*r.Revenue)
	wantNumber(t, v, "upper_bound_per_second", r.UpperBound)
	wantNumber(t, v, "relative_gap", r.Gap)
	wantNumber(t, v, "utilization", hol.Utilization(r.Admit))
	if v["method"] != "certified" || v["scenario"] != "nist-four" || v["version"] == "" {
		t.Errorf("method %v, scenario %v, version %v", v["method"], v["scenario"], v["version"])
	}
	if w, ok := v["warnings"].([]any); !ok || len(w) != 0 {
		t.Errorf("warnings %v", v["warnings"])
	}
	waits := hol.Waits(make([]float64, hol.Len()), r.Admit)
	earns := hol.ClassRevenue(make([]float64, hol.Len()), r.Admit)
	prices := v["shadow_prices"].(map[string]any)
	wantNumber(t, prices, "capacity", shadow.Capacity)
	var jobs, waited float64
	for i, c := range sys.Classes {
		class, price := v["classes"].([]any)[i], prices["classes"].([]any)[i]
		if class.(map[string]any)["name"] != c.Name || price.(map[string]any)["name"] != c.Name {
			t.Errorf("names of class %d: %v and %v, want %s", i, class, price, c.Name)
		}
		admitted := c.Rate * r.Admit[i]
		jobs, waited = jobs+admitted, waited+admitted*waits[i]
		wantNumber(t, class, "admit", r.Admit[i])
		wantNumber(t, class, "offered_rate", c.Rate)
		wantNumber(t, class, "admitted_rate", admitted)
		wantNumber(t, class, "utilization", admitted*c.Length.Mean()/sys.Parallel)
		wantNumber(t, class, "mean_wait", waits[i])
		wantNumber(t, class, "revenue_per_second", earns[i])
		wantNumber(t, price, "demand", shadow.Demand[i])
	}
	wantNumber(t, v, "mean_delay", waited/jobs)
}

// A figure that is not proven, or not a number, is null.
func TestSolveUnproven(t *testing.T) {
	for _, args := range [][]string{
		{"solve", "nist-four", "--no-check", "--method", "cg"},
		{"solve", "nist-four", "--no-check", "--set", "server.residual=multiserver"},
	} {
		v := fetch(t, args...)
		if bound, there := v["upper_bound_per_second"]; !there || bound != nil || v["relative_gap"] != nil ||
			v["method"] != "cg" || v["certified"] != false {
			t.Errorf("%v: bound %v, gap %v, method %v", args, bound, v["relative_gap"], v["method"])
		}
		o := try(args...)
		if o.code != exitDone || !strings.Contains(o.stderr, "revopt: warning: not proven to be the optimum") ||
			!strings.Contains(o.stdout, "none: this is the best that a local search found") {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

func TestSolveCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "solve", "nist-four", "--no-check", "--load", "0.6", "--csv", "new/a.csv")
	comments, rows := readTable(t, "new/a.csv")
	for _, want := range []string{
		"version", "scenario: nist-four", "overrides: load=0.6", "method: certified",
		"command: revopt solve nist-four --no-check --load 0.6",
	} {
		if !strings.Contains(comments, "# "+want) {
			t.Errorf("no %q in %s", want, comments)
		}
	}
	if len(rows) != 5 || rows[0][0] != "class" || rows[0][2] != "admit" || rows[1][0] != "HvHu" ||
		!strings.HasPrefix(rows[1][2], "0.869") {
		t.Errorf("got %v", rows)
	}
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

// A scenario may come from standard input, and nobody may arrive.
func TestSolveStandardInput(t *testing.T) {
	if o := tryWith(t.Context(), "laod: 1", "solve", "-"); o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: standard input:") {
		t.Errorf("%+v", o)
	}
	o := tryWith(t.Context(),
		"server: {parallel: 2.5}\nclasses: [{name: a, rate: 0, length: {mean: 10, sd: 1}, price: 1, decay: 1}]\n", "solve", "-", "--json")
	var v map[string]any
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || o.code != exitDone {
		t.Fatalf("%v: %+v", err, o)
	}
	if delay, there := v["mean_delay"]; !there || delay != nil {
		t.Errorf("mean delay of no jobs: %v", delay)
	}
	wantNumber(t, v, "revenue_per_second", 0)
}

// TestReversedAdvice: advice that is worse than admitting all says so in the first three lines, and exits with 0.
func TestReversedAdvice(t *testing.T) {
	for _, name := range []string{"nist-four", "nist-two", "sp2-sla"} {
		lines := strings.Split(must(t, "solve", name, "--quiet"), "\n")
		first := strings.Join(lines[:3], " ")
		if !strings.Contains(first, "Checked by simulation: ") || !strings.Contains(first, "Do not use this admission: ") {
			t.Errorf("%s: %s", name, first)
		}
	}
	if plain := must(t, "solve", "nist-four", "--quiet", "--no-check"); strings.Contains(strings.ToLower(plain), "check") {
		t.Error(plain)
	}
	checked := fetch(t, "solve", "site", "--quiet")["checked"].(map[string]any)
	if checked["stands"] != true || checked["policy"] != "easy" {
		t.Errorf("site: %v", checked)
	}
}
