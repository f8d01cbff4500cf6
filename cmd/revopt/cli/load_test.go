package cli

import (
	"os"
	"strings"
	"testing"
)

// TestOversizedFile: files that cannot be schedules are refused by their size, before they are read.
func TestOversizedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"big.json", "big.csv"} {
		writeText(t, name, "{\n")
		if err := os.Truncate(name, 1<<40); err != nil { // it has no blocks on the disk
			t.Skip(err)
		}
	}
	for _, name := range []string{"big.json", "big.csv"} {
		for _, args := range []string{"bench table", "bench check --instance tight-1.0-2"} {
			wantUsageError(t, append(strings.Fields(args), name), "revopt: big.")
			o := try(append(strings.Fields(args), name)...)
			if !strings.Contains(o.stderr, ": expected a file of at most 268 MB, got 1.1 TB\n") {
				t.Errorf("%s: %s", args, o.stderr)
			}
		}
	}
}
