package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/experiment"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// texts joins warnings, one on a line.
func texts(list []warn.Warning) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *experiment.Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Experiment{Workload: w, Policy: p, Admission: experiment.Admission{Admit: admit}, Seed: seed}
}

// pairOfPools writes a trace of jobs, in the order submit, length, partition, and lays pools a
// and b of one unit over it.
func pairOfPools(t *testing.T, pools string, jobs ...[3]int) *subject.Subject {
	t.Helper()
	lines := "; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 a,b\n; Partition: 4 b,a\n"
	for i, j := range jobs {
		lines += fmt.Sprintf("%d %d -1 %d 1 -1 -1 1 %d -1 1 1 1 1 1 %d -1 -1\n", i+1, j[0], j[1], j[1], j[2])
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, "trace: {file: "+path+"}\n"+pools+
		"classes: [{name: all, price: {per_unit_hour: {a: 3600, b: 7200}}, max_penalty: none}]\n")
}
