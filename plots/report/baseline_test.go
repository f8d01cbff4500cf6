package report

import (
	"math"
	"strings"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// TestBaselineName: a sentence has the whole label of the policy now.
func TestBaselineName(t *testing.T) {
	label := "slurm:PriorityWeightQOS=1000:bf_interval=30:qos.queue.Priority=10"
	for allowed, want := range map[float64]string{0.5: "Today: " + label + " reproduces 50 % of the log's starts; ",
		math.NaN(): "Today: simulated under " + label + "; "} {
		got := baselineWords(&study.Baseline{Policy: label, Allowed: metric.Number(allowed)}, "")
		if !strings.HasPrefix(got, want) {
			t.Error(got)
		}
	}
}
