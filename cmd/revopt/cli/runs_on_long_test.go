//go:build long

package cli

import (
	"math"
	"strings"
	"testing"

	"revopt/model/scenario"
)

// TestRunsOnSlurmEverywhere: on every built-in scenario the files of every policy that runs on Slurm deliver what the
// policy delivers, to 2 %.
func TestRunsOnSlurmEverywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, info := range scenario.Builtins() {
		name := info.Name
		if name == "ic-grid" { // no policy on it runs on Slurm
			continue
		}
		var flags []string
		if strings.HasPrefix(name, "nist-") {
			flags = []string{"--set", "simulation.jobs=5000", "--set", "simulation.replications=4"}
		}
		for _, label := range onSlurm() {
			share := faithful(t, name, label, flags...)
			t.Logf("%-20s %-20s %.4f", name, label, share)
			if !(math.Abs(share-1) <= 0.02) {
				t.Errorf("%s under %s: the files deliver %.4f of it", name, label, share)
			}
		}
	}
}
