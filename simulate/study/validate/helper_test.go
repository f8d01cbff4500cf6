package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
)

const smallTrace = `name: small
trace: {file: sp2-like, jobs: first:500, cleaning: reject, arrival_delay_factor: 0.5}
qos: {penalty: {low_mean: 0.02}}
`

// run carries a simulation out.
func run(t testing.TB, s *simulation.Simulation) *study.Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// constant is one class of jobs of 10 s and $100, which lose $1 per second of
// wait, on one node.
const constant = `
server: {parallel: 1}
load: 0.8
simulation: {jobs: 2000, warmup: 50%, replications: 3}
classes:
  - {name: only, share: 1, length: {dist: deterministic, mean: 10}, price: 100, decay: 1}
`

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

// logged opens a scenario of a log with two customers by user. %d in a line is the number
// of the job.
func logged(t testing.TB, more string, lines []string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	text := "; MaxProcs: 8\n"
	for i, line := range lines {
		if line[0] == ';' {
			text += line + "\n"
			continue
		}
		text += fmt.Sprintf("%d %s\n", i+1, line)
	}
	path := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, "trace: {file: "+path+more+`}
classes:
  - {name: industry, of: {user: 1}, price: {per_unit_hour: 2}, decay: {per_hour: 20%}, deadline: {lengths: 1.5}, slo: {within: 10m, level: 90%}}
  - {name: students, price: {per_unit_hour: 1}, decay: {per_hour: 100%}, grace: 10m, max_penalty: 0, expire: zero}
`, overrides...)
}

// job writes the fields of a job after its number.
func job(submit, wait, run float64, allocated, requested, status, user int) string {
	return fmt.Sprintf("%g %g %g %d -1 -1 %d 7200 -1 %d %d 1 1 1 1 -1 -1", submit, wait, run, allocated, requested, status, user)
}

// weekly is a scenario of four weeks of jobs of two groups, the second of which
// comes every other week.
func weekly(t testing.TB) string {
	t.Helper()
	text := "; MaxProcs: 8\n"
	for i := range 4 * 7 * 12 {
		group := 1 + i/84%2*(i%3/2)
		text += fixture.SWFLine(i+1, 7200*i, 600+i*37%9000, 1+i*5%8, 10000, 1+i%7, group)
	}
	path := filepath.Join(t.TempDir(), "weeks.swf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return "name: weeks\ntrace: {file: " + path + "}\n" + `classes:
  - {name: regular, of: {group: [1]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 3}, max_penalty: {of_price: 0}}
  - {name: other, price: {per_unit_hour: 1}, deadline: {lengths: 2}}
`
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

// contract lists the measures that scripts read.
func contract() []string {
	return []string{
		"revenue_per_second", "revenue_per_job", "utilization", "mean_delay", "acceptance", "job_qos_satisfaction", "cluster_profitability", "utility", "jobs_submitted",
		"jobs_completed", "jobs_rejected", "jobs_expired", "mean_wait", "mean_bounded_slowdown", "mean_response_time", "mean_slowdown", "value_per_second", "mean_lateness",
	}
}

// checkMeasures looks for the measures in a JSON object.
func checkMeasures(t *testing.T, where string, o map[string]any) {
	t.Helper()
	for _, name := range contract() {
		m, ok := o[name].(map[string]any)
		if !ok {
			t.Errorf("%s: no %s", where, name)
			continue
		}
		for _, field := range []string{"mean", "half_width", "level", "n"} {
			if _, ok := m[field]; !ok {
				t.Errorf("%s: %s has no %s", where, name, field)
			}
		}
	}
	quantiles, _ := o["wait_quantiles"].(map[string]any)
	for _, q := range []string{"0.5", "0.9", "0.99"} {
		if m, ok := quantiles[q].(map[string]any); !ok || m["half_width"] == nil && m["mean"] != nil && m["n"].(float64) > 1 {
			t.Errorf("%s: quantile %s is %v", where, q, quantiles[q])
		}
	}
}

func near(x, y, tolerance float64) bool { return math.Abs(x-y) <= tolerance*math.Abs(y) }
