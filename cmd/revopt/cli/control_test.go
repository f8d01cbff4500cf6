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

// TestControlNeverNull: a class that never decays, on real servers with jobs of several
// mean lengths, has values beside the bound.
func TestControlNeverNull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "never.yaml")
	writeText(t, file, exponential)
	for _, kind := range []string{"state", "threshold"} {
		a := told(t, "solve", file, "--no-check", "--control", kind, "--set", "server.residual=multiserver",
			"--set", "server.parallel=2", "--set", "classes.batch.decay=0", "--set", "classes.batch.length.mean=2h", "--load", "1.4")
		control, static := known(t, a, "control").Number, known(t, a, "static").Number
		if static < 0 || control < static || control > 3600 {
			t.Errorf("%s: %g and %g $/h", kind, control, static)
		}
	}
}

// TestSweepControl: a sweep measures what a simulation of the same scenario and seed
// measures, to the byte, finds the same rule, and refuses a rule that there is not
// before anything runs.
func TestSweepControl(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	writeText(t, at("e.yaml"), exponential)
	writeText(t, at("s.yaml"),
		"scenario: e.yaml\nset: {simulation.jobs: 300, server.parallel: 2}\npolicies: [hol]\nadmissions: [threshold, state]\nseed: 3\nseeds: 4\nclasses: true\n")
	must(t, "sweep", at("s.yaml"), "--quiet")
	run := []string{"simulate", at("e.yaml"), "--set", "server.parallel=2", "--jobs", "300", "--replications", "4", "--seed",
		"3", "--policy", "hol", "--admission", "threshold,state", "--quiet"}
	simulated := told(t, run...)
	swept := readAnswer(t, readText(t, at("s/answer.json")))
	for _, table := range []string{"customers", "admissions"} { // rows of a sweep come by admission, then by policy
		want, _ := simulated.Table(table)
		got, _ := swept.Table(table)
		if len(got.Rows) != 4 || len(want.Rows) != 4 {
			t.Errorf("%d rows of %s, want %d", len(got.Rows), table, len(want.Rows))
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
	for _, vary := range []string{"classes.batch.grace: [0, 60]", "server.parallel: [3, 30000000]"} {
		writeText(t, at("bad.yaml"), "scenario: e.yaml\nvary: {"+vary+"}\nadmissions: [all, state]\n")
		o := try("sweep", at("bad.yaml"))
		if o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: "+at("bad.yaml")+":3:19: admission state: at ") ||
			!strings.HasSuffix(o.stderr, "(revopt tune --over thresholds)\n") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", vary, o.code, o.stderr)
		}
		if _, err := os.Stat(at("bad")); err == nil {
			t.Error("a refused sweep has made its directory")
		}
	}
}
