package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sweepFile writes a sweep of 200 cells and returns its path. A cell has the
// given number of jobs.
func sweepFile(t *testing.T, jobs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	text := fmt.Sprintf(`scenario: nist-cluster
set: {simulation.jobs: %d}
vary:
  load: 0.5:1.4:0.1
policies: [hol, {fcfs: {backfill: true}}]
seeds: 10
metrics: [revenue_per_second, mean_wait]
classes: true
`, jobs)
	writeText(t, path, text)
	return path
}

const sweepCells = 200

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sweepTableOf runs a sweep undisturbed and returns its table.
func sweepTableOf(t *testing.T, file string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, append([]string{"sweep", file, "-o", dir}, args...)...)
	return readText(t, filepath.Join(dir, "table.csv"))
}

// checkSweep checks a sweep that ended after disturbances: its table, and that
// every cell was run once.
func checkSweep(t *testing.T, dir, want string) {
	t.Helper()
	if readText(t, filepath.Join(dir, "table.csv")) != want {
		t.Error("the table differs from that of an undisturbed run")
	}
	if n := sweepRecords(t, dir); n != sweepCells {
		t.Errorf("%d cells were run, want %d", n, sweepCells)
	}
}

// sweepRecords counts the cells in the journals of a directory.
func sweepRecords(t *testing.T, dir string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "journal*"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		n += max(0, strings.Count(readText(t, path), "\n")-2) // the sweep and the build come first
	}
	return n
}

func TestSweepWorkers(t *testing.T) {
	file := sweepFile(t, 200)
	want := sweepTableOf(t, file, "--workers", "1")
	comments, table := want, want
	if at := strings.Index(want, "\nload,"); at > 0 {
		comments, table = want[:at+1], want[at+1:]
	}
	if !strings.HasPrefix(comments, "# version: ") || !strings.Contains(comments, "\n# seed: ") || !strings.Contains(comments, "\n# sweep: ") {
		t.Errorf("comments %q", comments)
	}
	if lines := strings.Count(table, "\n"); lines != 1+20*5*2 {
		t.Errorf("table of %d lines", lines)
	}
	if head, _, _ := strings.Cut(table, "\n"); head != "load,admission,policy,options,class,metric,mean,half_width,level,n,variance_reduced" {
		t.Errorf("header %s", head)
	}
	for _, workers := range []string{"2", "8"} {
		if sweepTableOf(t, file, "--workers", workers) != want {
			t.Errorf("another table with %s workers", workers)
		}
	}
}

// TestSweepBadScenario checks what only the scenario of a sweep shows to be
// wrong.
func TestSweepBadScenario(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "study.yaml")
	writeText(t, filepath.Join(dir, "trace.yaml"), "trace: {file: nowhere.swf}\n")
	for text, want := range map[string]string{
		"scenario: trace.yaml\n":                                                                                     "nowhere.swf: no such file",
		"scenario: trace.yaml\nset: {trace.file: " + dir + "}\n":                                                     "got a directory",
		"scenario: nist-cluster\nvary: {load: [1, -1]}\n":                                                            "study.yaml:2:18: vary load=-1: load: expected a number above 0",
		"scenario: nist-cluster-widths\nvary:\n  server.nodes: [1500, 100]\n  load: 1:2:1\n":                         "study.yaml:4:9: vary server.nodes=100, load=1: nist-cluster-widths:17:22: classes.LvLu.width.values.0: expected a whole number of nodes",
		"scenario: trace.yaml\nset: {trace.file: " + file + "}\n":                                                    "study.yaml:1: not an SWF trace: it looks like a scenario",
		"scenario: nist-cluster\nvary: {load: 0.1:1:x1000000}\n":                                                     "study.yaml:2:14: vary.load: expected from 2 to 100000 values",
		"scenario: nist-cluster\nadmissions: [[1, 1]]\n":                                                             "study.yaml:2:14: admissions.0: expected a probability for each of 4 classes, got 2",
		"scenario: sp2-sla\nvary: {policies.libra.gamma: [1]}\npolicies: [easy]\n":                                   "the sweep has no policy libra",
		"scenario: ic-grid\npolicies: [easy]\n":                                                                      "study.yaml: policy easy needs a single site: the grid has 6",
		"scenario: nist-cluster\nvary: {load: 0.1:1:x2048}\nseeds: 9007199254740992\n":                               "expected at most 10000000 cells",
		"scenario: nist-cluster\nvary: {load: 0.1:1:x1000, phi: 1:2:x1000}\nseeds: 1000\n":                           "expected at most 10000000 cells",
		"scenario: nist-cluster\nvary: {load: 0.1:1:x1000, phi: 1:2:x1000}\nseeds: {precision: 1%, most: 1000000}\n": "expected at most 10000000 cells",
	} {
		writeText(t, file, text)
		o := try("sweep", file, "-o", filepath.Join(dir, "out"))
		if o.code != exitUsage || !strings.Contains(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%q: %v, want %s", text, o, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a directory was made for a sweep that cannot run")
	}
}

func TestSweepShards(t *testing.T) {
	file, dir := sweepFile(t, 200), t.TempDir()
	want := sweepTableOf(t, file)
	for _, shard := range []string{"2/3", "1/3"} {
		must(t, "sweep", file, "-o", dir, "--shard", shard)
		if o := try("sweep", "merge", dir); o.code != exitFailed || !strings.Contains(o.stderr, "of 200 cells are finished") {
			t.Errorf("merge of a part: %v", o)
		}
	}
	if got := must(t, "sweep", "status", dir); !strings.Contains(got, "134 of 200 cells finished (67.0 %)") {
		t.Errorf("status: %s", got)
	}
	must(t, "sweep", file, "-o", dir, "--shard", "3/3")
	if err := os.Remove(filepath.Join(dir, "table.csv")); err != nil {
		t.Fatal(err)
	}
	must(t, "sweep", "merge", dir)
	checkSweep(t, dir, want)
	// The whole sweep does not run again the cells that shards have finished.
	must(t, "sweep", file, "-o", dir)
	checkSweep(t, dir, want)
}

func TestSweepResume(t *testing.T) {
	file, dir := sweepFile(t, 50), t.TempDir()
	must(t, "sweep", file, "-o", dir, "--resume=false", "--shard", "1/2")
	if o := try("sweep", file, "-o", dir, "--resume=false"); o.code != exitUsage || !strings.Contains(o.stderr, "holds results already") {
		t.Errorf("not to go on: %v", o)
	}
	odd := filepath.Join(dir, "a[b]") // no pattern
	must(t, "sweep", file, "-o", odd, "--shard", "1/50")
	if o := try("sweep", file, "-o", odd, "--resume=false"); o.code != exitUsage {
		t.Errorf("not to go on in %s: %v", odd, o)
	}
	must(t, "sweep", file, "-o", dir, "--resume")
	checkSweep(t, dir, sweepTableOf(t, file))
}

// TestSweepInterrupted cancels a sweep in the middle and goes on with it.
func TestSweepInterrupted(t *testing.T) {
	file, dir := sweepFile(t, 1000), t.TempDir()
	want := sweepTableOf(t, file)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for sweepRecords(t, dir) < 20 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	o := tryWith(ctx, "", "sweep", file, "-o", dir)
	if o.code != exitInterrupted || !strings.Contains(o.stderr, "of 200 cells are finished and kept in") {
		t.Fatalf("interrupted: %v", o)
	}
	must(t, "sweep", file, "-o", dir)
	checkSweep(t, dir, want)
}
