package quote

import (
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/slurm"
)

// TestQueueOfPools quotes jobs of partitions in which the trace has no jobs. All jobs of the trace are in pool a; a job
// of pool b is refused, and one of no pool never starts, while a running job of no pool takes no units of pool a.
func TestQueueOfPools(t *testing.T) {
	const pools = `pools:
  - {name: a, units: 1, of: {partition: a}}
  - {name: b, units: 1, of: {partition: b}}
`
	for partition, want := range map[string]string{"a": "", "b": "pool b", "c": NoPool} {
		s := fixture.PairOfPools(t, pools, [3]int{0, 100, 1}, [3]int{50, 100, 1}, [3]int{500, 100, 1})
		q := &Quote{Subject: s, Policy: fixture.Named(t, "easy")[0], Seed: 1, Replications: 2, Now: 1000, Queue: []slurm.QueuedJob{
			{ID: "7", Partition: "c", Running: true, Nodes: 1, CPUs: 1, Submit: 900, Start: 900, Limit: 100},
			{ID: "8", Partition: partition, Nodes: 1, CPUs: 1, Submit: 990, Limit: 100},
		}}
		r, err := q.Run(t.Context())
		if partition == "b" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("partition %s: got the error %v", partition, err)
			}
			continue
		}
		if err != nil || r.Running != 0 || len(r.Jobs) != 1 || r.Jobs[0].Never != want {
			t.Errorf("partition %s: %+v, %v", partition, r, err)
		}
	}
}
