package cli

import (
	"os"
	"testing"
)

// TestOversizedFile: files that cannot be schedules are refused by their size, before they are read.
func TestOversizedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "big.csv", "{\n")
	if err := os.Truncate("big.csv", 1<<40); err != nil { // it has no blocks on the disk
		t.Skip(err)
	}
	args := []string{"bench", "check", "--instance", "tight-1.0-2", "big.csv"}
	wantUsageError(t, args, "revopt: big.csv: expected a file of at most 268 MB, got 1.1 TB")
}
