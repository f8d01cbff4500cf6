package main

import (
	"os"
	"strings"
	"testing"
)

// badScenarios are files that no command can use. Package scenario tests many more.
var badScenarios = map[string]string{
	"unknown.yaml":   "server: {parallel: 25}\nlaod: 0.9\nclasses: []\n",
	"negative.yaml":  "server: {parallel: 25}\nload: -1\nclasses: [{name: a, length: {mean: 1, sd: 0}, price: 1}]\n",
	"empty.yaml":     "",
	"truncated.yaml": "server: {parallel: 25}\nload: 1\nclasses:\n  - {name: a, len",
	"binary.yaml":    "\x7fELF\x00\x01\x02\xff\xfe",
}

func TestBadScenarios(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range badScenarios {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"solve", name, "--csv", "out/a.csv"},
			{"curve", name, "--vary", "classes.a.price=1:2:1", "-o", "out", "--csv", "out/a.csv"},
			{"simulate", name, "--csv", "out/a.csv"},
			{"validate", name, "--html", "out/a.html"},
		} {
			wantUsageError(t, args, "revopt: "+name+":")
		}
		if o := tryWith(t.Context(), text, "solve", "-"); o.code != exitUsage ||
			!strings.HasPrefix(o.stderr, "revopt: standard input:") {
			t.Errorf("%s as standard input: %+v", name, o)
		}
	}
	if got := len(files(t, ".")); got != len(badScenarios) {
		t.Errorf("files left: %v", files(t, "."))
	}
}

// TestUsageErrors runs the command lines of testdata/usage.txt. Nothing is computed and
// no file is written.
func TestUsageErrors(t *testing.T) {
	cases, texts, _ := strings.Cut(readText(t, "testdata/usage.txt"), "\n-- ")
	t.Chdir(t.TempDir())
	written := strings.Split(texts, "\n-- ")
	for _, text := range written {
		name, text, _ := strings.Cut(text, " --\n")
		writeText(t, name, text)
	}
	for _, part := range strings.Split(cases, "\n$ revopt ")[1:] {
		line, want, _ := strings.Cut(part, "\n")
		wantUsageError(t, shellWords(line), "revopt: "+strings.TrimRight(want, "\n"))
	}
	if left := files(t, "."); len(left) != len(written) {
		t.Errorf("files left: %v", left)
	}
}

// wantUsageError runs a command line that cannot be used: exit 2, exactly one
// line that begins with prefix, no results.
func wantUsageError(t *testing.T, args []string, prefix string) {
	t.Helper()
	o := try(args...)
	if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, prefix) {
		t.Errorf("%s: got exit %d, %q, stdout %q, want exit 2 and %q", commandLine(args), o.code, o.stderr, o.stdout, prefix)
	}
}

// A task that cannot be done, though the command line is fine, is exit 1 and one line.
func TestFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"solve nist-four --csv file/a.csv",
		"simulate nist-one --jobs 100 --csv file/a.csv",
		"curve nist-four --vary load=0.1,0.2 --csv file/a.csv",
		"curve nist-four --vary load=0.1,0.2 -o file/a.png",
		"figure nist-02 -o file",
	} {
		o := try(strings.Fields(line)...)
		if o.code != exitFailed || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: ") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	if left := files(t, "."); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
