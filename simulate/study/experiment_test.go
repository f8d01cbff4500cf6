package study

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// three are three policies on a workload of four classes.
func three(t *testing.T) []PlanRow {
	return []PlanRow{
		beside(t, "hol", nil, nil), beside(t, "hol", policy.Settings{"backfill": "true"}, nil), beside(t, "fcfs", nil, []float64{0.5, 1, 1, 0}),
	}
}

// Side by side or alone, a row gives the same, and every row sees the same jobs.
func TestCompare(t *testing.T) {
	s := builtin(t, "nist-cluster-widths", scenario.Set("load", 2))
	got := sampled(t, s, func(p *Plan) { p.Replications, p.Seed = 6, 3 }, three(t)...)
	if n, once := got.Replications(0); n != 6 || once || !got.Met(0) {
		t.Fatalf("%d replications, once %v", n, once)
	}
	offered, _ := metric.Lookup("price_total")
	for i, row := range three(t) {
		e := &Experiment{Workload: s.Workload, Policy: row.Policy, Admission: row.Admission, Seed: 3}
		alone, err := Replicate(context.Background(), e, 6, 1)
		if err != nil || fmt.Sprint(alone.numbers) != fmt.Sprint(got.Row(0, i).numbers) { // NaN is not equal to itself
			t.Errorf("row %d differs from itself alone, %v", i, err)
		}
		if !slices.Equal(alone.Plain(offered, -1), got.Row(0, 0).Plain(offered, -1)) {
			t.Errorf("row %d sees other jobs", i)
		}
	}
	f := metric.RevenuePerSecond()
	a, b := got.Row(0, 0), got.Row(0, 1)
	d := b.Difference(a, f, -1)
	if want := b.Interval(f, -1).Mean - a.Interval(f, -1).Mean; math.Abs(d.Mean-want) > 1e-9*math.Abs(want) {
		t.Errorf("difference %g, want %g", d.Mean, want)
	}
	alone := math.Hypot(a.Interval(f, -1).HalfWidth, b.Interval(f, -1).HalfWidth)
	if !(d.HalfWidth < alone) || !(d.Reduced > 1) || d.Level != metric.DefaultLevel {
		t.Errorf("paired %+v, not paired %g", d, alone)
	}
}

func TestStop(t *testing.T) {
	s := builtin(t, "nist-cluster")
	for _, test := range []struct {
		relative float64
		max, n   int
		met      bool
		plain    bool
	}{{0.5, 1280, 10, true, true}, {0.5, 1280, 4, true, false}, {0.5, 3, 3, true, false}, {1e-9, 25, 25, false, false}} {
		got := sampled(t, s, func(p *Plan) {
			p.Plain, p.Replications, p.Seed = test.plain, test.max, 3
			p.Stop = &PlanStop{Metric: "revenue_per_second", Relative: test.relative, Level: 0.95}
		}, three(t)...)
		if n, _ := got.Replications(0); got.Met(0) != test.met || n != test.n {
			t.Errorf("%+v: met %v, %d replications", test, got.Met(0), n)
		}
	}
}

func TestCompareCheck(t *testing.T) {
	w := builtin(t, "nist-cluster").Workload
	trace := builtin(t, "sp2-like", scenario.Override{Path: "trace.jobs", Value: "last:50"}).Workload
	bad := under(t, w, "hol", nil, nil, 0)
	bad.Policy.Settings = policy.Settings{"backfill": "perhaps"}
	for _, test := range []struct {
		experiment *Experiment
		want       string
	}{
		{under(t, w, "mf-edf", nil, nil, 0), "mf-edf needs optional parts"},
		{under(t, trace, "mf-edf", nil, nil, 0), "mf-edf needs optional parts"},
		{under(t, w, "hol", nil, []float64{1}, 0), "1 admission probabilities for 4 customers"},
		{under(t, trace, "easy", nil, []float64{1}, 0), "1 admission probabilities for 2 customers"},
		{under(t, w, "hol", nil, []float64{1, 1, 1, 2}, 0), "not between 0 and 1"},
		{bad, "expected false or true"},
	} {
		if err := test.experiment.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// census notes the values of the jobs that are submitted, and checks the run.
type census struct {
	simulate.Audit
	jobs []simulate.Value
}

func (c *census) Observe(e simulate.Event) {
	c.Audit.Observe(e)
	if e.Kind == simulate.Submitted {
		c.jobs = append(c.jobs, e.Job.Value)
	}
}

const smallTrace = `name: small
trace: {file: sp2-like, jobs: first:500, cleaning: reject, arrival_delay_factor: 0.5}
qos: {penalty: {low_mean: 0.02}}
`

// Under every policy that applies each job ends somehow, the customers add up to
// the total, the audit is clean, and all policies see the same jobs.
func TestTraceExperiments(t *testing.T) {
	s := opened(t, smallTrace)
	var first []simulate.Value
	ran := 0
	for _, spec := range Standard() {
		e := &Experiment{Workload: s.Workload, Policy: PolicyOf(spec), Seed: 7}
		if spec.Check(s.Workload.Has()) != nil {
			continue
		}
		ran++
		seen := new(census)
		got, err := e.Run(context.Background(), 3, seen)
		if err != nil || seen.Err() != nil {
			t.Fatalf("%s: %v, %v", spec.Name, err, seen.Err())
		}
		n := got.Total
		if n.Submitted != 500 || n.Completed+n.Rejected+n.GivenUp+n.Killed+n.Expired != 500 || n.Reasons[simulate.NeverRan] == 0 || n.Dated != 500 || n.Completed == 0 {
			t.Errorf("%s: %+v", spec.Name, n)
		}
		if len(got.Customers) != 2 || got.Customers[0].Completed+got.Customers[1].Completed != n.Completed || got.Customers[1].Submitted < 50 || got.Customers[1].Submitted > 150 {
			t.Errorf("%s: customers %+v", spec.Name, got.Customers)
		}
		if u := n.Delivered / n.Capacity; !(u > 0 && u <= 1) {
			t.Errorf("%s: utilization %g", spec.Name, u)
		}
		if first == nil {
			first = seen.jobs
		}
		if !reflect.DeepEqual(first, seen.jobs) {
			t.Errorf("%s sees other jobs", spec.Name)
		}
	}
	if ran < 10 {
		t.Errorf("%d policies ran", ran)
	}
}

// Nodes of half the speed make jobs take twice as long, under policies that know
// nodes; others refuse.
func TestUnlikeNodes(t *testing.T) {
	finish := func(nodes string) float64 {
		s := opened(t, "trace: {file: sp2-like, jobs: first:1, speed: 100}\nqos: {deadline: {low_mean: 9, ratio: 1}}\nnodes: "+nodes+"\n")
		got, err := under(t, s.Workload, "libra", nil, nil, 1).Run(context.Background(), 0)
		if err != nil || got.Total.Completed != 1 {
			t.Fatal(err, got.Total)
		}
		return got.Total.Seconds
	}
	if fast, slow := finish("[{count: 128, speed: 100}]"), finish("[{count: 128, speed: 50}]"); slow < 1.999*fast || slow > 2.001*fast {
		t.Errorf("the job ends at %g, and at %g on nodes of half the speed", fast, slow)
	}
	s := opened(t, "trace: {file: sp2-like, jobs: first:1}\nnodes: [{count: 64}, {count: 64, speed: 2}]\n")
	if err := under(t, s.Workload, "easy", nil, nil, 1).Check(); err == nil || !strings.Contains(err.Error(), "speed 1") {
		t.Errorf("got %v", err)
	}
}

// Nothing is random in a trace with fixed customers: it runs once, unless lots
// decide who is let in.
func TestOnce(t *testing.T) {
	s := opened(t, customers(t))
	for _, test := range []struct {
		admission Admission
		n         int
	}{
		{Admission{}, 1}, {Admission{Admit: []float64{1, 0, 1}}, 1}, {Admission{Admit: []float64{1, 0.5, 1}}, 4},
		{Admission{Rule: simulate.Thresholds{Waiting: []int{3, 3, 3}}}, 1}, {Admission{Rule: simulate.Thresholds{Share: []float64{1, 0.5, 1}}}, 4},
		{Admission{Rule: simulate.AdmitFunc(func(j *simulate.Job, _ []*simulate.Cluster) bool { return j.Width > 1 })}, 4},
	} {
		rows := []PlanRow{beside(t, "easy", nil, nil), beside(t, "libra", nil, nil)}
		rows[0].Admission = test.admission
		got := sampled(t, s, func(*Plan) {}, rows...)
		if n, once := got.Replications(0); once != (test.n == 1) || n != test.n || !got.Met(0) {
			t.Errorf("%+v: once %v, %d replications", test.admission, once, n)
		}
	}
	if random := opened(t, smallTrace); !under(t, random.Workload, "easy", nil, nil, 1).Random() {
		t.Error("qos is drawn")
	}
}

func TestOverloaded(t *testing.T) {
	for _, test := range []struct {
		scenario string
		load     float64
		admit    []float64
		want     bool
	}{
		{"nist-one", 0.9, nil, false},
		{"nist-one", 1.1, nil, true},
		{"nist-one", 1.1, []float64{0.5}, false},
		{"nist-cluster", 5, nil, false}, // jobs give up
	} {
		w := builtin(t, test.scenario, scenario.Set("load", test.load)).Workload
		if got := under(t, w, "hol", nil, test.admit, 1).Overloaded(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	// The last class never gives up: it fits by itself, but not behind those that
	// do give up and hardly need to. First come, first served makes them.
	patient := opened(t, `
server: {nodes: 10}
load: 1.2
classes:
  - {name: urgent, share: 0.5, length: {mean: 100, sd: 10}, price: 10, decay: 0.1, max_penalty: 0, expire: zero}
  - {name: patient, share: 0.5, length: {mean: 100, sd: 10}, price: 1, decay: 0}
`).Workload
	for name, want := range map[string]bool{"hol": true, "fcfs": false} {
		if got := under(t, patient, name, nil, nil, 1).Overloaded(); got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	if under(t, opened(t, smallTrace, scenario.Set("trace.arrival_delay_factor", 0.01)).Workload, "easy", nil, nil, 1).Overloaded() {
		t.Error("a trace comes to an end")
	}
}

// Admission by lot works in front of every policy on traces and grids, customer
// by customer, and the jobs let in with smaller probabilities are among those
// let in with larger ones.
func TestAdmissionAnywhere(t *testing.T) {
	split := smallTrace + "ic: {rate: 0.2}\n"
	grid := builtin(t, "ic-grid", scenario.Set("applications.count", 200)).Workload
	batch := builtin(t, "libra-2004", scenario.Set("batch.jobs", 200)).Workload
	for _, w := range []workload.Workload{opened(t, split).Workload, grid, batch} {
		n := len(w.Customers())
		for _, spec := range Standard() {
			if spec.Check(w.Has()) != nil {
				continue
			}
			var last int64
			for _, q := range []float64{0, 0.5, 1} {
				admit := slices.Repeat([]float64{q}, n)
				admit[0] = 1 - q
				if n == 1 {
					admit[0] = q
				}
				audit := new(simulate.Audit)
				e := &Experiment{Workload: w, Policy: PolicyOf(spec), Admission: Admission{Admit: admit}, Seed: 2}
				got, err := e.Run(context.Background(), 0, audit)
				if err != nil || audit.Err() != nil {
					t.Fatalf("%s: %v, %v", spec.Name, err, audit.Err())
				}
				for i, c := range got.Customers {
					refused, void := c.Reasons[simulate.Refused], c.Reasons[simulate.NeverRan]
					if share := float64(refused) / float64(c.Submitted-void); admit[i] == 0.5 && math.Abs(share-0.5) > 0.2 {
						t.Errorf("%s: a share of %g refused at probability 1/2", spec.Name, share)
					}
					if admit[i] == 0 && refused != c.Submitted-void || admit[i] == 1 && refused != 0 {
						t.Errorf("%s: %d of %d refused at probability %g", spec.Name, refused, c.Submitted, admit[i])
					}
				}
				if in := got.Total.Submitted - got.Total.Reasons[simulate.Refused]; n == 1 && in < last {
					t.Errorf("%s: %d let in at %g, %d before", spec.Name, in, q, last)
				} else {
					last = in
				}
			}
		}
	}
}
