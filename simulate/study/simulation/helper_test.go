package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// mixedTrace has a customer by share whose deadlines are hard for half of the
// jobs, on generated jobs.
const mixedTrace = `name: mixed
trace: {file: sp2-like, jobs: first:300, arrival_delay_factor: 0.15}
classes:
  - {name: half, of: {share: 0.5}, price: {per_unit_hour: 1}, decay: {per_hour: 100%}, deadline: {lengths: 2}, hard: 0.5, max_penalty: {of_price: 1}}
  - {name: rest, price: {per_unit_hour: 0.2}, decay: {per_hour: 50%}, grace: 10m, max_penalty: {of_price: 0.5}}
simulation: {replications: 3}
`

// withOwn returns the standard policies and two of our own: one orders EASY's
// queue by value density, scaled by an option, the other is EASY under a name of
// its own.
func withOwn() []policy.Spec {
	density := policy.Spec{
		Name: "density", Title: "Value density", Summary: "EASY backfilling by price per node-second", Options: []policy.Option{policy.NumberOption("power", "1")},
		Needs: policy.Needs{Alike: true},
		Make: policy.PerSite(func(s policy.Settings) simulate.Policy {
			return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
				return -j.Value.Price / math.Pow(estimate*float64(j.Width), s.Number("power"))
			}}
		}),
	}
	twin := policy.Spec{Name: "twin", Needs: policy.Needs{Alike: true}, Make: policy.PerSite(func(policy.Settings) simulate.Policy { return &policy.Backfill{} })}
	return append(subject.Standard(), density, twin)
}

// texts joins warnings, one on a line.
func texts(list []warn.Warning) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

const smallTrace = `name: small
trace: {file: sp2-like, jobs: first:500, cleaning: reject, arrival_delay_factor: 0.5}
qos: {penalty: {low_mean: 0.02}}
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
func run(t testing.TB, s *Simulation) *study.Result {
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

// runOn runs the cells of a plan.
func runOn(ctx context.Context, x *plan.Execution, e plan.Engine) (*plan.Samples, error) {
	all, err := e.Results(ctx, x)
	if all == nil {
		return nil, err
	}
	return plan.NewSamples(x, all, ""), err
}

// Replicate runs the given number of replications of an experiment on the given number
// of workers (0: one per processor). After an error, or when the context is canceled,
// it returns those before the first that did not finish.
func Replicate(ctx context.Context, e *experiment.Experiment, replications, workers int) (plan.Outcome, error) {
	samples, err := metric.Replicate(ctx, 0, replications, workers, func(ctx context.Context, k int) (experiment.Sample, error) {
		return e.Run(ctx, k)
	})
	return plan.NewOutcome(e, samples), err
}

// oneServer is a queue whose waits are known exactly.
const oneServer = `
name: one-server
server: {parallel: 1}
load: 0.8
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: urgent, share: 0.3, length: {mean: 100, sd: 100, dist: exponential}, price: 10, decay: 0.004, slo: {within: 200, level: 0.9}}
  - {name: usual, share: 0.3, length: {mean: 100, sd: 40, dist: gamma}, price: 6, decay: 0.002, slo: {within: 5m, level: 0.6}}
  - {name: batch, share: 0.4, length: {mean: 100, sd: 30}, price: 4, decay: 0.0001, slo: {within: 0, level: 0.05}}
`

// rarely is a queue whose best admission that keeps the promise lets in almost none
// of the class that makes it.
const rarely = `
name: rarely
server: {parallel: 1}
simulation: {jobs: 4000, replications: 8}
classes:
  - {name: few, rate: 0.36, length: {mean: 1, dist: exponential}, price: 3.4, decay: 0.04, slo: {within: 1.7, level: 0.93}}
  - {name: many, rate: 0.5, length: {mean: 1, dist: exponential}, price: 4.4, decay: 0.06}
  - {name: rest, rate: 0.34, length: {mean: 1, dist: exponential}, price: 1, decay: 0.115}
`

// within fails the test unless an estimate has the given mean, by four of the
// standard errors of its interval.
func within(t *testing.T, what string, e study.Estimate, want float64) {
	t.Helper()
	if math.Abs(float64(e.Mean)-want) > 2*float64(e.HalfWidth)+1e-12 {
		t.Errorf("%s: %g ± %g, want %g", what, e.Mean, e.HalfWidth, want)
	}
}

// thinned has providers that admit by lot.
const thinned = `
server: {nodes: 3, residual: multiserver}
load: 1.5
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: dear, share: 0.4, length: {dist: exponential, mean: 100}, price: 10, decay: 0.01}
  - {name: cheap, share: 0.6, length: {dist: exponential, mean: 100}, price: 4, decay: 0.01}
providers: [{name: second, nodes: 2, admission: [0.5, 0.5]}, {name: third, nodes: 2, admission: analytic}]
`

func ratioOf(a, of study.Estimate) study.Estimate {
	return study.Estimate{Mean: a.Mean / of.Mean, HalfWidth: a.HalfWidth / of.Mean}
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

const week = 7 * 86400.0

// sp2Head is the beginning of a scenario of the SDSC SP2 trace under EASY.
func sp2Head(t *testing.T) string {
	const file = "../../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	return "name: sp2\ntrace: {file: " + file + ", nodes: 128}\npolicies: [easy]\n"
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

// promised counts the jobs of the first customer.
type promised struct{ within, kept, all float64 }

func (p *promised) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed && e.Job.Class == 0 {
		if p.all++; e.Job.Finish-e.Job.Submit-e.Job.Work <= p.within {
			p.kept++
		}
	}
}

// workloads are one of every kind, by what their jobs and machines have.
func workloads(t *testing.T) map[string]*subject.Subject {
	undated := strings.Replace(fixture.Customers(t), "grace: 5m, decay: 0.01", "decay: 0", 1)
	return map[string]*subject.Subject{
		"classes":               fixture.Opened(t, constant),
		"classes, deadlines":    fixture.Opened(t, strings.Replace(constant, "decay: 1", "decay: 1, deadline: 25", 1)),
		"classes, grace":        fixture.Opened(t, strings.Replace(constant, "decay: 1", "decay: 1, grace: {lengths: 2}", 1)),
		"trace":                 fixture.Opened(t, "trace: {file: sp2-like, jobs: last:60}\n"),
		"trace, qos":            fixture.Opened(t, smallTrace),
		"trace, parts":          fixture.Opened(t, smallTrace+"ic: {rate: 0.2}\n"),
		"trace, customers":      fixture.Opened(t, fixture.Customers(t)),
		"trace, no deadline":    fixture.Opened(t, undated),
		"trace, unlike nodes":   fixture.Opened(t, "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\nqos: {}\n"),
		"grid":                  fixture.Opened(t, "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"),
		"batch":                 fixture.Opened(t, "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n"),
		"grid of a single site": fixture.Opened(t, "sites: [{processors: 4, mips: 89}]\napplications: {count: 5}\n"),
	}
}

// tableText returns all intervals of a complete sweep.
func tableText(t *testing.T, r *plan.Samples) string {
	t.Helper()
	if !r.Complete() {
		t.Fatal("the sweep is not complete")
	}
	var b strings.Builder
	for point := range r.Plan().Points() {
		for row := range r.Plan().Rows {
			for customer, class := range append([]string{""}, r.Names()...) {
				for _, m := range r.Measures() {
					fmt.Fprintln(&b, r.Plan().At(point), r.Policy(point, row).Label(), class, m.Name, r.Row(point, row).Interval(m, customer-1))
				}
			}
		}
	}
	return b.String()
}

func near(x, y, tolerance float64) bool { return math.Abs(x-y) <= tolerance*math.Abs(y) }
