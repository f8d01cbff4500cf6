package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

// ruled lays a scenario over a trace of jobs: submit, length, width, group, partition.
func ruled(t *testing.T, rest string, jobs ...[5]int) *Subject {
	t.Helper()
	lines := "; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 b,a\n; Group: 1 x\n; Group: 2 y\n"
	for i, j := range jobs {
		lines += fmt.Sprintf("%d %d %d %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n", i+1, j[0], 10*i, j[1], j[2], j[2],
			j[1], j[3], j[4])
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return opened(t, "trace: {file: "+path+"}\n"+rest)
}

// schedule compares where and when jobs start with a list.
func schedule(t *testing.T, w workload.Workload, policy, want string) {
	t.Helper()
	got, list := starts{}, []string{}
	if _, err := under(t, w, policy, nil, nil, 1).Run(context.Background(), 0, got); err != nil {
		t.Fatal(err)
	}
	for i := range int64(w.Size()) {
		list = append(list, got[i])
	}
	if text := strings.Join(list, ", "); text != want {
		t.Errorf("%s: jobs start at %s, want %s", policy, text, want)
	}
}

// A job that no pool takes is rejected even if it would give up at once. It breaks a promise
// that is about all jobs of the customer, and none that is about those of a pool.
func TestPromiseWithoutPool(t *testing.T) {
	const text = "pools: [{name: a, units: 2, of: {partition: a}}]\n" +
		"classes: [{name: x, price: {per_unit_hour: {a: 1}}, decay: 1, max_penalty: 0, expire: zero, slo: %s}]\n"
	for slo, kept := range map[string]float64{"{within: 1h, level: 0.9}": 0.5, "{a: {within: 1h, level: 0.9}}": 1} {
		s := ruled(t, fmt.Sprintf(text, slo), [5]int{0, 10, 1, 1, 1}, [5]int{5, 10, 1, 1, 2})
		records := recordsOf(t, s.Workload, named(t, "easy")[0])
		if strings.Count(records, ",rejected,no pool,") != 1 || strings.Count(records, ",completed,") != 1 {
			t.Errorf("slo %s: records %s", slo, records)
		}
		sample, err := under(t, s.Workload, "easy", nil, nil, 1).Run(context.Background(), 0)
		if c := sample.Customers[0]; err != nil || float64(c.Punctual) != kept*float64(c.Promised) || c.PromisedEntered != 1 {
			t.Errorf("slo %s: %d of %d jobs are punctual, want %g; %v", slo, c.Punctual, c.Promised, kept, err)
		}
	}
}
