//go:build long

package cli

import (
	"os"
	"testing"
)

// TestOperatorTrace runs the commands that docs/operator.md shows for the SDSC
// SP2 trace, where it is there.
func TestOperatorTrace(t *testing.T) {
	t.Chdir("../../..")
	if _, err := os.Stat("../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"); err != nil {
		t.Skip(err)
	}
	text := readText(t, "docs/operator.md")
	shown := 0
	for _, b := range blocks(text) {
		if b.language == "sh" {
			shown++
			runExamples(t, b, text)
		}
	}
	if shown == 0 {
		t.Error("docs/operator.md shows no commands on the trace")
	}
}
