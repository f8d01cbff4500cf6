package cli

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

const shop = `server: {parallel: 1}
load: 1.1
simulation: {jobs: 10000, replications: 8}
classes:
  - {name: urgent, share: 0.3, length: {dist: exponential, mean: 6m}, price: 50, decay: 0.01, demand: {curve: exponential, elasticity: 1.5}}
  - {name: batch, share: 0.7, length: {dist: exponential, mean: 6m}, price: 20, decay: 0.001, demand: {curve: isoelastic, elasticity: 1.2}, price_max: 22}
`

// TestPrices: prices of solve, where a largest price brings admission back; the
// simulation asks them and earns what solve says; a curve has them.
func TestPrices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	writeText(t, file, shop)
	solved := told(t, "solve", file, "--prices", "--no-check")
	urgent := func(column string) float64 { return number(t, solved, "classes", 0, column) }
	batch := func(column string) float64 { return number(t, solved, "classes", 1, column) }
	if math.Abs(urgent("price")-50/1.5-urgent("externality")) > 1e-6*urgent("price") || urgent("admit") != 1 {
		t.Errorf("%+v: the markup on the externality is not p0/e", solved.Tables)
	}
	earns := known(t, solved, "value").Number
	if batch("price") != 22 || !(batch("admit") < 1) || math.Abs(batch("externality")-22) > 1e-5 ||
		known(t, solved, "gap").Number > 1e-6 || earns < known(t, solved, "stated").Number {
		t.Errorf("want some of batch turned away at 22 $; %+v", solved)
	}
	simulated := told(t, "simulate", file, "--admission", "prices", "--level", "0.999")
	got := value(t, simulated, "policies", 0, "revenue")
	if !(got.Low <= earns && earns <= got.High) {
		t.Errorf("simulation earns %+v $/h, want %g", got, earns)
	}
	curve := told(t, "solve", file, "--prices", "--vary", "load=0.5,1")
	if number(t, curve, "points", 1, "price urgent") != number(t, curve, "classes", 2, "price") {
		t.Errorf("%+v", curve.Tables)
	}
}

// TestPricesOfNoBuyers: a class of which nothing is sold sends no jobs, and rows
// of tables and sweeps say that prices are chosen.
func TestPricesOfNoBuyers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "unsold.yaml")
	writeText(t, file, `server: {parallel: 1}
load: 0.9
simulation: {jobs: 300, replications: 2}
classes:
  - {name: good, share: 0.5, length: {dist: exponential, mean: 1}, price: 10, decay: 4, demand: {curve: linear, elasticity: 2}}
  - {name: bad, share: 0.5, length: {dist: exponential, mean: 20}, price: 1, decay: 0.1, demand: {curve: exponential, elasticity: 2}}
`)
	solved := told(t, "solve", file, "--prices", "--no-check")
	if v := value(t, solved, "classes", 1, "price"); v.Known() || number(t, solved, "classes", 1, "rate") != 0 {
		t.Errorf("solve sells at %+v", v)
	}
	simulated := told(t, "simulate", file, "--admission", "prices")
	if number(t, simulated, "admissions", 1, "comes") != 0 || number(t, simulated, "customers", 1, "jobs_submitted") != 0 {
		t.Errorf("%+v", simulated.Tables)
	}
	if v := value(t, simulated, "admissions", 1, "price"); v.Known() {
		t.Errorf("bad jobs are sold at %+v", v)
	}
	sweep := filepath.Join(dir, "s.yaml")
	writeText(t, sweep, "scenario: unsold.yaml\nvary: {load: [0.3, 0.6]}\npolicies: [hol]\nadmissions: [all, prices]\nseeds: 2\nmetrics: [revenue]\n")
	must(t, "sweep", sweep, "-o", filepath.Join(dir, "out"), "--quiet")
	if text := readText(t, filepath.Join(dir, "out", "table.csv")); strings.Count(text, ",hol,prices,") != 2 {
		t.Errorf("the sweep writes\n%s", text)
	}
}
