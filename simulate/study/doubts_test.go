package study

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
)

// texts joins warnings, one on a line.
func texts(list []Warning) string {
	var b strings.Builder
	for _, w := range list {
		b.WriteString(w.String() + "\n")
	}
	return b.String()
}

// The classes fitted to a trace have floors, expiry and promises as those of a
// file have: whatever rests on the formulas says that these ignore them.
func TestFittedIgnored(t *testing.T) {
	s := opened(t, customers(t))
	a, err := Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := ignored(a.System.Classes)
	if len(want) < 3 || !reflect.DeepEqual(a.Ignored[:len(want)], want) {
		t.Fatalf("a trace says\n%swant first\n%s", texts(a.Ignored), texts(want))
	}
	for i, kind := range []string{WarnFloor, WarnExpiry, WarnPromise} {
		if w := want[i]; w.Kind != kind || !slices.Contains(w.Names, "industry") {
			t.Errorf("%v, want %s of industry", w, kind)
		}
	}
	all := func(list []Warning) bool {
		for _, w := range want {
			if !strings.Contains(texts(list), w.String()) {
				return false
			}
		}
		return true
	}
	solved, err := Solve(context.Background(), a, SolveOptions{})
	if err != nil || !all(solved.Warnings) {
		t.Errorf("solve: %v\n%s", err, texts(solved.Warnings))
	}
	r := run(t, &Simulation{Subject: s, Admissions: []Admission{{Name: scenario.AdmitAnalytic}}, Seed: 1})
	if !all(r.Warnings) {
		t.Errorf("analytic admission:\n%s", texts(r.Warnings))
	}
	waits, err := Waits(context.Background(), a, WaitOptions{Admission: Admission{Name: scenario.AdmitAnalytic}})
	if err != nil || !strings.Contains(texts(waits.Warnings), want[0].String()) || !strings.Contains(texts(waits.Warnings), want[2].String()) {
		t.Errorf("waits: %v\n%s", err, texts(waits.Warnings))
	}
}

// A sweep runs what is not random once, and what an admission makes random as
// often as it is asked to.
func TestSweepOnce(t *testing.T) {
	doc := parsed(t, customers(t))
	spec, err := NewSweep(scenario.Sweep{
		Scenario: doc, Replications: 3, Metrics: []string{"utilization"},
		Admissions: []scenario.Admission{{Name: scenario.AdmitAll}, {Admit: []float64{0.5, 1}}, {Name: scenario.AdmitAnalytic}},
		Vary:       []scenario.Axis{{Path: "trace.arrival_delay_factor", Values: []float64{0.5, 1}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := spec.Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := plan.RunOn(context.Background(), Engine{})
	if err != nil || !results.Complete() {
		t.Fatal(err)
	}
	for point := range plan.Plan.Points() {
		for a := range 3 {
			at := Case{Point: point, Admission: a}
			want := 1
			if (Admission{Admit: results.Admit(at)}).random() {
				want = 3
			}
			if i := results.Interval(at, "utilization", ""); i.N != want || math.IsInf(i.HalfWidth, 1) != (want == 1) {
				t.Errorf("%+v: %+v, want %d replications", at, i, want)
			}
		}
	}
}

// A customer without a job is named.
func TestUnmatched(t *testing.T) {
	path := traceOfGroups(t)
	for _, c := range []struct{ classes, want string }{
		{"[{name: a, of: {group: [9]}, price: 1}, {name: b, price: 1}]", "unmatched[a " + path + " selector]"},
		{"[{name: a, of: {width: [1, 16]}, price: 1}, {name: b, price: 1}]", "unmatched[b " + path + " rest]"},
		{"[{name: a, of: {group: [1]}, price: 1}, {name: b, price: 1}]", ""},
	} {
		got := texts(subjectWarnings(opened(t, "trace: {file: "+path+"}\nclasses: "+c.classes+"\n")))
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.classes, got, c.want)
		}
	}
	got := texts(subjectWarnings(opened(t, "trace: {file: sp2-like, jobs: last:50}\nclasses: [{name: a, of: {user: [3]}, price: 1}]\n")))
	if !strings.Contains(got, "unmatched[a sp2-like generated]") {
		t.Error(got)
	}
}

// A short run that ends with jobs in the queue is not overloaded.
func TestShortRun(t *testing.T) {
	for load, want := range map[string]bool{"0.8": false, "1.5": true} {
		s := opened(t, strings.Replace(strings.Replace(constant, "load: 0.8", "load: "+load, 1), "jobs: 2000, warmup: 50%", "jobs: 10, warmup: 0", 1))
		r := run(t, &Simulation{Subject: s, Replications: 20, Seed: 1})
		if got := strings.Contains(texts(r.Warnings), WarnOverload); got != want {
			t.Errorf("load %s: %v\n%s", load, got, texts(r.Warnings))
		}
	}
}

// A promise is undecided where its level lies within the interval.
func TestPromiseState(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		once       bool
		want       string
	}{
		{0.95, 0.01, false, "kept"}, {0.9, 0, false, "kept"}, {0.905, 0.01, false, "undecided"}, {0.85, 0.01, false, "not kept"},
		{0.95, math.Inf(1), false, "undecided"}, {0.95, math.Inf(1), true, "kept"}, {math.NaN(), 0, false, "void"},
	} {
		if got := PromiseState(Estimate{Mean: Number(c.mean), HalfWidth: Number(c.half)}, 0.9, c.once); got != c.want {
			t.Errorf("%g ± %g: %s, want %s", c.mean, c.half, got, c.want)
		}
	}
}

// One node without places to wait refuses what Erlang's formula says, a/(1+a) of
// a load of a; with places for K it refuses as M/M/1/K does.
func TestPlacesToWait(t *testing.T) {
	const text = `
server: {nodes: 1, waiting: %d}
load: 0.8
simulation: {jobs: 100000, replications: 5}
classes:
  - {name: only, share: 1, length: {dist: exponential, mean: 10}, price: 100, decay: 1}
`
	const a = 0.8
	for k, want := range map[string]float64{"0": a / (1 + a), "2": math.Pow(a, 3) / (1 + a + a*a + a*a*a)} {
		s := opened(t, strings.Replace(text, "%d", k, 1))
		for _, name := range []string{"hol", "fcfs", "easy"} {
			r := run(t, &Simulation{Subject: s, Policies: named(t, name), Seed: 1})
			got := r.Policies[0].Total.Get("acceptance")
			if math.Abs(1-float64(got.Mean)-want) > 2*float64(got.HalfWidth) {
				t.Errorf("%s with %s places: %v refused, want %g", name, k, got, want)
			}
			if r.Policies[0].Total.Get("rejected_admission").Mean == 0 {
				t.Errorf("%s: not refused by the admission", name)
			}
		}
	}
	s := opened(t, strings.Replace(text, "%d", "2", 1), scenario.Set("load", 3))
	if r := run(t, &Simulation{Subject: s, Replications: 2, Seed: 1}); strings.Contains(texts(r.Warnings), WarnOverload) {
		t.Error(texts(r.Warnings))
	}
}
