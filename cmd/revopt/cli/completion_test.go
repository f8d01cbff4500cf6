package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBash loads the script into a real shell and completes a word.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], dir+"/revopt"); err != nil {
		t.Skip(err)
	}
	for words, want := range map[string]string{
		"revopt so":                    "solve",
		"revopt solve nist-fo":         "nist-four",
		"revopt solve nist-four --js":  "--json",
		"revopt scenario show nist-on": "nist-one",
	} {
		script := must(t, "completion", "bash") + "COMP_WORDS=(" + words +
			"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _revopt; echo \"${COMPREPLY[*]}\""
		cmd := exec.Command(bash, "-c", script)
		cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %v, %s", words, err, out)
		}
	}
}
