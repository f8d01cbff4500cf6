package queued_test

import (
	"os"
	"path/filepath"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/queued"
)

// TestSelectors: jobs of a live queue go to customers by QOS, partition, account and user, whether or not the log has
// their names.
func TestSelectors(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	head := "; MaxProcs: 64\n; Queue: 1 normal\n; Queue: 2 high\n; Partition: 1 batch\n; Partition: 2 long\n; Account: 1 chem\n"
	jobs := "1 0 0 100 4 -1 -1 4 200 -1 1 1 1 -1 1 1 -1 -1\n2 50 0 100 4 -1 -1 4 200 -1 1 1 1 -1 2 2 -1 -1\n"
	if err := os.WriteFile(log, []byte(head+jobs), 0o600); err != nil {
		t.Fatal(err)
	}
	s := fixture.Opened(t, "trace: {file: "+log+", nodes: 64}\nclasses:\n"+
		"  - {name: urgent, price: 9, decay: 0.1, of: {queue: high}}\n"+
		"  - {name: slow, price: 1, decay: 0.1, of: {partition: long}}\n"+
		"  - {name: others, price: 2, decay: 0.1}\n")
	q := &queued.Queue{Command: "test", Subject: s, File: "squeue", Now: 1000, At: 1000, Lenient: true}
	for _, c := range []struct{ qos, partition, want string }{
		{"high", "batch", "urgent"}, {"high", "long", "urgent"}, {"normal", "long", "slow"}, {"normal", "batch", "others"},
		{"new", "batch", "others"}, {"new", "new", "others"}, {"", "", "others"},
	} {
		list, err := q.Jobs([]slurm.QueuedJob{{ID: "7", User: "ann", Account: "chem", QOS: c.qos, Partition: c.partition,
			Nodes: 1, CPUs: 4, Submit: 900, Limit: 60}}, func(j *simulate.Job) float64 { return j.Spec.Details.Estimate })
		if err != nil || list[0].Stray {
			t.Fatalf("%+v: %v, %+v", c, err, list)
		}
		if got := s.Workload.Customers()[list[0].Class].Name; got != c.want {
			t.Errorf("QOS %q, partition %q: customer %s, expected %s", c.qos, c.partition, got, c.want)
		}
	}
}
