//go:build long

package cli

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestTraceFitSP2: the real trace, whose users and queues differ.
func TestTraceFitSP2(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	r := fitted(t, path, "--set", "trace.jobs=last:5000", "--set", "trace.cleaning=keep")
	solvable(t, "the SP2", r)
	// The load is that of trace info, the arrivals are anything but Poisson.
	load, scv := fact(r.Answer, "load").Number, fact(r.Answer, "interarrival_scv").Number
	if math.Abs(load-0.8874) > 5e-5 || math.Abs(scv-4.35) > 0.005 {
		t.Errorf("load %g, gaps vary by %g", load, scv)
	}
}
