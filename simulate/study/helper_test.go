package study

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// opened opens a scenario of the given text.
func opened(t testing.TB, text string, overrides ...scenario.Override) *Subject {
	t.Helper()
	doc, err := parsed(t, text).With(overrides...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parsed reads a scenario.
func parsed(t testing.TB, text string) *scenario.Document {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// builtin opens a built-in scenario, one of classes with replications of 2000
// jobs where the overrides do not say how long.
func builtin(t testing.TB, name string, overrides ...scenario.Override) *Subject {
	t.Helper()
	doc, err := scenario.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	if sc.Trace == nil && sc.Grid == nil && !slices.ContainsFunc(overrides, func(o scenario.Override) bool { return o.Path == "simulation.horizon" }) {
		overrides = append([]scenario.Override{scenario.Set("simulation.jobs", 2000)}, overrides...)
	}
	if doc, err = doc.With(overrides...); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *Experiment {
	t.Helper()
	p, err := NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &Experiment{Workload: w, Policy: p, Admission: Admission{Admit: admit}, Seed: seed}
}

// named returns standard policies with their default options.
func named(t testing.TB, names ...string) []Policy {
	t.Helper()
	var list []Policy
	for _, name := range names {
		p, err := NewPolicy(nil, name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// traceOfGroups is a trace of 40 jobs of three groups on 16 nodes. Nothing in it
// is drawn.
func traceOfGroups(t testing.TB) string {
	t.Helper()
	text := "; MaxNodes: 16\n; MaxProcs: 16\n"
	for i := range 40 {
		width, length := 1+i*7%16, 60+i*37%400
		text += swfLine(i+1, 30*i, length, width, 2*length, 1+i%5, 1+i%3)
	}
	path := filepath.Join(t.TempDir(), "groups.swf")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// customers lays three customers over the trace of groups; those of the last
// group belong to nobody.
func customers(t testing.TB) string {
	return "name: ours\ntrace: {file: " + traceOfGroups(t) + ", nodes: 16}\n" + `classes:
  - {name: industry, of: {group: [1]}, price: {per_unit_hour: 2.5}, decay: {per_hour: 10%}, deadline: {lengths: 3}, max_penalty: {of_price: 0.2}, expire: floor, slo: {within: 10m, level: 90%}}
  - {name: science, of: {group: [2]}, price: {per_unit_hour: 1}, grace: 5m, decay: 0.01, max_penalty: none}
simulation: {replications: 4}
`
}

// run carries a simulation out.
func run(t testing.TB, s *Simulation) *Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// swfLine writes a job as a line of a trace.
func swfLine(id, submit, length, width, estimate, user, group int) string {
	return fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 %d %d 1 1 1 -1 -1\n", id, submit, length, width, width, estimate, user, group)
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

// RunOn runs the cells of a plan.
func (x *Execution) RunOn(ctx context.Context, e Engine) (*Samples, error) {
	all, err := e.Results(ctx, x)
	if all == nil {
		return nil, err
	}
	return &Samples{work: x, all: all}, err
}

// beside is a row of a standard policy behind probabilities.
func beside(t testing.TB, name string, options policy.Settings, admit []float64) PlanRow {
	t.Helper()
	p, err := NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return PlanRow{Policy: p, Admission: Admission{Admit: admit}}
}

// sampled runs rows of a subject side by side.
func sampled(t testing.TB, s *Subject, set func(*Plan), rows ...PlanRow) *Samples {
	t.Helper()
	p := NewPlan(s.Document, nil, rows)
	p.Replications = 4
	set(p)
	x, err := p.Open(context.Background(), s.opener)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.RunOn(context.Background(), Engine{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// against is rows of a scenario against bounds, along an axis or at one point.
type against struct {
	scenario       *scenario.Document
	rows           []PlanRow
	vary           scenario.Axis
	seed           uint64
	replications   int
	jobs           int
	gap            float64
	wholeOrPartial bool
}

// open opens the plan.
func (a against) open() (*Execution, error) {
	p := NewPlan(a.scenario, nil, a.rows)
	p.Seed, p.Replications = a.seed, a.replications
	p.Bounds = &PlanBounds{Jobs: a.jobs, Gap: a.gap, WholeOrPartial: a.wholeOrPartial}
	if a.vary.Values != nil {
		p.Vary = []scenario.Axis{a.vary}
	}
	return p.Open(context.Background(), nil)
}

// run returns the points in all replications that are finished.
func (a against) run(t testing.TB, workers int) []*BoundedPoint {
	t.Helper()
	x, err := a.open()
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.RunOn(context.Background(), Engine{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return pointsOf(s)
}

// pointsOf returns all points of samples against their bounds.
func pointsOf(s *Samples) []*BoundedPoint {
	var list []*BoundedPoint
	least := s.Plan().Replications
	for point := range s.Plan().Points() {
		n, once := s.Replications(point)
		if !once {
			least = min(least, n)
		}
	}
	for point := range s.Plan().Points() {
		n, _ := s.Replications(point)
		if n = min(n, least); n == 0 {
			return nil
		}
		list = append(list, s.Bounded(point, n))
	}
	return list
}

// replicationsOf returns how many replications a bounded point has.
func replicationsOf(p *BoundedPoint) int { return len(p.Jobs) }

// Replicate runs the given number of replications of an experiment on the given number
// of workers (0: one per processor). After an error, or when the context is canceled,
// it returns those before the first that did not finish.
func Replicate(ctx context.Context, e *Experiment, replications, workers int) (Outcome, error) {
	samples, err := metric.Replicate(ctx, 0, replications, workers, func(ctx context.Context, k int) (Sample, error) {
		return e.Run(ctx, k)
	})
	return NewOutcome(e, samples), err
}
