package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/plots/answer"
)

const exponential = `server: {parallel: 1, residual: pooled}
load: 1.2
classes:
  - {name: urgent, share: 0.3, length: {dist: exponential, mean: 1h}, price: 90, decay: 0.004}
  - {name: batch, share: 0.7, length: {dist: exponential, mean: 1h}, price: 30, decay: 0.001}
`

// TestSweepAdmission: a sweep measures what a simulation of the same scenario and seed
// measures, to the byte, finds the same admission, and refuses an admission that there is not
// before anything runs.
func TestSweepAdmission(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	writeText(t, at("e.yaml"), exponential)
	writeText(t, at("s.yaml"),
		"scenario: e.yaml\nset: {simulation.jobs: 300, server.parallel: 2}\npolicies: [hol]\nadmissions: [all, analytic]\nseed: 3\nseeds: 4\nclasses: true\n")
	must(t, "sweep", at("s.yaml"), "--quiet")
	run := []string{"simulate", at("e.yaml"), "--set", "server.parallel=2", "--jobs", "300", "--replications", "4", "--seed",
		"3", "--policy", "hol", "--admission", "all,analytic", "--quiet"}
	simulated := told(t, run...)
	swept := readAnswer(t, readText(t, at("s/answer.json")))
	for table, rows := range map[string]int{"customers": 4, "admissions": 2} { // all jobs need no row of admissions
		want, _ := simulated.Table(table)
		got, _ := swept.Table(table)
		if len(got.Rows) != rows || len(want.Rows) != rows {
			t.Errorf("%d and %d rows of %s, want %d", len(got.Rows), len(want.Rows), table, rows)
		}
		for _, row := range want.Rows {
			if !slices.ContainsFunc(got.Rows, func(other []answer.Value) bool { return slices.Equal(other, row) }) {
				t.Errorf("no row %v of %s in the sweep", row, table)
			}
		}
	}
	merged := readText(t, at("s/admissions.csv"))
	must(t, "sweep", "merge", at("s"))
	if readText(t, at("s/admissions.csv")) != merged {
		t.Error("merge writes other admissions")
	}
	writeText(t, at("bad.yaml"), "scenario: e.yaml\nvary: {server.parallel: [3, 4]}\nadmissions: [prices]\n")
	o := try("sweep", at("bad.yaml"))
	if o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: "+at("bad.yaml")+":3:14: admission prices: at ") ||
		strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("exit %d, %q", o.code, o.stderr)
	}
	if _, err := os.Stat(at("bad")); err == nil {
		t.Error("a refused sweep has made its directory")
	}
}
