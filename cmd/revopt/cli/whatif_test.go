package cli

import (
	"fmt"
	"slices"
	"testing"
)

// TestWhatIfCost: a price over a life is a cost by the hour; mistakes are told.
func TestWhatIfCost(t *testing.T) {
	args := shellWords("whatif nist-cluster --jobs 500 --replications 2 --change nodes=+500 --cost")
	hourly := told(t, append(slices.Clone(args), "0.25/unit-hour")...)
	priced := told(t, append(slices.Clone(args), "4380/node", "--life", "2y")...) // 17,520 h
	for _, column := range []string{"cost", "net"} {
		if a, b := number(t, hourly, "changes", 1, column), number(t, priced, "changes", 1, column); a != b {
			t.Errorf("%s %g by the hour, %g by price", column, a, b)
		}
	}
	if cost := number(t, hourly, "changes", 1, "cost"); cost != 0.25*500 {
		t.Errorf("cost %g", cost)
	}
	// A trace that knows its nodes prices them: 24 cores on 3 nodes.
	t.Chdir(t.TempDir())
	jobs := "; MaxProcs: 24\n; MaxNodes: 3\n"
	for k := range 9 {
		jobs += fmt.Sprintf("%d %d %d 600 24 -1 -1 24 600 -1 1 1 1 1 1 1 -1 -1\n", k+1, 300*k, 300*k)
	}
	writeText(t, "cores.swf", jobs)
	for flags, want := range map[string]float64{
		"0.2/node-hour": 0.025, "0.2/core-hour": 0.2, "9000/node --life 5y": 9000.0 / 8 / 43800,
	} {
		a := told(t, shellWords("whatif cores.swf --quiet --change nodes=+8 --cost "+flags)...)
		row := slices.Index(texts(t, a, "changes", "change"), "nodes=+8")
		if got := number(t, a, "changes", row, "cost") / 8; abs(got-want) > 1e-12 {
			t.Errorf("%s: %g $ an hour, want %g", flags, got, want)
		}
	}
	o := try(shellWords("whatif cores.swf --set trace.nodes=32 --change nodes=+8 --cost 0.2/node-hour")...)
	wantWords(t, o.stderr,
		[]string{"--cost: expected the cost of a core, as it is not known how many cores a node has"})
	wantUsageError(t, append(slices.Clone(args), "9000/node"), "revopt: --life: expected")
	wantUsageError(t, append(slices.Clone(args), "0.2/gpu-hour"), "revopt: --cost: expected")
}

func abs(x float64) float64 { return max(x, -x) }
