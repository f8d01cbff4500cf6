package cli

import (
	"strings"
	"testing"
)

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

// Help explains a code of an answer, and a misspelled one is suggested.
func TestHelpCode(t *testing.T) {
	out := must(t, "help", "GUESSED")
	for _, words := range []string{"GUESSED: ", "\nCause: ", "\nRemedy: "} {
		if !strings.Contains(out, words) {
			t.Errorf("no %q in %s", words, out)
		}
	}
	if o := try("help", "GUESED"); o.code != exitUsage || !strings.Contains(o.stderr, "did you mean GUESSED?") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}
