//go:build unix

package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// commandKills is how often each command is killed.
var commandKills = 2

// TestKilled kills commands at random moments, whatever they do then, and lets them
// end at last: what they print and write is that of an undisturbed run, no cell was
// computed twice, and no file is left that an undisturbed run does not leave.
func TestKilled(t *testing.T) {
	n := strconv.Itoa(3 * commandKills)
	jobs, few := strconv.Itoa(2000*commandKills), strconv.Itoa(commandKills)
	sweep := "scenario: nist-cluster\nset: {simulation.jobs: " + jobs + "}\nvary: {load: [0.7, 1.1]}\npolicies: [hol, fcfs]\nseeds: " + n + "\n"
	for name, args := range map[string][]string{
		"sweep":    {"sweep", "sweep.yaml", "-o", "kept"},
		"figure":   {"figure", "sla-04a", "libra-table1", "--quick", "--replications", few, "--format", "csv,svg", "-o", "kept"},
		"simulate": {"simulate", "nist-cluster", "--jobs", jobs, "--replications", n, "--admission", "all,simulated", "--journal", "kept", "--csv", "a.csv", "--save", "a.saved"},
		"validate": {"validate", "sp2-like", "--jobs", "100", "--replications", n, "--policy", "easy,libra", "--journal", "kept", "--csv", "a.csv", "--html", "a.html"},
		"whatif":   {"whatif", "site", "--jobs", "300", "--replications", n, "--change", "trace.nodes=+16", "--change", "policy=value-bf", "--journal", "kept", "--html", "a.html"},
	} {
		if commandKills < 10 && (name == "sweep" || name == "figure") { // TestSweepKilled and TestFigureKilled kill them
			continue
		}
		t.Run(name, func(t *testing.T) {
			calm, dir := t.TempDir(), t.TempDir()
			start := func(dir string) (*exec.Cmd, *bytes.Buffer) {
				cmd := exec.Command(os.Args[0], append(args, "--quiet", "--workers", "2")...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
				out := new(bytes.Buffer)
				cmd.Stdout, cmd.Stderr = out, out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				return cmd, out
			}
			end := func(dir string) (string, time.Duration) {
				begin := time.Now()
				cmd, out := start(dir)
				if err := cmd.Wait(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return out.String(), time.Since(begin)
			}
			for _, d := range []string{calm, dir} {
				writeText(t, filepath.Join(d, "sweep.yaml"), sweep)
			}
			want, whole := end(calm)
			rnd := rand.New(rand.NewPCG(18, uint64(len(name)+commandKills)))
			kills, cells := 0, map[string]string{}
			span := float64(whole) * min(0.8, 2/float64(commandKills))
			for tries := 0; kills < commandKills && tries < 10*commandKills; tries++ {
				cmd, _ := start(dir)
				time.Sleep(time.Duration(rnd.Float64() * span))
				cmd.Process.Kill()
				if cmd.Wait() != nil {
					kills++
				} else { // it is finished and only writes its files
					span *= 0.7
				}
				now := keptCells(t, dir)
				for path, text := range cells {
					if now[path] != "" && !strings.HasPrefix(now[path], text) {
						t.Errorf("%s: what was finished has changed", path)
					}
				}
				cells = now
			}
			got, _ := end(dir)
			if got != want {
				t.Errorf("printed %s, want %s", got, want)
			}
			a, b := written(t, dir), written(t, calm)
			if names := slices.Sorted(maps.Keys(a)); !slices.Equal(names, slices.Sorted(maps.Keys(b))) {
				t.Errorf("left behind %v, want %v", names, slices.Sorted(maps.Keys(b)))
			}
			for path := range b {
				if base := filepath.Base(path); base != "journal" && base != "lock" && a[path] != b[path] {
					t.Errorf("%s differs from that of an undisturbed run", path)
				}
			}
			final, calmly := keptCells(t, dir), keptCells(t, calm)
			checkCells(t, final)
			if countLines(final) != countLines(calmly) {
				t.Errorf("%d records, want %d", countLines(final), countLines(calmly))
			}
			t.Logf("%d kills within %s; %d records, %d of them before the last kill", kills, whole.Round(time.Millisecond), countLines(calmly), countLines(cells))
		})
	}
}

// written returns the files below a directory with their contents.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range files(t, dir) {
		name, err := filepath.Rel(dir, path)
		if info, failed := os.Stat(path); err != nil || failed != nil || info.IsDir() {
			continue
		}
		all[name] = readText(t, path)
	}
	return all
}

// keptCells returns the whole lines of all journals below a directory.
func keptCells(t *testing.T, dir string) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for path, text := range written(t, dir) {
		if filepath.Base(path) == "journal" {
			lines[path] = text[:strings.LastIndexByte(text, '\n')+1]
		}
	}
	return lines
}

// checkCells fails where a journal has a cell twice: records without their numbers.
func checkCells(t *testing.T, journals map[string]string) {
	t.Helper()
	for path, text := range journals {
		seen := map[string]bool{}
		for line := range strings.Lines(text) {
			words := strings.SplitN(strings.TrimSpace(line), " ", 4)
			cell := strings.Join(words[1:min(len(words), 3)], " ")
			if len(words) > 1 && seen[cell] {
				t.Errorf("%s: cell %.40s was computed twice", path, cell)
			}
			seen[cell] = true
		}
	}
}
