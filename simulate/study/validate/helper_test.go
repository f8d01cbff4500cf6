package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
)

// run carries a simulation out.
func run(t testing.TB, s *simulation.Simulation) *study.Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pooledJob is a job of a trace of the partitions a, b and either.
type pooledJob struct{ submit, length, width, group, partition int }

// pooledTrace writes the jobs of some partitions as a trace.
func pooledTrace(t testing.TB, jobs []pooledJob, units int, partitions ...int) string {
	t.Helper()
	words := fmt.Sprintf("; MaxNodes: %[1]d\n; MaxProcs: %[1]d\n; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 a,b\n", units)
	for i, j := range jobs {
		if slices.Contains(partitions, j.partition) {
			words += fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n",
				i+1, j.submit, j.length, j.width, j.width, 2*j.length, j.group, j.partition)
		}
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(words), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// decoded returns the JSON of a result.
func decoded(t *testing.T, r *study.Result) map[string]any {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return m
}
