package cli

import (
	"strings"
	"testing"

	"revopt/model/scenario"
)

// TestSolveExamples runs the examples of help that solve a built-in scenario: their advice stands.
func TestSolveExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	for line := range strings.Lines(helpText) {
		example, _, _ := strings.Cut(strings.TrimSpace(line), "  ") // what it does follows
		args := strings.Fields(example)
		if len(args) < 3 || args[0] != "revopt" || args[1] != "solve" || strings.Contains(line, "--waits") {
			continue
		}
		if _, err := scenario.Builtin(args[2]); err != nil {
			continue
		}
		a := told(t, args[1:]...)
		if a.Headline.Code == "DO_NOT_USE" {
			t.Errorf("%s: %s", line, a.Headline)
		}
	}
}
