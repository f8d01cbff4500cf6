package cli

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestMemoryRefused checks that commands beyond their budget of memory say what asks
// for it, and compute nothing.
func TestMemoryRefused(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"simulate nist-four --replications 2e6", "2,000,000 replications of 1 run at 1 point ask for about "},
		{"simulate nist-four --load 3 --jobs 1e9", "666,666,667 of 1,000,000,000 jobs that wait at a time ask for about "},
		{"validate nist-four --jobs 1e9", "bounds on 1,000,000,000 jobs ask for about "},
		{"validate nist-four --jobs 1e12", "bounds on 1,000,000,000,000 jobs ask for about "},
		{"whatif nist-four --change load=0.9 --replications 1e6", "1,000,000 replications of 2 runs at 2 points ask for about "},
	} {
		o := try(append(strings.Fields(test.args), "--max-memory", "300MB")...)
		if o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: "+test.want) ||
			!strings.HasSuffix(o.stderr, ", --max-memory is 300 MB\n") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", test.args, o)
		}
	}
	for _, n := range []string{"1e9", "1e15"} {
		if o := try("simulate", "nist-four", "--replications", n); o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: expected at most 10000000 cells, got 1") {
			t.Errorf("%s replications: %+v", n, o)
		}
	}
	wantUsageError(t, shellWords("simulate nist-four --max-memory lots"),
		"revopt: --max-memory: expected a size such as 4GB or 512MB")
}

// TestTimeAnnounced checks that a run that takes years says so, once.
func TestTimeAnnounced(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		args := []string{"simulate", "nist-four", "--jobs", "1e15", "--policy", "hol,fcfs"}
		want := 1
		if quiet {
			args, want = append(args, "--quiet"), 0
		}
		o := tryWith(ctx, "", args...)
		cancel()
		if strings.Count(o.stderr, "revopt: this takes about ") != want || o.stdout != "" {
			t.Errorf("%v: %+v", args, o)
		}
	}
}
