package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

// loadTrace decodes a trace scenario and reads its trace.
func loadTrace(t testing.TB, text string) (*scenario.Trace, *workload.Trace) {
	t.Helper()
	doc, err := scenario.Parse("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.Trace(sweep.KnownPolicies())
	if err != nil {
		t.Fatal(err)
	}
	w, err := sweep.LoadTrace(sc, 1)
	if err != nil {
		t.Fatal(err)
	}
	return sc, w
}

const smallTrace = `trace: {file: sp2-like, jobs: first:500, cleaning: reject, arrival_delay_factor: 0.5}
qos: {penalty: {low_mean: 0.02}}
`

// experiments are all policies for traces.
func experiments(sc *scenario.Trace, w *workload.Trace, seed uint64) []*sweep.TraceExperiment {
	var list []*sweep.TraceExperiment
	for _, name := range sweep.TracePolicies() {
		list = append(list, &sweep.TraceExperiment{Scenario: sc, Workload: w, Policy: name, Seed: seed})
	}
	return list
}

// census notes the jobs that are submitted, and checks the run.
type census struct {
	simulate.Audit
	jobs []simulate.Constraints
}

func (c *census) Observe(e simulate.Event) {
	c.Audit.Observe(e)
	if e.Kind == simulate.Submitted {
		c.jobs = append(c.jobs, e.Job.Spec.Constraints)
	}
}

// TestTraceExperiment: under every policy each job ends somehow, the classes
// add up to the total, the books are in order, and all policies see the same
// jobs.
func TestTraceExperiment(t *testing.T) {
	sc, w := loadTrace(t, smallTrace)
	var first []simulate.Constraints
	for _, e := range experiments(sc, w, 7) {
		seen := new(census)
		s, err := e.Run(context.Background(), 3, seen)
		if err != nil || seen.Err() != nil {
			t.Fatalf("%s: %v, %v", e.Policy, err, seen.Err())
		}
		n := s.Total
		if n.Submitted != 500 || n.Completed+n.Rejected+n.Expired != 500 || n.Reasons[simulate.NeverRan] == 0 || n.Stated.Jobs != 500 || n.Completed == 0 {
			t.Errorf("%s: %+v", e.Policy, n)
		}
		if len(s.Classes) != 2 || s.Classes[0].Completed+s.Classes[1].Completed != n.Completed || s.Classes[1].Submitted < 50 || s.Classes[1].Submitted > 150 {
			t.Errorf("%s: classes %+v", e.Policy, s.Classes)
		}
		if u := n.Delivered / n.Capacity; !(u > 0 && u <= 1) {
			t.Errorf("%s: utilization %g", e.Policy, u)
		}
		if first == nil {
			first = seen.jobs
		}
		if !reflect.DeepEqual(first, seen.jobs) {
			t.Errorf("%s sees other jobs", e.Policy)
		}
	}
}

// TestTraceComparison: results do not depend on the number of workers, and
// every metric has an interval.
func TestTraceComparison(t *testing.T) {
	sc, w := loadTrace(t, smallTrace)
	var results [2]sweep.Compared
	for i, workers := range []int{1, 3} {
		c := sweep.TraceComparison{Experiments: experiments(sc, w, 7)[:3], Replications: 4, Workers: workers}
		var err error
		if results[i], err = c.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(results[0], results[1]) {
		t.Error("the number of workers changes results")
	}
	for _, f := range metric.TraceFigures() {
		if i := results[0].Outcomes[1].Interval(f, -1); i.N != 4 {
			t.Errorf("%s: %+v", f.Name, i)
		}
	}
	if d := results[0].Difference(metric.JobQoSSatisfaction(), -1, 1, 2); d.N != 4 {
		t.Errorf("difference %+v", d)
	}
}

// TestPlainTrace: without QoS there is one class and nothing to satisfy.
func TestPlainTrace(t *testing.T) {
	sc, w := loadTrace(t, "trace: {file: sp2-like, jobs: first:300}\n")
	e := &sweep.TraceExperiment{Scenario: sc, Workload: w, Policy: "easy", Options: policy.Settings{"overrun": "kill"}, Seed: 1}
	s, err := e.Run(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Classes) != 1 || e.Classes()[0] != "all" || s.Total.Completed != 300 || s.Total.Stated != (metric.Stated{}) {
		t.Errorf("%+v", s)
	}
	if got := metric.JobQoSSatisfaction().Of(s.Total); got == got {
		t.Errorf("satisfaction %g of nothing", got)
	}
}

// TestUnlikeNodes: nodes of half the speed make jobs take twice as long, under
// policies that know nodes; others refuse.
func TestUnlikeNodes(t *testing.T) {
	finish := func(nodes string) float64 {
		sc, w := loadTrace(t, "trace: {file: sp2-like, jobs: first:1, speed: 100}\nqos: {deadline: {low_mean: 9, ratio: 1}}\nnodes: "+nodes+"\n")
		e := &sweep.TraceExperiment{Scenario: sc, Workload: w, Policy: "libra", Seed: 1}
		s, err := e.Run(context.Background(), 0)
		if err != nil || s.Total.Completed != 1 {
			t.Fatal(err, s.Total)
		}
		return s.Total.Seconds
	}
	if fast, slow := finish("[{count: 128, speed: 100}]"), finish("[{count: 128, speed: 50}]"); slow < 1.999*fast || slow > 2.001*fast {
		t.Errorf("the job ends at %g, and at %g on nodes of half the speed", fast, slow)
	}
	sc, w := loadTrace(t, "trace: {file: sp2-like, jobs: first:1}\nnodes: [{count: 64}, {count: 64, speed: 2}]\n")
	e := &sweep.TraceExperiment{Scenario: sc, Workload: w, Policy: "easy"}
	if err := e.Check(); err == nil || !strings.Contains(err.Error(), "nodes are all alike") {
		t.Errorf("got %v", err)
	}
}

func TestTraceErrors(t *testing.T) {
	sc, w := loadTrace(t, smallTrace)
	for _, test := range []struct {
		c    sweep.TraceComparison
		want string
	}{
		{sweep.TraceComparison{}, "nothing to compare"},
		{sweep.TraceComparison{Experiments: []*sweep.TraceExperiment{{Scenario: sc, Workload: w, Policy: "hol"}}}, `expected a policy for traces (fifo, `},
		{sweep.TraceComparison{Experiments: []*sweep.TraceExperiment{{Scenario: sc, Workload: w, Policy: "easy"}, {Scenario: sc, Workload: w, Policy: "easy", Seed: 2}}}, "different traces or seeds"},
		{sweep.TraceComparison{Experiments: []*sweep.TraceExperiment{{Scenario: sc, Workload: w, Policy: "easy", Options: policy.Settings{"overrun": "x"}}}}, "overrun"},
	} {
		if _, err := test.c.Run(context.Background()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	var e *workload.Error
	if _, err := sweep.LoadTrace(&scenario.Trace{File: "none.swf", Cleaning: "keep", Delay: 1}, 1); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
}

// TestKnownPolicies: a misspelt policy or option is found where it stands.
func TestKnownPolicies(t *testing.T) {
	for _, test := range []struct{ policies, want string }{
		{"[libre]", `policies.0: unknown policy "libre"`},
		{"[libra: {spare: all}]", `policies.0.libra.spare: option spare of libra is "all"`},
		{"[libra+$: {beta: lots}]", `policies.0.libra+$.beta: option beta of libra+$ is "lots"`},
		{"[hol]", `policies.0: unknown policy "hol"`},
		{"[fifo, {libra: {spare: none, delta: 2}}, libra-sla]", ""},
	} {
		doc, err := scenario.Parse("s.yaml", []byte(smallTrace+"policies: "+test.policies+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = doc.Trace(sweep.KnownPolicies())
		if got := fmt.Sprint(err); test.want == "" && err != nil || test.want != "" && !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.policies, got, test.want)
		}
	}
}

// ExampleTraceExperiment compares two policies on generated jobs.
func ExampleTraceExperiment() {
	doc, err := scenario.Open("sp2-like")
	if err != nil {
		fmt.Println(err)
		return
	}
	sc, err := doc.Trace(sweep.KnownPolicies())
	if err != nil {
		fmt.Println(err)
		return
	}
	jobs, err := sweep.LoadTrace(sc, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"sjf-bf", "libra"} {
		e := &sweep.TraceExperiment{Scenario: sc, Workload: jobs, Policy: name, Seed: 1}
		s, err := e.Run(context.Background(), 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-7s %.0f %% of the jobs satisfied\n", name, 100*metric.JobQoSSatisfaction().Of(s.Total))
	}
	// Output:
	// sjf-bf  69 % of the jobs satisfied
	// libra   86 % of the jobs satisfied
}
