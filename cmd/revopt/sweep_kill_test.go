//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sweepKills is how often the tests kill a sweep and cut its journal.
var sweepKills = 2

// startSweep starts a sweep as a process.
func startSweep(t *testing.T, file, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"sweep", file, "-o", dir, "--quiet"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestSweepKilled kills sweeps at random moments and lets them end at last: the
// tables are those of an undisturbed run, and no cell was run twice. The more
// kills, the longer the cells, so that not all finish between two of them.
func TestSweepKilled(t *testing.T) {
	t.Run("plain", func(t *testing.T) { killSweep(t, sweepFile(t, 2000*sweepKills)) })
	t.Run("staged", func(t *testing.T) { killSweep(t, stagedFile(t, 600*sweepKills)) })
}

// stagedFile writes a sweep with searches and a precision. A replication has
// the given number of jobs.
func stagedFile(t *testing.T, jobs int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "staged.yaml")
	writeText(t, file, fmt.Sprintf(`scenario: nist-cluster
set: {simulation.jobs: %d}
vary: {load: [0.7, 1.1, 1.5]}
policies: [hol, fcfs]
admissions: [all, {simulated: {jobs: %d, replications: 2, step: 0.1}}]
seeds: {precision: 1%%, least: 5, most: 40}
metrics: [revenue_per_second]
`, jobs, jobs/30))
	return file
}

// killSweep kills a sweep again and again, spread over its cells, then lets it
// end.
func killSweep(t *testing.T, file string) {
	clean, dir := t.TempDir(), t.TempDir()
	must(t, "sweep", file, "-o", clean)
	cells := sweepRecords(t, clean)
	rnd := rand.New(rand.NewPCG(8, 1))
	killed := 0
	for range sweepKills {
		step := 3 * cells / (4 * sweepKills) // from one kill to the next
		enough := sweepRecords(t, dir) + step/4 + rnd.IntN(1+max(1, step))
		cmd := startSweep(t, file, dir)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if killAfter(t, cmd, dir, enough, time.Duration(rnd.Float64()*float64(5*time.Millisecond)), ended) {
			killed++
		}
	}
	before := ""
	if _, err := os.Stat(filepath.Join(dir, "journal")); err == nil {
		text := readText(t, filepath.Join(dir, "journal"))
		before = text[:strings.LastIndexByte(text, '\n')+1]
	}
	must(t, "sweep", file, "-o", dir)
	for _, path := range sweepTables(t, clean) {
		if readText(t, filepath.Join(dir, path)) != readText(t, filepath.Join(clean, path)) {
			t.Errorf("%s differs from that of an undisturbed run", path)
		}
	}
	if got, want := sweepRecords(t, dir), sweepRecords(t, clean); got != want {
		t.Errorf("%d cells were run, want %d", got, want)
	}
	if !strings.HasPrefix(readText(t, filepath.Join(dir, "journal")), before) {
		t.Error("what was finished before the last kill has changed")
	}
	if killed == 0 {
		t.Error("never killed: the sweep is too short")
	}
	t.Logf("killed %d times, %d cells were finished by then", killed, strings.Count(before, "\n"))
}

// killAfter kills a sweep a little after so many cells are finished, unless it
// ends before. It reports whether it was killed.
func killAfter(t *testing.T, cmd *exec.Cmd, dir string, cells int, pause time.Duration, ended <-chan error) bool {
	t.Helper()
	for sweepRecords(t, dir) < cells {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return false
		case <-time.After(time.Millisecond):
		}
	}
	time.Sleep(pause)
	if err := cmd.Process.Kill(); err != nil {
		t.Log(err)
	}
	return <-ended != nil
}

// sweepTables returns the names of the tables in a directory.
func sweepTables(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("tables %v, %v", paths, err)
	}
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	return paths
}

// TestSweepCut cuts the journal at random bytes: what is whole before the cut
// stays, the rest is run again.
func TestSweepCut(t *testing.T) {
	file, dir := sweepFile(t, 200), t.TempDir()
	must(t, "sweep", file, "-o", dir)
	want := readText(t, filepath.Join(dir, "table.csv"))
	path := filepath.Join(dir, "journal")
	rnd := rand.New(rand.NewPCG(8, 2))
	for range 4 * sweepKills {
		text := readText(t, path)
		cut := text[:rnd.IntN(len(text))]
		writeText(t, path, cut)
		must(t, "sweep", file, "-o", dir)
		checkSweep(t, dir, want)
		if !strings.HasPrefix(readText(t, path), cut[:strings.LastIndexByte(cut, '\n')+1]) {
			t.Errorf("cut at %d: what was whole has changed", len(cut))
		}
	}
}

// TestSweepLock runs two processes on one directory.
func TestSweepLock(t *testing.T) {
	file, dir := sweepFile(t, 50000), t.TempDir()
	cmd := startSweep(t, file, dir)
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range 10000 {
		if text, err := os.ReadFile(filepath.Join(dir, "journal")); err == nil && strings.Contains(string(text), "\n") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for _, args := range [][]string{{}, {"--shard", "1/2"}} {
		o := try(append([]string{"sweep", file, "-o", dir}, args...)...)
		if o.code != exitFailed || !strings.Contains(o.stderr, "another process is at work on this directory: host ") {
			t.Errorf("two processes %v: %v", args, o)
		}
	}
	must(t, "sweep", "status", dir)
	cmd.Process.Kill()
	cmd.Wait()
	must(t, "sweep", file, "-o", dir, "--shard", "1/200") // the lock died with the process
}

// TestSweepShardsAbreast runs shards at the same time: the last one to end
// writes the table.
func TestSweepShardsAbreast(t *testing.T) {
	file, dir := sweepFile(t, 1000), t.TempDir()
	want := sweepTableOf(t, file)
	var shards []*exec.Cmd
	for _, shard := range []string{"1/3", "2/3", "3/3"} {
		shards = append(shards, startSweep(t, file, dir, "--shard", shard))
	}
	for _, cmd := range shards {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	checkSweep(t, dir, want)
}
