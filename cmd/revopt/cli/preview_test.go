//go:build linux

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
)

// TestPreview: on a terminal a table without bounds comes first, and the finished answer takes all of its lines. A pipe,
// a quiet terminal and one of few lines get the finished answer alone.
func TestPreview(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script, which makes a terminal")
	}
	args := []string{"validate", "site", "--set", "trace.jobs=first:100", "--replications", "2"}
	want := must(t, args...)
	var words []string
	for _, word := range append([]string{os.Args[0]}, args...) {
		words = append(words, text.ShellWord(word))
	}
	shown := func(rows, columns int, more string) string {
		line := fmt.Sprintf("stty rows %d cols %d; %s%s", rows, columns, strings.Join(words, " "), more)
		cmd := exec.Command(script, "-qec", line, "/dev/null")
		cmd.Env = append(os.Environ(), asProgram+"=1", "COLUMNS=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		parts := strings.Split(strings.ReplaceAll(string(out), "\r\n", "\n"), "\r\x1b[K")
		progress := func(part string) bool { return !strings.Contains(part, "\n") } // it is cleared before anything else
		return strings.Join(slices.DeleteFunc(parts, progress), "")
	}
	first, last, erased := strings.Cut(shown(50, 100, ""), "\r\x1b[J")
	lines := strings.Split(first, "\n")
	if !erased || last != want || !strings.Contains(first, "of bound") || !strings.Contains(first, "...") ||
		lines[len(lines)-1] != fmt.Sprintf("\x1b[%dA", len(lines)-1) {
		t.Errorf("on a terminal:\n%q\n%q\nwant\n%q", first, last, want)
	}
	name := strings.Repeat("n", 60) // takes two rows
	first, _, erased = strings.Cut(shown(50, 50, " --set name="+name), "\r\x1b[J")
	lines = strings.Split(first, "\n")
	if !erased || !strings.Contains(first, name) || lines[len(lines)-1] != fmt.Sprintf("\x1b[%dA", len(lines)) {
		t.Errorf("a name longer than a row:\n%q", first)
	}
	if got := shown(5, 100, ""); got != want {
		t.Errorf("on a low terminal:\n%s", got)
	}
	if got := shown(50, 100, " --quiet"); got != must(t, append(args, "--quiet")...) {
		t.Errorf("on a quiet terminal:\n%s", got)
	}
}
