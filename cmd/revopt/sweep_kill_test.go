//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sweepKills is how often the tests kill a sweep and cut its journal.
var sweepKills = 5

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

// TestSweepKilled kills a sweep at random moments and lets it end at last: the
// table is that of an undisturbed run, and no cell was run twice.
func TestSweepKilled(t *testing.T) {
	file, dir := sweepFile(t, 40000), t.TempDir()
	began := time.Now()
	want := sweepTableOf(t, file)
	whole := time.Since(began)
	rnd := rand.New(rand.NewPCG(8, 1))
	killed := 0
	for range sweepKills {
		cmd := startSweep(t, file, dir)
		time.Sleep(time.Duration((0.2 + 1.3*rnd.Float64()) * float64(whole) / float64(sweepKills)))
		if err := cmd.Process.Kill(); err != nil {
			t.Log(err)
		}
		if cmd.Wait() != nil {
			killed++
		}
	}
	before := ""
	if _, err := os.Stat(filepath.Join(dir, "journal")); err == nil {
		text := readText(t, filepath.Join(dir, "journal"))
		before = text[:strings.LastIndexByte(text, '\n')+1]
	}
	must(t, "sweep", file, "-o", dir)
	checkSweep(t, dir, want)
	if !strings.HasPrefix(readText(t, filepath.Join(dir, "journal")), before) {
		t.Error("what was finished before the last kill has changed")
	}
	t.Logf("killed %d times, %d cells were finished by then", killed, strings.Count(before, "\n"))
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
		if _, err := os.Stat(filepath.Join(dir, "journal")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for _, args := range [][]string{{}, {"--shard", "1/2"}} {
		o := try(append([]string{"sweep", file, "-o", dir}, args...)...)
		if o.code != exitFailed || !strings.Contains(o.stderr, "another process is at work on this sweep") {
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
