package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// TestControl: the rules that solve --control finds earn in a simulation what it
// says, and more than static admission. The servers of a simulation are real ones,
// also where the formulas pool them.
func TestControl(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exponential.yaml")
	writeText(t, file, exponential)
	read := func(servers string, args ...string) answer.Answer {
		t.Helper()
		return told(t, append(args, file, "--set", "server.parallel="+servers, "--load", "1.2")...)
	}
	for _, try := range [][2]string{{"state", "1"}, {"threshold", "1"}, {"state", "3"}} {
		kind, servers := try[0], try[1]
		solved := read(servers, "solve", "--no-check", "--control", kind, "--set", "server.residual=multiserver")
		want, static := known(t, solved, "control").Number, known(t, solved, "static").Number
		simulated := read(servers, "simulate", "--admission", kind, "--jobs", "20000", "--level", "0.999")
		if got := value(t, simulated, "policies", 0, "revenue"); !(got.Low <= want && want <= got.High) {
			t.Errorf("%s: simulation earns %+v $/h, want %g", kind, got, want)
		}
		if !(want > 1.05*static) {
			t.Errorf("%s: %g $/h, want over 1.05 times the %g of static admission", kind, want, static)
		}
	}
}

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
		"scenario: e.yaml\nset: {simulation.jobs: 300, server.parallel: 2}\npolicies: [hol, fcfs]\nadmissions: [threshold, state]\nseed: 3\nseeds: 4\nclasses: true\n")
	must(t, "sweep", at("s.yaml"), "--quiet")
	run := []string{"simulate", at("e.yaml"), "--set", "server.parallel=2", "--jobs", "300", "--replications", "4", "--seed",
		"3", "--policy", "hol,fcfs", "--admission", "threshold,state", "--quiet"}
	simulated := told(t, run...)
	_, rows := readTable(t, at("s/table.csv"))
	cell := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	waits := map[string]string{}
	for _, row := range rows[1:] {
		if cell(row, "metric") == "mean_wait" {
			waits[cell(row, "admission")+" "+cell(row, "policy")+" "+cell(row, "class")] = cell(row, "mean")
		}
	}
	customers, _ := simulated.Table("customers")
	for i := range customers.Rows {
		word := func(column string) string { return value(t, simulated, "customers", i, column).Word }
		key := word("admission") + " " + word("policy") + " " + word("customer")
		if wait := value(t, simulated, "customers", i, "mean_wait"); waits[key] != strconv.FormatFloat(wait.Number, 'g', -1, 64) {
			t.Errorf("%s waits %s s in the table of the sweep, want %g", key, waits[key], wait.Number)
		}
	}
	if len(customers.Rows) != 8 {
		t.Errorf("%d rows are compared", len(customers.Rows))
	}
	found := readText(t, at("s/admissions.csv"))
	admissions, _ := simulated.Table("admissions")
	for i := range admissions.Rows {
		word := func(column string) string { return value(t, simulated, "admissions", i, column).Word }
		line := "threshold," + word("policy") + ",backfill=false," + word("customer")
		if word("admission") == "state" {
			line = "state,,," + word("customer")
		}
		for _, column := range []string{"admit", "threshold", "surely"} {
			line += ","
			if v := value(t, simulated, "admissions", i, column); v.Known() {
				line += fmt.Sprint(v.Number)
			}
		}
		if !strings.Contains(found, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, found)
		}
	}
	for _, vary := range []string{"classes.batch.grace: [0, 60]", "server.parallel: [3, 30000000]"} {
		writeText(t, at("bad.yaml"), "scenario: e.yaml\nvary: {"+vary+"}\nadmissions: [all, state]\n")
		o := try("sweep", at("bad.yaml"))
		if o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: "+at("bad.yaml")+":3:19: admission state: at ") ||
			!strings.HasSuffix(o.stderr, "(admission threshold)\n") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", vary, o.code, o.stderr)
		}
		if _, err := os.Stat(at("bad")); err == nil {
			t.Error("a refused sweep has made its directory")
		}
	}
}
