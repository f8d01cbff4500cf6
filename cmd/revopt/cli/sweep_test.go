package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sweepFile writes a sweep of 200 replications at 10 points and returns its path. A replication has the given number of
// jobs.
func sweepFile(t *testing.T, jobs int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	text := fmt.Sprintf(`scenario: nist-cluster
set: {simulation.jobs: %d}
vary:
  load: 0.5:1.4:0.1
policies: [hol, {fcfs: {backfill: true}}]
seeds: 10
metrics: [revenue, mean_wait]
classes: true
`, jobs)
	writeText(t, path, text)
	return path
}

const sweepRuns = 200

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
// every replication was run once.
func checkSweep(t *testing.T, dir, want string) {
	t.Helper()
	if readText(t, filepath.Join(dir, "table.csv")) != want {
		t.Error("the table differs from that of an undisturbed run")
	}
	if n := sweepRecords(t, dir); n != sweepRuns {
		t.Errorf("%d replications were run, want %d", n, sweepRuns)
	}
}

// sweepRecords counts the records in the journals of a directory.
func sweepRecords(t *testing.T, dir string) int {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "journal*"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		n += strings.Count(readText(t, path), " record ")
	}
	return n
}

func TestSweepShards(t *testing.T) {
	file, dir := sweepFile(t, 200), t.TempDir()
	want := sweepTableOf(t, file)
	for _, shard := range []string{"2/3", "1/3"} {
		must(t, "sweep", file, "-o", dir, "--shard", shard)
		o := try("sweep", "merge", dir)
		if o.code != exitFailed || !strings.Contains(o.stderr, "of 10 points are finished") {
			t.Errorf("merge of a part: %v", o)
		}
	}
	if got := must(t, "sweep", "status", dir); !strings.Contains(got, " of 10 points are finished, with ") {
		t.Errorf("status: %s", got)
	}
	if n := sweepRecords(t, dir); n%20 != 0 || n == 0 || n == sweepRuns {
		t.Errorf("two shards of three have %d records, want those of some points", n)
	}
	must(t, "sweep", file, "-o", dir, "--shard", "3/3")
	must(t, "sweep", "merge", dir)
	checkSweep(t, dir, want)
	// The whole sweep does not run again what shards have finished.
	must(t, "sweep", file, "-o", dir)
	checkSweep(t, dir, want)
}

// TestSweepGrows: points that are added to a file run, and those before do not run again.
func TestSweepGrows(t *testing.T) {
	file, dir := sweepFile(t, 50), t.TempDir()
	whole := readText(t, file)
	want := sweepTableOf(t, file)
	writeText(t, file, strings.Replace(whole, "load: 0.5:1.4:0.1", "load: 0.5:0.8:0.1", 1))
	must(t, "sweep", file, "-o", dir)
	if n := sweepRecords(t, dir); n != 80 {
		t.Errorf("%d records of 4 points, want 80", n)
	}
	writeText(t, file, whole)
	must(t, "sweep", file, "-o", dir)
	checkSweep(t, dir, want)
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
	if o.code != exitInterrupted || !strings.Contains(o.stderr, " records, kept in ") {
		t.Fatalf("interrupted: %v", o)
	}
	must(t, "sweep", file, "-o", dir)
	checkSweep(t, dir, want)
}

// TestSweepFigures: the directory of a sweep has each metric against the first axis, with a line for each policy at each
// value of the other axis.
func TestSweepFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "study.yaml", `scenario: nist-cluster
set: {simulation.jobs: 40}
vary: {load: [0.5, 0.9, 1.2], phi: [1, 2]}
policies: [hol, fcfs]
seeds: 2
metrics: [mean_wait, utilization]
`)
	must(t, "sweep", "study.yaml", "--log", "x", "--no-title")
	for _, metric := range []string{"value", "mean_wait", "utilization"} {
		numbers := readText(t, "study/nist-cluster-points-"+metric+".csv")
		for _, line := range []string{"phi 1, hol", "phi 2, hol", "phi 1, fcfs", "phi 2, fcfs"} {
			if n := strings.Count(numbers, line); n != 3 {
				t.Errorf("%s: %d points of %s, want 3:\n%s", metric, n, line, numbers)
			}
		}
	}
}
