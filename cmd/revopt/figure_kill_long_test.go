//go:build long && unix

package main

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

func countLines(journals map[string]string) int {
	n := 0
	for _, text := range journals {
		n += strings.Count(text, "\n")
	}
	return n
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

// outFiles returns the files of a directory with their contents.
func outFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := make(map[string]string)
	for _, path := range files(t, dir) {
		contents[filepath.Base(path)] = readText(t, path)
	}
	return contents
}

// TestFigureKilled interrupts and kills figures on their way and lets them end
// at last: the files are those of an undisturbed run, and no cell was run twice.
func TestFigureKilled(t *testing.T) {
	dir, calm := t.TempDir(), t.TempDir()
	t.Chdir(calm)
	must(t, figuresUnderTest...)
	want := outFiles(t, "out")
	t.Chdir(dir)
	said, code := stopFigures(t, dir, 20, os.Interrupt)
	if code != exitInterrupted || !strings.Contains(said, "what is finished is kept in "+filepath.Join("out", unfinishedName)) || !strings.HasSuffix(said, ": interrupted\n") {
		t.Errorf("exit %d, %s", code, said)
	}
	first := journalLines(t, "out")
	stopFigures(t, dir, 25, syscall.SIGKILL)
	second := journalLines(t, "out")
	for path, text := range first {
		if !strings.HasPrefix(second[path], text) {
			t.Errorf("%s: what was finished has changed", path)
		}
	}
	checkDistinct(t, second)
	must(t, figuresUnderTest...)
	if got := outFiles(t, "out"); !maps.Equal(got, want) {
		t.Errorf("%d files after interruptions differ from the %d of an undisturbed run", len(got), len(want))
	}
	t.Logf("%d and %d lines were in the journals when stopped", countLines(first), countLines(second))
}

// checkDistinct fails where a journal has a cell twice. A record is a checksum,
// the cell and its numbers.
func checkDistinct(t *testing.T, journals map[string]string) {
	t.Helper()
	for path, text := range journals {
		seen := make(map[string]bool)
		for line := range strings.Lines(text) {
			cell := strings.Fields(line)[1]
			if seen[cell] {
				t.Errorf("%s: cell %s was run twice", path, cell)
			}
			seen[cell] = true
		}
	}
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
