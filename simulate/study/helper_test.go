package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// texts joins warnings, one on a line.
func texts(list []warn.Warning) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

// opened opens a scenario of the given text.
func opened(t testing.TB, text string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	doc, err := parsed(t, text).With(overrides...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parsed reads a scenario.
func parsed(t testing.TB, text string) *scenario.Document {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// builtin opens a built-in scenario, one of classes with replications of 2000
// jobs where the overrides do not say how long.
func builtin(t testing.TB, name string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	doc, err := scenario.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	if sc.Trace == nil && sc.Grid == nil && !slices.ContainsFunc(overrides, func(o scenario.Override) bool { return o.Path == "simulation.horizon" }) {
		overrides = append([]scenario.Override{scenario.Set("simulation.jobs", 2000)}, overrides...)
	}
	if doc, err = doc.With(overrides...); err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *experiment.Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Experiment{Workload: w, Policy: p, Admission: experiment.Admission{Admit: admit}, Seed: seed}
}

// traceOfGroups is a trace of 40 jobs of three groups on 16 nodes. Nothing in it
// is drawn.
func traceOfGroups(t testing.TB) string {
	t.Helper()
	text := "; MaxNodes: 16\n; MaxProcs: 16\n"
	for i := range 40 {
		width, length := 1+i*7%16, 60+i*37%400
		text += swfLine(i+1, 30*i, length, width, 2*length, 1+i%5, 1+i%3)
	}
	path := filepath.Join(t.TempDir(), "groups.swf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// customers lays three customers over the trace of groups; those of the last
// group belong to nobody.
func customers(t testing.TB) string {
	return "name: ours\ntrace: {file: " + traceOfGroups(t) + ", nodes: 16}\n" + `classes:
  - {name: industry, of: {group: [1]}, price: {per_unit_hour: 2.5}, decay: {per_hour: 10%}, deadline: {lengths: 3}, max_penalty: {of_price: 0.2}, expire: floor, slo: {within: 10m, level: 90%}}
  - {name: science, of: {group: [2]}, price: {per_unit_hour: 1}, grace: 5m, decay: 0.01, max_penalty: none}
simulation: {replications: 4}
`
}

// swfLine writes a job as a line of a trace.
func swfLine(id, submit, length, width, estimate, user, group int) string {
	return fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 %d %d 1 1 1 -1 -1\n", id, submit, length, width, width, estimate, user, group)
}

// pairOfPools writes a trace of jobs, in the order submit, length, partition, and lays pools a
// and b of one unit over it.
func pairOfPools(t *testing.T, pools string, jobs ...[3]int) *subject.Subject {
	t.Helper()
	lines := "; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 a,b\n; Partition: 4 b,a\n"
	for i, j := range jobs {
		lines += fmt.Sprintf("%d %d -1 %d 1 -1 -1 1 %d -1 1 1 1 1 1 %d -1 -1\n", i+1, j[0], j[1], j[1], j[2])
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return opened(t, "trace: {file: "+path+"}\n"+pools+
		"classes: [{name: all, price: {per_unit_hour: {a: 3600, b: 7200}}, max_penalty: none}]\n")
}
