package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

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
