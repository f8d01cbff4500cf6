package subject_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/waits"
)

// TestWaitingForCanceled: on 4 nodes job 3 waits for job 2, which is canceled 900 s after its submission, and then 100 s
// for nothing. Job 4 waits for job 1, and then 20 s for nothing. The first 10 s are unknown, as the runs are that long.
func TestWaitingForCanceled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.swf")
	lines := "; MaxProcs: 4\n; MaxNodes: 4\n" +
		"1 0 200 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n" +
		"2 20 900 -1 -1 -1 -1 1 10 -1 5 1 1 1 1 1 -1 -1\n" +
		"3 30 990 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 2 -1\n" +
		"4 40 210 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 20\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	s := fixture.Opened(t, "trace: {file: "+path+", cleaning: drop}\nclasses: [{name: all, price: 1}]\n")
	log, err := s.Waiting(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	parts := log.Decompose(1)
	for i, want := range []float64{0, 0, 890, 190} {
		if got := parts.Jobs[i][waits.NotEligible]; got != want {
			t.Errorf("job %d was not eligible for %g s, want %g", i+1, got, want)
		}
	}
}
