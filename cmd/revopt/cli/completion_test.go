package cli

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  []string
		not   []string
	}{
		{[]string{""}, shellWords("solve figure scenario completion version --help"), nil},
		{nil, []string{"solve"}, nil},
		{[]string{"s"}, []string{"solve", "scenario"}, []string{"figure"}},
		{[]string{"scenario", ""}, []string{"list", "show"}, []string{"solve"}},
		{[]string{"scenario", "show", "nist-f"}, []string{"nist-four"}, []string{"nist-one"}},
		{[]string{"solve", ""}, []string{"nist-four", "nist-one"}, []string{"--json"}},
		{[]string{"solve", "nist-four", "--"}, []string{"--json", "--load", "--help"}, []string{"-q"}},
		{[]string{"solve", "--method", ""}, []string{"certified", "cg"}, []string{"nist-four"}},
		{[]string{"solve", "--csv", ""}, nil, []string{"nist-four"}},
		{[]string{"solve", "--json", "nist-t"}, []string{"nist-two"}, nil},
		{[]string{"figure", "nist-1"}, []string{"nist-13", "nist-14"}, []string{"nist-02", "list"}},
		{[]string{"figure", "--format", ""}, []string{"png", "csv"}, nil},
		{[]string{"trace", "info", "--cleaning", ""}, []string{"keep", "reject", "drop"}, nil},
		{[]string{"simulate", "--policy", "libra"}, []string{"libra", "libra+$", "libra-sla"}, []string{"hol"}},
		{[]string{"export", "slurm", "nist-f"}, []string{"nist-four"}, nil},
		{[]string{"export", "slurm", "--units", ""}, []string{"cores", "nodes"}, nil},
		{[]string{"bench", "run", "--help", ""}, []string{"all"}, []string{"tight-1.0"}},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}, nil},
		{[]string{"bogus", ""}, nil, []string{"solve"}},
	} {
		got := strings.Fields(must(t, append([]string{completeWord}, tt.words...)...))
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q: no %s in %v", tt.words, want, got)
			}
		}
		for _, not := range tt.not {
			if slices.Contains(got, not) {
				t.Errorf("%q: %s in %v", tt.words, not, got)
			}
		}
	}
}

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
