package cli

import (
	"context"
	"strings"
	"testing"

	"revopt/internal/budget"
)

// TestMemoryRefused checks that commands beyond their budget of memory say what asks
// for it, and compute nothing.
func TestMemoryRefused(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"simulate nist-four --replications 2e6", "2,000,000 replications of 1 run ask for about "},
		{"simulate nist-four --load 3 --jobs 1e9", "666,666,667 of 1,000,000,000 jobs that wait at a time ask for about "},
		{"validate nist-four --jobs 1e9", "bounds on 1,000,000,000 jobs ask for about "},
		{"validate nist-four --jobs 1e12", "bounds on 1,000,000,000,000 jobs ask for about "},
		{"whatif nist-four --change load=0.9 --replications 1e6", "1,000,000 replications of 2 runs ask for about "},
	} {
		o := tryWithin(t.Context(), 300e6, "", strings.Fields(test.args)...)
		if o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: "+test.want) ||
			!strings.HasSuffix(o.stderr, ", the limit is 300 MB, 3/4 of the memory available\n") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", test.args, o)
		}
	}
	for _, n := range []string{"1e9", "1e15"} {
		if o := try("simulate", "nist-four", "--replications", n); o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: expected at most 10000000 records, got 1") {
			t.Errorf("%s replications: %+v", n, o)
		}
	}
}

// tryWithin runs a command line with so many bytes of memory.
func tryWithin(ctx context.Context, bytes float64, stdin string, args ...string) outcome {
	var stdout, stderr strings.Builder
	small := func(p *program) { p.budget = &budget.Budget{Memory: bytes} }
	code := run(ctx, args, strings.NewReader(stdin), &stdout, &stderr, small)
	return outcome{code, stdout.String(), stderr.String()}
}
