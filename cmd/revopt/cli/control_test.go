package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
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
	read := func(v any, servers string, args ...string) {
		t.Helper()
		args = append(args, file, "--set", "server.parallel="+servers, "--load", "1.2", "--json", "--quiet")
		decode(t, v, args...)
	}
	for _, try := range [][2]string{{"state", "1"}, {"threshold", "1"}, {"state", "3"}} {
		kind, servers := try[0], try[1]
		var solved struct {
			Control struct {
				Revenue float64 `json:"revenue_per_second"`
				Static  float64 `json:"static_revenue_per_second"`
			}
		}
		read(&solved, servers, "solve", "--no-check", "--control", kind, "--set", "server.residual=multiserver")
		var simulated struct {
			Policies []struct {
				Admission struct{ Name string }
				Revenue   struct {
					Mean float64
					Half float64 `json:"half_width"`
				} `json:"revenue_per_second"`
			}
		}
		read(&simulated, servers, "simulate", "--admission", kind, "--jobs", "20000", "--level", "0.999")
		got, want := simulated.Policies[0].Revenue, solved.Control
		if math.Abs(got.Mean-want.Revenue) > got.Half {
			t.Errorf("%s: simulation earns %g ± %g $/s, want %g", kind, got.Mean, got.Half, want.Revenue)
		}
		if !(want.Revenue > 1.05*want.Static) {
			t.Errorf("%s: %g $/s, want over 1.05 times the %g of static admission", kind, want.Revenue, want.Static)
		}
	}
}

// TestControlNeverNull: a class that never decays, on real servers with jobs of several
// mean lengths, has values beside the bound.
func TestControlNeverNull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "never.yaml")
	writeText(t, file, exponential)
	for _, kind := range []string{"state", "threshold"} {
		var solved struct{ Control map[string]any }
		decode(t, &solved, "solve", file, "--no-check", "--control", kind, "--json", "--quiet", "--set", "server.residual=multiserver",
			"--set", "server.parallel=2", "--set", "classes.batch.decay=0", "--set", "classes.batch.length.mean=2h", "--load", "1.4")
		for _, key := range []string{"revenue_per_second", "static_revenue_per_second", "gain"} {
			if x, ok := solved.Control[key].(float64); !ok || x < 0 || x > 1 {
				t.Errorf("%s: %s is %v", kind, key, solved.Control[key])
			}
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
	must(t, append(run, "--csv", at("simulated.csv"))...)
	// The columns of a sweep: admission, policy, options, class, ...; of a
	// simulation: policy, options, admission, versus, class, ....
	lines := map[string]bool{}
	for line := range strings.Lines(readText(t, at("s/table.csv"))) {
		lines[line] = true
	}
	compared := 0
	for line := range strings.Lines(readText(t, at("simulated.csv"))) {
		if w := strings.SplitN(line, ",", 5); len(w) == 5 && w[3] == "" && !strings.HasPrefix(line, "#") {
			compared++
			if same := strings.Join([]string{w[2], w[0], w[1], w[4]}, ","); !lines[same] {
				t.Errorf("no line %q in the table of the sweep", same)
			}
		}
	}
	if compared < 100 {
		t.Errorf("%d lines are compared", compared)
	}
	var simulated struct {
		Policies []struct {
			Name      string
			Admission struct {
				Name       string
				Thresholds []struct {
					Name            string
					Admit           *float64
					Waiting, Surely *int
				}
			}
		}
	}
	decode(t, &simulated, append(run, "--json")...)
	found := readText(t, at("s/admissions.csv"))
	for _, p := range simulated.Policies {
		for _, c := range p.Admission.Thresholds {
			line := "threshold," + p.Name + ",backfill=false," + c.Name
			if p.Admission.Name == "state" {
				line = "state,,," + c.Name
			}
			for _, x := range []any{c.Admit, c.Waiting, c.Surely} {
				line += ","
				if v := reflect.ValueOf(x); !v.IsNil() {
					line += fmt.Sprint(v.Elem())
				}
			}
			if !strings.Contains(found, "\n"+line+"\n") {
				t.Errorf("no line %q in\n%s", line, found)
			}
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
