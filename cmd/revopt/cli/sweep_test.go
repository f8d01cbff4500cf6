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
		n += max(0, strings.Count(readText(t, path), "\n")-4) // the sweep and the build come first, twice
	}
	return n
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
