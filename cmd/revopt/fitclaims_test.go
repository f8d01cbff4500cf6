package main

import (
	"strings"
	"testing"
)

// TestFitClaims: the same command prints the same, an interrupted one says so, and bad
// input is one line.
func TestFitClaims(t *testing.T) {
	args := []string{"fit-claims", "nist-10-high", "--free", "server.parallel=20:35", "--tries", "3", "--quick"}
	first := must(t, args...)
	if again := must(t, append(args, "--workers", "1")...); again != first || !strings.Contains(first, "of 3 settings") {
		t.Errorf("printed\n%s\nthen\n%s", first, again)
	}
	for _, bad := range [][]string{
		{"fit-claims"},
		{"fit-claims", "nist-10-high"},
		{"fit-claims", "none", "--free", "phi=1:2"},
		{"fit-claims", "nist-10-high", "--free", "phi=2:1"},
		{"fit-claims", "nist-10-high", "--free", "server.none=1:2"},
		{"fit-claims", "nist-10-high", "--free", "policies.none.x=1:2"},
		{"fit-claims", "nist-10-high", "--free", "load=0.5:1", "--tries", "1"},
		{"fit-claims", "nist-10-high", "--free", "load=0.5:1", "--free", "load=0.2:0.3"},
		{"fit-claims", "nist-10-high", "--free", "load=0.5:1", "--reading", "none"},
		{"fit-claims", "nist-10-high", "sla-02b-ten", "--free", "load=0.5:1"},
	} {
		if o := try(bad...); o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 || o.stdout != "" {
			t.Errorf("%s: exit %d, %q", commandLine(bad), o.code, o.stderr)
		}
	}
}
