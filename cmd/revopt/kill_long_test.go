//go:build long && unix

package main

import (
	"bytes"
	"fmt"
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

const (
	commandKills = 15 // how often each command is killed
	killedSize   = 10 // how much it does
)

// killedProgram builds the program without the race detector, so that runs of seconds
// do not take minutes.
func killedProgram(t *testing.T) string {
	program := os.Getenv("REVOPT_PROGRAM")
	if program == "" {
		program = filepath.Join(t.TempDir(), "revopt")
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return program
}

// TestKilled kills commands once each, at moments spread over the time of an undisturbed
// run, and runs them again: they print and write what an undisturbed run does, go on
// with what was finished, compute no cell twice, and leave no file that an undisturbed
// run does not leave.
func TestKilled(t *testing.T) {
	times := func(n int) string { return strconv.Itoa(n * killedSize) }
	sweep := "scenario: nist-cluster\nset: {simulation.jobs: " + times(1000) + "}\nvary: {load: [0.7, 1.1]}\npolicies: [hol, fcfs]\nadmissions: [all, {simulated: {jobs: 200, replications: 2, step: 0.1}}]\nseeds: {precision: 2%, least: " + times(2) + ", most: " + times(6) + "}\n"
	program := killedProgram(t)
	for name, args := range map[string][]string{
		"sweep":    {"sweep", "sweep.yaml", "-o", "kept"},
		"figure":   {"figure", "sla-04a", "libra-table1", "nist-02", "--quick", "--replications", strconv.Itoa(2 + killedSize/5), "--format", "csv,svg", "-o", "kept"},
		"simulate": {"simulate", "nist-cluster", "--jobs", times(600), "--replications", times(6), "--admission", "all,simulated", "--journal", "kept", "--csv", "a.csv", "--save", "a.saved", "--records", "r.csv"},
		"validate": {"validate", "sp2-like", "--jobs", "60", "--replications", times(2), "--policy", "easy,libra", "--journal", "kept", "--csv", "a.csv", "--html", "a.html"},
		"whatif":   {"whatif", "site", "--jobs", "300", "--replications", times(6), "--change", "trace.nodes=+16", "--change", "policy=value-bf", "--journal", "kept", "--html", "a.html"},
		"curve":    {"curve", "nist-four", "--vary", "load=0.05:1.4:x" + times(200), "--journal", "kept", "--csv", "a.csv", "-o", "a.svg"},
	} {
		t.Run(name, func(t *testing.T) {
			k := killing{t, program, append(args, "--quiet"), sweep}
			if name != "curve" {
				k.args = append(k.args, "--workers", "2")
			}
			calm := t.TempDir()
			begin := time.Now()
			want := k.end(calm)
			whole := time.Since(begin)
			rnd := rand.New(rand.NewPCG(18, uint64(len(name))))
			var far []string
			for tries := 0; len(far) < commandKills && tries < 3*commandKills; tries++ {
				moment := (float64(len(far)) + rnd.Float64()) / float64(commandKills)
				if kept, killed := k.trial(calm, want, time.Duration(moment*float64(whole))); killed {
					far = append(far, fmt.Sprintf("%.0f%%:%d", 100*moment, kept))
				} else {
					whole -= whole / 20 // the machine is less busy now
				}
			}
			total := countLines(keptCells(t, calm))
			t.Logf("%d kills of a run of %s with %d records; moment and records by then: %s", len(far), whole.Round(time.Millisecond), total, strings.Join(far, " "))
			if len(far) == 0 {
				t.Error("never killed: it is too short")
			}
		})
	}
}

// killing is a command that is killed.
type killing struct {
	*testing.T
	program string
	args    []string
	sweep   string // the file of the sweep
}

func (k killing) start(dir string) (*exec.Cmd, *bytes.Buffer) {
	k.Helper()
	writeText(k.T, filepath.Join(dir, "sweep.yaml"), k.sweep)
	cmd := exec.Command(k.program, k.args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	return cmd, out
}

// end runs the command and returns what it prints.
func (k killing) end(dir string) string {
	k.Helper()
	cmd, out := k.start(dir)
	if err := cmd.Wait(); err != nil {
		k.Fatalf("%v: %s", err, out)
	}
	return out.String()
}

// trial kills the command at a moment and ends it. It returns how many records there
// were by then, and whether it had not ended before.
func (k killing) trial(calm, want string, moment time.Duration) (kept int, killed bool) {
	k.Helper()
	dir := k.TempDir()
	cmd, _ := k.start(dir)
	time.Sleep(moment)
	cmd.Process.Kill()
	if cmd.Wait() == nil {
		return 0, false
	}
	before := keptCells(k.T, dir)
	// Those of figures are gone when these are drawn: look at them until then.
	stop, seen := make(chan struct{}), make(chan map[string]string)
	go func() {
		last := before
		for {
			select {
			case <-stop:
				seen <- last
				return
			case <-time.After(5 * time.Millisecond):
				if now := keptCells(k.T, dir); countLines(now) >= countLines(last) {
					last = now
				}
			}
		}
	}()
	got := k.end(dir)
	close(stop)
	after := <-seen
	if now := keptCells(k.T, dir); len(now) > 0 {
		after = now
	}
	for path, text := range before {
		if !strings.HasPrefix(after[path], text) {
			k.Errorf("after %s: %s: what was finished has changed", moment, path)
		}
	}
	checkCells(k.T, after)
	if got != want {
		k.Errorf("after %s: printed %s, want %s", moment, got, want)
	}
	a, b := written(k.T, dir), written(k.T, calm)
	if names := slices.Sorted(maps.Keys(a)); !slices.Equal(names, slices.Sorted(maps.Keys(b))) {
		k.Errorf("after %s: left behind %v, want %v", moment, names, slices.Sorted(maps.Keys(b)))
	}
	for path := range b {
		if base := filepath.Base(path); base != "journal" && base != "lock" && a[path] != b[path] {
			k.Errorf("after %s: %s differs from that of an undisturbed run", moment, path)
		}
	}
	if final, calmly := countLines(keptCells(k.T, dir)), countLines(keptCells(k.T, calm)); final != calmly {
		k.Errorf("after %s: %d records, want %d", moment, final, calmly)
	}
	return countLines(before), true
}

// written returns the files below a directory with their contents, only those of a name
// where one is given. One that goes meanwhile is not there.
func written(t *testing.T, dir string, only ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(only) > 0 && !slices.Contains(only, d.Name()) {
			return nil
		}
		if text, err := os.ReadFile(path); err == nil {
			name, _ := filepath.Rel(dir, path)
			all[name] = string(text)
		}
		return nil
	})
	return all
}

// keptCells returns the whole lines of all journals below a directory.
func keptCells(t *testing.T, dir string) map[string]string {
	t.Helper()
	lines := written(t, dir, "journal")
	for path, text := range lines {
		lines[path] = text[:strings.LastIndexByte(text, '\n')+1]
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
