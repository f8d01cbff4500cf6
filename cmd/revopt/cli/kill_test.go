//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// killedCommands are commands that keep a journal, and how much they do.
func killedCommands(size int) map[string][]string {
	all := map[string][]string{}
	for _, line := range []string{
		"sweep sweep.yaml -o kept",
		fmt.Sprintf("simulate nist-cluster --jobs %d --replications %d --admission all,simulated --journal kept"+
			" --csv a.csv --cells c.csv", 600*size, 6*size),
		fmt.Sprintf("validate sp2-like --jobs 60 --replications %d --policy easy,libra --journal kept"+
			" --csv a.csv --html a.html", 2*size),
		fmt.Sprintf("whatif site --jobs 300 --replications %d --change trace.nodes=+16 --change policy=value-bf"+
			" --journal kept --html a.html", 6*size),
	} {
		args := strings.Fields(line)
		all[args[0]] = args
	}
	return all
}

// killedSweep is the file of the sweep that is killed.
func killedSweep(size int) string {
	return fmt.Sprintf(`scenario: nist-cluster
set: {simulation.jobs: %d}
vary: {load: [0.7, 1.1]}
policies: [hol, fcfs]
admissions: [all, simulated]
seeds: {precision: 2%%, least: %d, most: %d}
`, 1000*size, 2*size, 6*size)
}

// TestKilledOnce kills a command of one plan and one of two at one moment. TestKilled does so
// often, with all commands.
func TestKilledOnce(t *testing.T) {
	all := killedCommands(1)
	for _, name := range []string{"sweep", "whatif"} {
		t.Run(name, func(t *testing.T) { killOften(t, os.Args[0], all[name], killedSweep(1), 1) })
	}
}

// killOften kills a command at moments spread over the time of an undisturbed run, each
// time in another directory, and runs it again: it prints and writes what an undisturbed
// run does, goes on with what was finished, computes no cell twice, and leaves no file
// that an undisturbed run does not leave.
func killOften(t *testing.T, program string, args []string, sweep string, kills int) {
	t.Helper()
	k := killing{t, program, append(args, "--quiet"), sweep}
	k.args = append(k.args, "--workers", "2")
	if args[0] != "sweep" {
		k.args = append(k.args, "--json")
	}
	calm := t.TempDir()
	begin := time.Now()
	want := k.end(calm)
	whole := time.Since(begin)
	rnd := rand.New(rand.NewPCG(18, uint64(len(args[0]))))
	var moments []string
	for tries := 0; len(moments) < kills && tries < 3*kills; tries++ {
		moment := (float64(len(moments)) + rnd.Float64()) / float64(kills)
		if kept, killed := k.trial(calm, want, time.Duration(moment*float64(whole))); killed {
			moments = append(moments, fmt.Sprintf("%.0f%%:%d", 100*moment, kept))
		} else {
			whole -= whole / 20 // the machine is less busy now
		}
	}
	t.Logf("%d kills of a run of %s with %d records; moment and records by then: %s", len(moments),
		whole.Round(time.Millisecond), countLines(keptCells(t, calm)), strings.Join(moments, " "))
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
	got := k.end(dir)
	after := keptCells(k.T, dir)
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
			cell := cellOf(line)
			if cell != "" && seen[cell] {
				t.Errorf("%s: cell %.40s was computed twice", path, cell)
			}
			seen[cell] = true
		}
	}
}

func countLines(journals map[string]string) int {
	n := 0
	for _, text := range journals {
		n += strings.Count(text, "\n")
	}
	return n
}
