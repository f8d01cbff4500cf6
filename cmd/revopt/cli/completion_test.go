package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
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
		"revopt so":                   "solve",
		"revopt solve nist-four --js": "--json",
		"revopt trace f":              "fit",
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

// TestManPage holds the man page and the completions of fish against the commands and flags that there are.
func TestManPage(t *testing.T) {
	page := strings.ReplaceAll(must(t, "completion", "man"), "\\-", "-")
	fish := must(t, "completion", "fish")
	var visit func(commands []*cli.Command)
	visit = func(commands []*cli.Command) {
		for _, c := range commands {
			if !strings.Contains(page, " "+c.Name+"\n"+c.Usage) || !strings.Contains(fish, "'"+c.Name+"'") {
				t.Errorf("%s is missing", c.Name)
			}
			for _, f := range c.Flags {
				if !strings.Contains(page, "--"+f.Names()[0]) || !strings.Contains(fish, "-l "+f.Names()[0]+" ") {
					t.Errorf("%s: no --%s", c.Name, f.Names()[0])
				}
			}
			visit(c.Subcommands)
		}
	}
	visit(newProgram(nil).app().Commands)
}
