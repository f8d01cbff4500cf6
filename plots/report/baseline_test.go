package report

import (
	"strings"
	"testing"

	"revopt/simulate/study"
)

// TestBaselineName: a sentence has the whole label of the policy now.
func TestBaselineName(t *testing.T) {
	label := "slurm:PriorityWeightQOS=1000:bf_interval=30:qos.queue.Priority=10"
	if got := baselineWords(&study.Baseline{Policy: label}, ""); !strings.HasPrefix(got, "Today: "+label+" ") {
		t.Error(got)
	}
}
