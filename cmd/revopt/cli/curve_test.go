package cli

import (
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
	a := told(t, "solve", "nist-four", "--vary", "load=0.21:0.8:x5")
	points, _ := a.Table("points")
	if known(t, a, "vary").Word != "load" || a.Scenario != "nist-four" || len(points.Rows) != 5 {
		t.Fatalf("%+v", a)
	}
	for i := range points.Rows {
		x := number(t, a, "points", i, "load")
		alone := told(t, "solve", "nist-four", "--no-check", "--load", strconv.FormatFloat(x, 'g', -1, 64))
		got, want := number(t, a, "points", i, "value"), known(t, alone, "value").Number
		if math.Abs(got-want) > 2e-6*want {
			t.Errorf("load %g: %g on the curve, %g alone", x, got, want)
		}
	}
}

// The table of a curve has what is chosen for each class.
func TestCurveCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, shellWords("solve nist-two --vary classes.high.share=0.1:0.9:0.2 --csv a.csv --load 0.8")...)
	_, rows := readTable(t, "a.csv")
	low := slices.Index(rows[0], "admit low")
	if low < 0 || len(rows) != 6 || rows[1][0] != "0.1" || rows[5][0] != "0.9" || !strings.HasPrefix(rows[3][low], "0.222") {
		t.Errorf("rows %v", rows)
	}
}

// A field that the file leaves out can be varied, and warnings say where they
// apply.
func TestCurveMissingField(t *testing.T) {
	text := "server: {parallel: 2}\nclasses: [{name: a, share: 1, length: {mean: 10, sd: 1}, price: 1}]\n"
	o := tryWith(t.Context(), text, "solve", "-", "--vary", "load=0.5:1.5:0.5")
	if o.code != exitDone || !strings.Contains(o.stdout, "warning EDGE_OF_STABILITY") ||
		!strings.Contains(o.stdout, "(load from 1 to 1.5, 2 of 3 values)") {
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
	for _, what := range []string{"classes-admit", "points-value"} {
		for _, format := range []string{"csv", "pdf", "png", "svg"} {
			want = append(want, "nist-four-"+what+"."+format)
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
	o := try(shellWords("solve nist-two --vary load=0.5,1 -o o --csv o/nist-two-points-value.csv -q")...)
	if table := readText(t, "o/nist-two-points-value.csv"); o.code != exitUsage || !strings.Contains(table, "admit high") {
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
	a := told(t, shellWords("solve two.yaml --vary pools.gpu.units=4,8")...)
	if names := texts(t, a, "pools", "pool"); !slices.Equal(names, []string{"cpu", "gpu", "cpu", "gpu"}) {
		t.Fatalf("pools %v", names)
	}
	for i := range 2 {
		sum := number(t, a, "pools", 2*i, "value") + number(t, a, "pools", 2*i+1, "value")
		if all := number(t, a, "points", i, "value"); math.Abs(all-sum) > 1e-12*sum || sum == 0 {
			t.Errorf("pools deliver %g, all %g", sum, all)
		}
	}
	alone := told(t, "solve", "two.yaml", "--no-check")
	if names := texts(t, alone, "pools", "pool"); !slices.Equal(names, []string{"cpu", "gpu", "all"}) {
		t.Errorf("pools %v", names)
	}
}
