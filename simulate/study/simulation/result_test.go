package simulation

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// The JSON of a simulation has the fields that scripts read, on every kind of
// workload.
func TestResultJSON(t *testing.T) {
	for name, s := range fixture.Workloads(t) {
		list := []subject.Policy{}
		for _, spec := range subject.Standard() {
			if spec.Check(s.Workload.Has()) == nil {
				list = append(list, subject.PolicyOf(spec))
			}
		}
		m := decoded(t, run(t, &Simulation{Subject: s, Policies: list[:2], Replications: 2, Seed: 5, Runner: &plan.Runner{Version: "v"}, Overrides: []string{"a=b"}}))
		for _, field := range []string{
			"scenario", "version", "overrides", "workload", "load", "nodes", "sites", "seed", "replications", "once", "covers", "jobs", "horizon", "warmup", "level", "precision",
			"interrupted", "cleaning", "policies", "differences", "warnings",
		} {
			if _, ok := m[field]; !ok {
				t.Errorf("%s: no %s", name, field)
			}
		}
		if m["seed"] != 5.0 || m["workload"] != s.Kind || (m["cleaning"] == nil) != (s.Trace == nil) || (m["trace"] == nil) != (s.Trace == nil) || m["bounds"] != nil {
			t.Errorf("%s: %v", name, m)
		}
		rows := m["policies"].([]any)
		for i, row := range rows {
			r := row.(map[string]any)
			fixture.CheckMeasures(t, name, r)
			if r["name"] != list[i].Spec.Name || r["options"] == nil || r["label"] == nil || r["admission"] == nil || r["promise_kept"] != nil {
				t.Errorf("%s: %v", name, r)
			}
			classes := r["classes"].([]any)
			if len(classes) != len(s.Names()) {
				t.Errorf("%s: %d customers", name, len(classes))
			}
			for k, c := range classes {
				fixture.CheckMeasures(t, name, c.(map[string]any))
				if c.(map[string]any)["name"] != s.Names()[k] || c.(map[string]any)["admit"] != 1.0 {
					t.Errorf("%s: %v", name, c)
				}
			}
		}
		d := m["differences"].([]any)[0].(map[string]any)
		fixture.CheckMeasures(t, name, d)
		if d["versus"] != list[0].Label() {
			t.Errorf("%s: %v", name, d["versus"])
		}
	}
}

// A customer with a promise has a block that says whether it is kept; a measure
// of nothing is null.
func TestPromiseJSON(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	r := run(t, &Simulation{Subject: s, Policies: fixture.Named(t, "easy"), Admissions: []experiment.Admission{{Name: "some", Admit: []float64{1, 0}}}, Seed: 1})
	if !r.Once || r.Replications != 1 || !slices.Equal(r.Policies[0].Admission.Admit, []float64{1, 0, 1}) {
		t.Errorf("once %v, %d replications, admission %v", r.Once, r.Replications, r.Policies[0].Admission.Admit)
	}
	row := decoded(t, r)["policies"].([]any)[0].(map[string]any)
	var within float64
	for _, c := range row["classes"].([]any) {
		o := c.(map[string]any)
		p, ok := o["promise"].(map[string]any)
		if ok != (o["name"] == "industry") {
			t.Errorf("%v: promise %v", o["name"], p)
		}
		if ok {
			within = p["within"].(float64)
			if kept := p["kept"].(map[string]any); p["level"] != 0.9 || !(kept["mean"].(float64) > 0) || kept["half_width"] != nil {
				t.Errorf("%v", p)
			}
		}
		if wait := o["mean_wait"].(map[string]any); o["name"] == "science" && wait["mean"] != nil {
			t.Errorf("a customer that is not let in waits %v", wait)
		}
	}
	if within != 600 {
		t.Errorf("within %g s", within)
	}
	// The share by hand: response less length of the jobs that were let in.
	share := &promised{within: 600}
	if _, err := r.Experiments[0].Run(context.Background(), 0, share); err != nil {
		t.Fatal(err)
	}
	if got := float64(r.Policies[0].Customers[0].Get("promise_kept").Mean); math.Abs(got-share.kept/share.all) > 1e-12 || share.all == 0 {
		t.Errorf("%g of the promises are kept, want %g of %g", got, share.kept, share.all)
	}
}

// A result says what is drawn at random, which its intervals cover.
func TestDrawn(t *testing.T) {
	want := map[string]string{
		"classes": study.DrawnClasses, "trace, qos": study.DrawnJobs, "trace, customers": study.DrawnNothing, "grid": study.DrawnJobs, "batch": study.DrawnJobs,
	}
	for name, s := range fixture.Workloads(t) {
		if want[name] == "" {
			continue
		}
		r := run(t, &Simulation{Subject: s, Policies: fixture.Named(t, s.Usual), Replications: 2})
		if r.Drawn != want[name] || r.Once != (want[name] == study.DrawnNothing) {
			t.Errorf("%s: %s", name, r.Drawn)
		}
	}
	lots := fixture.Opened(t, strings.Replace(fixture.Customers(t), "{group: [2]}", "{share: 0.5}", 1))
	if r := run(t, &Simulation{Subject: lots, Policies: fixture.Named(t, "easy"), Replications: 2}); r.Drawn != study.DrawnLots {
		t.Errorf("customers by lot: %s", r.Drawn)
	}
}

// A simulation has the numbers of the comparison it is, the rows are named by
// what tells them apart, and warnings say what to beware of.
func TestSimulation(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster", scenario.Set("load", 1.5))
	half := experiment.Admission{Name: "half", Admit: []float64{1, 1, 0.5, 0}}
	var told int
	sim := &Simulation{
		Subject: s, Policies: fixture.Named(t, "hol", "fcfs"), Admissions: []experiment.Admission{{Name: scenario.AdmitAll}, half}, Replications: 3, Seed: 2,
		Runner: &plan.Runner{Workers: 1, Progress: func(string, int, int) { told++ }},
	}
	r := run(t, sim)
	var labels []string
	for _, row := range r.Policies {
		labels = append(labels, row.Label)
	}
	if got := strings.Join(labels, "; "); got != "hol, all; hol, half; fcfs, all; fcfs, half" || len(r.Differences) != 3 || told != 1+4*3+1 {
		t.Errorf("rows %s, %d differences, told %d times", got, len(r.Differences), told)
	}
	alone, err := Replicate(context.Background(), under(t, s.Workload, "fcfs", nil, half.Admit, 2), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := metric.RevenuePerSecond()
	if got, want := r.Policies[3].Total.Get(m.Name).Interval(), alone.Interval(m, -1); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	one := fixture.Builtin(t, "nist-one", scenario.Set("load", 1.2), scenario.Set("simulation.jobs", 200))
	r = run(t, &Simulation{Subject: one, Replications: 1})
	for _, kind := range []string{"one-replication", "overload"} {
		if !slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == kind }) {
			t.Errorf("no warning %s in %v", kind, r.Warnings)
		}
	}
	r = run(t, &Simulation{Subject: one, Replications: 10, Stop: &plan.Stop{Measure: m, Precision: metric.Precision{Relative: 1e-9, Max: 10}}})
	if r.Precision == nil || r.Precision.Met || !slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == "precision" }) {
		t.Errorf("%+v, %+v, %v", r.Precision, r.Warmup, r.Warnings)
	}
	if r := run(t, &Simulation{Subject: fixture.Opened(t, fixture.Customers(t)), Policies: fixture.Named(t, "hol")}); !slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == "ranks" }) {
		t.Errorf("it is not said how customers are ranked: %v", r.Warnings)
	}
	bare := fixture.Opened(t, "trace: {file: sp2-like, jobs: last:60}\n")
	if r := run(t, &Simulation{Subject: bare, Policies: fixture.Named(t, "easy", "value-bf", "d-over")}); !slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool {
		return w.Kind == warn.Unpriced && slices.Equal(w.Names, []string{"value-bf", "d-over"})
	}) {
		t.Errorf("it is not said which policies lack prices: %v", r.Warnings)
	}
}
