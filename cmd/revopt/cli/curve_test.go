package cli

import (
	"math"
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
