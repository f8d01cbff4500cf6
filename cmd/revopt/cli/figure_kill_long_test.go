//go:build long && unix

package cli

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// figuresUnderTest is a command that simulates for a while: sweeps of traces
// behind two figures, and of a grid.
var figuresUnderTest = []string{"figure", "nist-02", "sla-04a", "sla-04b", "libra-table1", "--quick", "--replications", "3", "--format", "csv,svg"}

// journalLines returns the whole lines of the journals of unfinished figures.
func journalLines(t *testing.T, out string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(out, unfinishedName, "*", "*", "journal"))
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]string)
	for _, path := range paths {
		text := readText(t, path)
		lines[path] = text[:strings.LastIndexByte(text, '\n')+1]
	}
	return lines
}

// stopFigures starts the command in a directory and ends it by a signal when
// the journals have grown by some lines. It returns what the command said.
func stopFigures(t *testing.T, dir string, lines int, signal os.Signal) (stderr string, code int) {
	t.Helper()
	out := filepath.Join(dir, "out")
	before := countLines(journalLines(t, out))
	cmd := exec.Command(os.Args[0], append(figuresUnderTest, "--workers", "1", "--quiet")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for countLines(journalLines(t, out)) < before+lines {
		select {
		case err := <-ended:
			t.Fatalf("ended before it was stopped: %v %s", err, said.String())
		case <-time.After(time.Millisecond):
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	<-ended
	return said.String(), cmd.ProcessState.ExitCode()
}

// TestFigureKeepsOthers finishes one command while another is interrupted: that
// one still goes on where it was.
func TestFigureKeepsOthers(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	stopFigures(t, dir, 10, syscall.SIGKILL)
	kept := journalLines(t, "out")
	must(t, "figure", "nist-02", "libra-table1", "--quick", "--replications", "2", "--format", "csv")
	if got := journalLines(t, "out"); !maps.Equal(got, kept) {
		t.Errorf("%d journals are left, want %d", len(got), len(kept))
	}
}
