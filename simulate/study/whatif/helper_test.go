package whatif

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// pooled has three pools that count in two words.
const pooled = `pools:
  - {name: cpu, units: 64, unit: core}
  - {name: big, units: 6, unit: GPU}
  - {name: small, units: 30, unit: GPU}
load: 0.9
simulation: {jobs: 400, replications: 2}
classes:
  - {name: a, pool: cpu, share: 0.5, length: {dist: exponential, mean: 600}, width: 8, price: 2}
  - {name: b, pool: small, share: 0.5, length: {dist: exponential, mean: 600}, width: 4, price: 9}
`

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *experiment.Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Experiment{Workload: w, Policy: p, Admission: experiment.Admission{Admit: admit}, Seed: seed}
}

// run carries a simulation out.
func run(t testing.TB, s *simulation.Simulation) *study.Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// runOn runs the cells of a plan.
func runOn(ctx context.Context, x *plan.Execution, e plan.Engine) (*plan.Samples, error) {
	all, err := e.Results(ctx, x)
	if all == nil {
		return nil, err
	}
	return plan.NewSamples(x, all, ""), err
}

// sampled runs rows of a subject side by side.
func sampled(t testing.TB, s *subject.Subject, set func(*plan.Plan), rows ...plan.Row) *plan.Samples {
	t.Helper()
	p := plan.New(s.Document, nil, rows)
	p.Replications = 4
	set(p)
	x, err := p.Open(context.Background(), s.Opener)
	if err != nil {
		t.Fatal(err)
	}
	got, err := runOn(context.Background(), x, plan.Engine{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return got
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

// site opens the built-in scenario with few jobs.
func site(t testing.TB, overrides ...scenario.Override) *subject.Subject {
	return fixture.Builtin(t, "site", append([]scenario.Override{{Path: "trace.jobs", Value: "last:150"}, scenario.Set("simulation.replications", 4)}, overrides...)...)
}

// written writes a trace for 4 nodes.
func written(t testing.TB, lines string) string {
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte("; MaxNodes: 4\n; MaxProcs: 4\n"+lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// everything admits all jobs.
func everything() []experiment.Admission {
	return []experiment.Admission{{Name: scenario.AdmitAll}}
}

// admitting admits jobs of each customer with some probability.
func admitting(shares ...float64) *experiment.Admission {
	return &experiment.Admission{Name: fmt.Sprint(shares), Admit: shares}
}
