package cli

import (
	"math"
	"path/filepath"
	"testing"
)

// TestBaseline: whatif compares today's policy with the log as trace replay does, and with the money of the log
// and of a simulation.
func TestBaseline(t *testing.T) {
	log, err := filepath.Abs("../../../testdata/sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	must(t, "init", log, "-o", "site.yaml", "--quiet")
	type facts struct {
		Baseline struct {
			Policy              string
			Allowed             float64 `json:"starts_allowed"`
			Recorded, Simulated float64
		}
	}
	replay := told(t, "trace", "replay", "site.swf.gz", "--policy", "slurm")
	allowed := number(t, replay, "policies", 0, "allowed") / number(t, replay, "policies", 0, "starts")
	earned := told(t, "simulate", "site.yaml", "--policy", "recorded,slurm")
	perSecond := func(row int) float64 { return number(t, earned, "policies", row, "value") / 3600 }
	var whatif facts
	decode(t, &whatif, "whatif", "site.yaml", "--policy", "slurm", "--change", "policy=easy", "--json")
	b := whatif.Baseline
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
	if b.Policy != "slurm" || !near(b.Allowed, allowed) || !near(b.Recorded, perSecond(0)) || !near(b.Simulated, perSecond(1)) {
		t.Errorf("got %+v, want %g, %g and %g", b, allowed, perSecond(0), perSecond(1))
	}
	var generated map[string]any
	decode(t, &generated, "whatif", "site", "--jobs", "200", "--replications", "2", "--change", "nodes=+8", "--json")
	if generated["baseline"] != nil {
		t.Errorf("jobs that are generated have %v", generated["baseline"])
	}
}
