package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every point of a curve is what solve finds there.
func TestCurveAgainstSolve(t *testing.T) {
	v := fetch(t, "solve", "nist-four", "--vary", "load=0.21:0.8:x5")
	if v["vary"] != "load" || v["scenario"] != "nist-four" {
		t.Errorf("vary %v, scenario %v", v["vary"], v["scenario"])
	}
	points := v["points"].([]any)
	if len(points) != 5 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		point := p.(map[string]any)
		x, err := json.Marshal(point["value"])
		if err != nil {
			t.Fatal(err)
		}
		alone := fetch(t, "solve", "nist-four", "--no-check", "--load", string(x))
		got, want := point["revenue_per_second"].(float64), alone["revenue_per_second"].(float64)
		if math.Abs(got-want) > 2e-6*want {
			t.Errorf("load %s: %g on the curve, %g alone", x, got, want)
		}
	}
}

func TestCurveCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, shellWords("solve nist-two --vary classes.high.share=0.1:0.9:0.2 --csv a.csv --load 0.8")...)
	comments, rows := readTable(t, "a.csv")
	for _, want := range []string{"# version: ", "# scenario: nist-two\n", "# overrides: load=0.8\n", "# method: certified\n",
		"# residual: printed\n"} {
		if !strings.Contains(comments, want) {
			t.Errorf("no %q in %s", want, comments)
		}
	}
	header := []string{"classes.high.share", "revenue_per_second", "revenue_per_hour", "upper_bound_per_second",
		"relative_gap", "load", "utilization", "mean_delay",
		"admit high", "mean_wait high", "revenue_per_second high", "admit low", "mean_wait low", "revenue_per_second low"}
	if !slices.Equal(rows[0], header) {
		t.Errorf("header %v", rows[0])
	}
	if len(rows) != 6 || rows[1][0] != "0.1" || rows[5][0] != "0.9" || !strings.HasPrefix(rows[3][11], "0.222") {
		t.Errorf("rows %v", rows)
	}
}

// A field that the file leaves out can be varied, and warnings say where they
// apply.
func TestCurveMissingField(t *testing.T) {
	text := "server: {parallel: 2}\nclasses: [{name: a, share: 1, length: {mean: 10, sd: 1}, price: 1}]\n"
	o := tryWith(t.Context(), text, "solve", "-", "--vary", "load=0.5:1.5:0.5")
	if o.code != exitDone || !strings.Contains(o.stderr, "edge of stability") ||
		!strings.Contains(o.stderr, "(load from 1 to 1.5, 2 of 3 values)") {
		t.Errorf("%+v", o)
	}
}

func TestCurveFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "solve", "nist-four", "--vary", "load=0.2:1.4:0.2", "-o", "dir")
	var got []string
	for _, path := range files(t, "dir") {
		got = append(got, filepath.Base(path))
	}
	var want []string
	for _, what := range []string{"admission", "revenue"} {
		for _, format := range []string{"csv", "pdf", "png", "svg"} {
			want = append(want, "nist-four-load-"+what+"."+format)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, name := range []string{"a.png", "b.svg", "c.pdf", "d.csv"} {
		must(t, "solve", "nist-four", "--vary", "load=0.2:1.4:0.2", "-o", filepath.Join("single", name))
	}
	if got := files(t, "single"); len(got) != 4 {
		t.Errorf("got %v", got)
	}
	if err := os.Mkdir("odd.name", 0o777); err != nil {
		t.Fatal(err)
	}
	must(t, shellWords("solve nist-four --vary classes.HvHu.decay=1,2 -o odd.name --set server.residual=multiserver")...)
	if got := files(t, "odd.name"); len(got) != 8 {
		t.Errorf("got %v", got)
	}
}

// A figure does not overwrite the table of the same run.
func TestFigureOverTable(t *testing.T) {
	t.Chdir(t.TempDir())
	o := try(shellWords("solve nist-two --vary load=0.5,1 -o o --csv o/nist-two-load-revenue.csv -q")...)
	if table := readText(t, "o/nist-two-load-revenue.csv"); o.code != exitUsage || !strings.Contains(table, "upper_bound") {
		t.Errorf("%+v, table %s", o, table)
	}
}

// Rows of pools add up to the row of all, and the size of one pool can vary.
func TestCurvePools(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "two.yaml", `pools: [{name: cpu, units: 48, unit: core}, {name: gpu, units: 8, unit: gpu}]
load: 1
classes:
  - {name: a, pool: cpu, share: 0.7, length: {mean: 100, dist: exponential}, width: 4, price: 5, decay: 0.01}
  - {name: g, pool: gpu, share: 0.3, length: {mean: 100, dist: exponential}, price: 30, decay: 0.05}
`)
	must(t, shellWords("solve two.yaml --vary pools.gpu.units=4,8 --csv a.csv")...)
	_, rows := readTable(t, "a.csv")
	if len(rows) != 7 || !slices.Equal(rows[0][:3], []string{"pools.gpu.units", "pool", "revenue_per_second"}) {
		t.Fatalf("rows %v", rows)
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for i := 1; i < len(rows); i += 3 {
		all, cpu, gpu := rows[i], rows[i+1], rows[i+2]
		sum := number(cpu[2]) + number(gpu[2])
		if all[1] != "" || cpu[1] != "cpu" || gpu[1] != "gpu" || math.Abs(number(all[2])-sum) > 1e-12*sum || sum == 0 {
			t.Errorf("rows %v", rows[i:i+3])
		}
	}
	if out := must(t, "solve", "two.yaml", "--no-check"); !strings.Contains(out, "Pool gpu: 8 GPUs at load") {
		t.Errorf("no head of a pool in %s", out)
	}
}
