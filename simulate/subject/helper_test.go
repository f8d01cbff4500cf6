package subject

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"revopt/model/scenario"
)

// opened opens a scenario of the given text.
func opened(t testing.TB, text string, overrides ...scenario.Override) *Subject {
	t.Helper()
	doc, err := parsed(t, text).With(overrides...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), doc, 1, nil)
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

// constant is one class of jobs of 10 s and $100, which lose $1 per second of
// wait, on one node.
const constant = `
server: {parallel: 1}
load: 0.8
simulation: {jobs: 2000, warmup: 50%, replications: 3}
classes:
  - {name: only, share: 1, length: {dist: deterministic, mean: 10}, price: 100, decay: 1}
`

// downTrace is a trace of 8 cores on 2 nodes that starts on 2020-01-01 at 10:00 in a zone an
// hour ahead; its first job comes a minute later.
const downTrace = `; UnixStartTime: 1577869200
; TimeZone: 3600
; MaxNodes: 2
; MaxProcs: 8
1 60 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1
2 3660 0 10 4 -1 -1 4 20 -1 1 1 1 -1 1 -1 -1 -1
`
