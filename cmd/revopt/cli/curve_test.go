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

// A curve simulates the admission at the value that its headline names, as solve does there, and names the values at
// which it does not.
func TestCurveChecksItsBest(t *testing.T) {
	a := told(t, "solve", "nist-two", "--residual", "pooled", "--vary", "load=0.3,1.2,0.9")
	alone := told(t, "solve", "nist-two", "--residual", "pooled", "--load", "1.2")
	h := a.Headline
	if h.Code != "ALONG" || h.Value("at").Word != "1.2" || h.Value("unchecked").Word != "load=0.3, 0.9" {
		t.Fatalf("%s", h)
	}
	got, want := value(t, a, "points", 1, "checked"), known(t, alone, "checked")
	if math.Abs(got.Number-want.Number) > 2e-6*want.Number || !value(t, a, "points", 1, "stands").True {
		t.Errorf("%+v on the curve, %+v alone", got, want)
	}
	for _, i := range []int{0, 2} {
		if value(t, a, "points", i, "checked").Known() {
			t.Errorf("the admission at value %d is checked", i)
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
