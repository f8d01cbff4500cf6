package tune

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// opened opens a scenario of the given text.
func opened(t testing.TB, text string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	doc, err := parsed(t, text).With(overrides...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
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

// named returns standard policies with their default options.
func named(t testing.TB, names ...string) []subject.Policy {
	t.Helper()
	var list []subject.Policy
	for _, name := range names {
		p, err := subject.NewPolicy(nil, name, nil)
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

// swfLine writes a job as a line of a trace.
func swfLine(id, submit, length, width, estimate, user, group int) string {
	return fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 %d %d 1 1 1 -1 -1\n", id, submit, length, width, width, estimate, user, group)
}

// lateSpec is a policy that starts every job late, by a time whose mean is 60 s times the
// distance of its options from 50 and 0.2, in powers of ten. The time depends on the job, so
// that replications differ. Nothing else delays jobs on a machine that is never full.
func lateSpec() policy.Spec {
	spec := policy.Spec{Name: "late", Needs: policy.Needs{Alike: true}}
	for _, name := range []string{"x", "y", "z"} {
		spec.Options = append(spec.Options, policy.NumberOption(name, "1"))
	}
	spec.New = func(s policy.Settings) simulate.Policy { return late(lateBy(s)) }
	return spec
}

// lateBy returns the mean delay, s. The option z has no effect.
func lateBy(s policy.Settings) float64 {
	return 60 * (math.Abs(math.Log10(s.Number("x")/50)) + math.Abs(math.Log10(s.Number("y")/0.2)))
}

type late float64

func (p late) Arrive(c *simulate.Cluster, j *simulate.Job) {
	c.Admit(j)
	_, luck := math.Modf(float64(j.ID) * math.Phi)
	c.Timer(j, c.Now()+2*luck*float64(p))
}

func (p late) Timer(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }

func (p late) Schedule(*simulate.Cluster) {}

// lateScenario has one job in 10 s, which pays 10 $ less 0.05 $ for each second of delay.
const lateScenario = `
name: late
server: {nodes: 100}
simulation: {jobs: 60, warmup: 0}
classes:
  - {name: only, rate: 0.1, length: {mean: 10, sd: 1}, price: 10, decay: 0.05}
`
