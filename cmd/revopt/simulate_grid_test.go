package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSimulateGrid(t *testing.T) {
	out := must(t, "simulate", "ic-grid", "--replications", "2", "--set", "applications.count=60")
	for _, want := range shellWords("'60 jobs at load ' ' on 6 sites with 144 processors' mf-edf mf-hbf mf-timeshare hard-mo hard-m") {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	var report struct {
		Scenario string
		Policies []struct {
			Name       string
			Acceptance struct{ Mean float64 }
		}
	}
	text := must(t, "simulate", "libra-2004", "--replications", "20", "--json")
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if report.Scenario != "libra-2004" || len(report.Policies) != 2 || report.Policies[0].Acceptance.Mean != 1 ||
		report.Policies[1].Acceptance.Mean >= 1 {
		t.Errorf("%+v", report)
	}
}

func TestSimulateGridRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"simulate", "ic-grid", "--policy", "libra"},
		{"simulate", "ic-grid", "--policy", "hol"},
		{"simulate", "ic-grid", "--warmup", "10%"},
		{"simulate", "ic-grid", "--jobs", "10"},
		{"simulate", "ic-grid", "--set", "sites.0.mips=0"},
		{"solve", "ic-grid"},
	} {
		if o := tryWith(t.Context(), "", args...); o.code == exitDone {
			t.Errorf("%v: %+v", args, o)
		}
	}
}

// TestEveryPolicyOnOneTrace runs all policies for traces, the schemes for
// imprecise jobs included, on one workload in one call.
func TestEveryPolicyOnOneTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.yaml")
	text := `trace: {file: sp2-like, jobs: last:200, cleaning: reject, arrival_delay_factor: 0.25, nodes: 128}
qos: {high_urgency: 0.2}
ic: {optional: [0.5, 4], rate: 0.2}
policies: [fifo, hol, fcfs-bf, sjf-bf, edf-bf, easy, conservative, libra, libra+$, libra-sla, mf-edf, mf-hbf, mf-timeshare, hard-mo, hard-m]
simulation: {replications: 2}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := must(t, "simulate", path)
	for _, name := range []string{"libra-sla", "mf-edf", "mf-hbf", "mf-timeshare", "hard-mo", "hard-m"} {
		if !strings.Contains(out, "\n"+name+" ") {
			t.Errorf("no row %s in\n%s", name, out)
		}
	}
}

// TestGantt draws the vectors by hand, whose payments are known.
func TestGantt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gantt.svg")
	out := must(t, "simulate", "../../docs/ic-vectors.yaml", "--gantt", path)
	for _, want := range []string{"2,320", "2,500", "2,410", "1,500", "2,000"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mf-timeshare", "returned in part, optional part", "ended in time"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	if o := tryWith(t.Context(), "", "simulate", "ic-grid", "--replications", "1", "--gantt", path); o.code == exitDone ||
		!strings.Contains(o.stderr, "simulate fewer jobs") {
		t.Errorf("%+v", o)
	}
}
