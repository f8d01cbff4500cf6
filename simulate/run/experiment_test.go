package run

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

func TestCompareCheck(t *testing.T) {
	w := fixture.Builtin(t, "nist-cluster").Workload
	trace := fixture.Builtin(t, "sp2-like", scenario.Override{Path: "trace.jobs", Value: "last:50"}).Workload
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

// Nodes of half the speed make jobs take twice as long, under policies that know
// nodes; others refuse.
func TestUnlikeNodes(t *testing.T) {
	finish := func(nodes string) float64 {
		s := fixture.Opened(t, "trace: {file: sp2-like, jobs: first:1, speed: 100}\nqos: {deadline: {low_mean: 9, ratio: 1}}\nnodes: "+nodes+"\n")
		got, err := under(t, s.Workload, "libra", nil, nil, 1).Run(context.Background(), 0)
		if err != nil || got.Total.Completed != 1 {
			t.Fatal(err, got.Total)
		}
		return got.Total.Seconds
	}
	if fast, slow := finish("[{count: 128, speed: 100}]"), finish("[{count: 128, speed: 50}]"); slow < 1.999*fast || slow > 2.001*fast {
		t.Errorf("the job ends at %g, and at %g on nodes of half the speed", fast, slow)
	}
	s := fixture.Opened(t, "trace: {file: sp2-like, jobs: first:1}\nnodes: [{count: 64}, {count: 64, speed: 2}]\n")
	if err := under(t, s.Workload, "easy", nil, nil, 1).Check(); err == nil || !strings.Contains(err.Error(), "speed 1") {
		t.Errorf("got %v", err)
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
		w := fixture.Builtin(t, test.scenario, scenario.Set("load", test.load)).Workload
		if got := under(t, w, "hol", nil, test.admit, 1).Overloaded(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	// The last class never gives up: it fits by itself, but not behind those that
	// do give up and hardly need to. First come, first served makes them.
	patient := fixture.Opened(t, `
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
	if under(t, fixture.Opened(t, fixture.SmallTrace, scenario.Set("trace.arrival_delay_factor", 0.01)).Workload, "easy", nil, nil, 1).Overloaded() {
		t.Error("a trace comes to an end")
	}
}

// Admission by lot works in front of every policy on traces and grids, customer
// by customer, and the jobs let in with smaller probabilities are among those
// let in with larger ones.
func TestAdmissionAnywhere(t *testing.T) {
	split := fixture.SmallTrace + "ic: {rate: 0.2}\n"
	grid := fixture.Builtin(t, "ic-grid", scenario.Set("applications.count", 60)).Workload
	batch := fixture.Builtin(t, "libra-2004", scenario.Set("batch.jobs", 100)).Workload
	for _, w := range []workload.Workload{fixture.Opened(t, split).Workload, grid, batch} {
		n := len(w.Customers())
		for _, spec := range subject.Standard() {
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
				e := &Experiment{Workload: w, Policy: subject.PolicyOf(spec), Admission: Gate{Admit: admit}, Seed: 2}
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
