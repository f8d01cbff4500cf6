package main

import (
	"context"
	"fmt"
	"hash/crc32"
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

// TestSweepAgreesWithSearch compares a sweep with what simulate says of the same
// admissions and precision.
func TestSweepAgreesWithSearch(t *testing.T) {
	dir, csv := t.TempDir(), filepath.Join(t.TempDir(), "one.csv")
	file := filepath.Join(t.TempDir(), "study.yaml")
	writeText(t, file, `scenario: nist-cluster
set: {simulation.jobs: 300}
vary: {load: [0.6, 1.2]}
admissions: [all, analytic, simulated]
seeds: {precision: 5%, most: 40}
metrics: [revenue_per_second]
`)
	must(t, "sweep", file, "-o", dir)
	table := readText(t, filepath.Join(dir, "table.csv"))
	must(t, "simulate", "nist-cluster", "--load", "1.2", "--jobs", "300", "--precision", "5%", "--replications", "40", "--admission", "all,analytic,simulated", "--csv", csv)
	compared := 0
	for line := range strings.Lines(readText(t, csv)) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) == 11 && f[5] == "revenue_per_second" && f[3] == "" && f[4] == "" {
			compared++
			want := strings.Join([]string{"1.2", f[2], f[0], f[1], f[4], f[5], f[6], f[7], f[8], f[9], f[10]}, ",")
			if !strings.Contains(table, "\n"+want+"\n") {
				t.Errorf("no line %s in\n%s", want, table)
			}
		}
	}
	if compared != 3 {
		t.Errorf("%d lines compared", compared)
	}
	if text := readText(t, filepath.Join(dir, "admissions.csv")); !strings.Contains(text, "\n1.2,simulated,hol,backfill=false,HvHu,") || strings.Count(text, "\n")-strings.Count(text, "# ") != 1+2*2*4 {
		t.Errorf("admissions\n%s", text)
	}
	if got := must(t, "sweep", "status", dir); !strings.Contains(got, "cells finished, 2 of 2 points settled") {
		t.Errorf("status: %s", got)
	}
	writeText(t, file, strings.Replace(readText(t, file), "most: 40", "most: 5", 1))
	if got := must(t, "sweep", file, "-o", t.TempDir()); !strings.Contains(got, "at 2 points 5 replications do not make the interval of revenue_per_second as narrow as 5") {
		t.Errorf("printed %s", got)
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

func TestSweepOtherWork(t *testing.T) {
	file, dir := sweepFile(t, 200), t.TempDir()
	must(t, "sweep", file, "-o", dir, "--shard", "1/50")
	before := readText(t, filepath.Join(dir, "journal-1-of-50"))
	writeText(t, file, strings.Replace(readText(t, file), "seeds: 10", "seeds: 9", 1))
	o := try("sweep", file, "-o", dir)
	if o.code != exitUsage || !strings.Contains(o.stderr, "holds the results of other work") {
		t.Errorf("another sweep in the directory: %v", o)
	}
	if readText(t, filepath.Join(dir, "journal-1-of-50")) != before {
		t.Error("the journal has changed")
	}
	foreign := t.TempDir()
	writeText(t, filepath.Join(foreign, "journal"), "Dear diary,\n")
	if o := try("sweep", file, "-o", foreign); o.code != exitUsage {
		t.Errorf("a foreign file: %v", o)
	}
	if readText(t, filepath.Join(foreign, "journal")) != "Dear diary,\n" {
		t.Error("a foreign file has changed")
	}
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
	file, dir := sweepFile(t, 3000), t.TempDir()
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

func TestSweepUnwritable(t *testing.T) {
	file := sweepFile(t, 200)
	below := filepath.Join(file, "out")
	if o := try("sweep", file, "-o", below); o.code != exitFailed || !strings.Contains(o.stderr, "not a directory") {
		t.Errorf("below a file: %v", o)
	}
	if os.Getuid() == 0 {
		t.Log("as root no directory is read-only")
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if o := try("sweep", file, "-o", dir); o.code != exitFailed || !strings.Contains(o.stderr, "permission denied") {
		t.Errorf("read-only: %v", o)
	}
}

// TestSweepOtherBuild goes on with and merges results of another build: refused,
// unless the command line allows it, and then the table says so.
func TestSweepOtherBuild(t *testing.T) {
	file, dir := sweepFile(t, 50), t.TempDir()
	must(t, "sweep", file, "-o", dir)
	want := readText(t, filepath.Join(dir, "table.csv"))
	path := filepath.Join(dir, "journal")
	lines := strings.SplitAfter(readText(t, path), "\n")
	other := `{"sha256":"` + strings.Repeat("0f", 32) + `","version":"v0.0.1"}`
	build := fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(other), crc32.MakeTable(crc32.Castagnoli)), other)
	rest := strings.Join(lines[2:len(lines)-10], "")
	for _, tt := range []struct{ second, says, names string }{
		{build, "another build of the program, v0.0.1 (build 0f0f0f0f0f0f)", "v0.0.1 (build 0f0f0f0f0f0f), "},
		{"", "do not say which build", "unknown build, "},
	} {
		writeText(t, path, lines[0]+tt.second+rest)
		for _, args := range [][]string{{"sweep", file, "-o", dir}, {"sweep", "merge", dir}} {
			o := try(args...)
			if o.code != exitUsage || !strings.Contains(o.stderr, tt.says) || !strings.Contains(o.stderr, "--mix-versions") || strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%v: %v", args, o)
			}
		}
		must(t, "sweep", "status", dir)
		must(t, "sweep", file, "-o", dir, "--mix-versions")
		for range 2 {
			got := readText(t, filepath.Join(dir, "table.csv"))
			if !strings.Contains(got, "\n# builds: "+tt.names) {
				t.Errorf("no builds %s in %s", tt.names, got[:500])
			}
			if got[strings.Index(got, "\nload,"):] != want[strings.Index(want, "\nload,"):] {
				t.Error("another table")
			}
			must(t, "sweep", "merge", dir, "--mix-versions")
		}
	}
}
