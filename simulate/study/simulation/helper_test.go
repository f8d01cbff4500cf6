package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

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

func ratioOf(a, of study.Estimate) study.Estimate {
	return study.Estimate{Mean: a.Mean / of.Mean, HalfWidth: a.HalfWidth / of.Mean}
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

// promised counts the jobs of the first customer.
type promised struct{ within, kept, all float64 }

func (p *promised) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed && e.Job.Class == 0 {
		if p.all++; e.Job.Finish-e.Job.Submit-e.Job.Work <= p.within {
			p.kept++
		}
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
