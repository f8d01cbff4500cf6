package run_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/run"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// The tests of this file compare every number with that of the packages that this one replaces. They go with these.

// tally counts the estimates that were compared.
type tally struct {
	*testing.T
	all, bits int
	worst     float64 // difference, as a share of what it is measured by
}

// same fails unless two intervals are equal to 1e-12 of the larger one of the two numbers and of a third.
func (t *tally) same(what string, got, want metric.Interval, beside float64) {
	t.Helper()
	t.all++
	off := func(a, b float64) float64 {
		if a == b || math.IsNaN(a) && math.IsNaN(b) {
			return 0
		}
		x := math.Abs(a-b) / math.Max(math.Abs(beside), math.Max(math.Abs(a), math.Abs(b)))
		if math.IsNaN(x) {
			return math.Inf(1)
		}
		return x
	}
	if math.IsInf(want.Mean, 0) && math.IsNaN(got.Mean) {
		return // a number that is not finite does not exist
	}
	worst := off(got.Mean, want.Mean)
	if once := got.N == 1 && want.HalfWidth == 0; !once {
		gotLow, gotHigh := got.Bounds()
		wantLow, wantHigh := want.Bounds()
		worst = max(worst, off(gotLow, wantLow), off(gotHigh, wantHigh))
		seen := want.Reduced > 1e-6 && want.HalfWidth > 1e-9*math.Max(math.Abs(want.Mean), math.Abs(beside))
		if got.N != want.N || seen && math.Abs(got.Reduced/want.Reduced-1) > 1e-6 {
			worst = math.Inf(1)
		}
	}
	if worst == 0 {
		t.bits++
	}
	t.worst = max(t.worst, worst)
	if worst > 1e-12 {
		t.Errorf("%s: %+v, want %+v, off by %.2g", what, got, want, worst)
	}
}

// mean compares means alone.
func (t *tally) mean(what string, got, want float64) {
	t.Helper()
	t.same(what, metric.Interval{Mean: got, N: 1}, metric.Interval{Mean: want, N: 1}, 0)
}

func (t *tally) tell() {
	t.Helper()
	t.Logf("%d estimates, %d equal to the bit, the others to %.1g", t.all, t.bits, t.worst)
}

// setup is a scenario with rows to compare.
type setup struct {
	name       string
	text       string // of the scenario, or the name of a built-in one
	set        []scenario.Override
	policies   []string
	admissions []string
	n          int
	weeks      bool
	alone      bool // a simulation is all that is compared
	slow       bool // to bound
}

func set(path, value string) scenario.Override { return scenario.Override{Path: path, Value: value} }

func setups(t *testing.T) []setup {
	list := []setup{
		{"classes", "nist-four", []scenario.Override{set("simulation.jobs", "3000")}, []string{"hol", "easy", "value-bf"},
			[]string{"all", "analytic"}, 5, false, false, false},
		{"probabilities", "nist-four", []scenario.Override{set("simulation.jobs", "3000")}, []string{"hol", "fcfs"},
			[]string{"0.5,1,0.25,0"}, 4, false, false, false},
		{"widths", "nist-cluster-widths", []scenario.Override{set("simulation.jobs", "1500")}, []string{"hol", "slurm"},
			[]string{"all"}, 3, false, false, true},
		{"customers", fixture.Customers(t), nil, []string{"easy", "value-bf", "hol:backfill=true"}, []string{"all"}, 2, false, false, false},
		{"weeks", fixture.Weekly(t), nil, []string{"easy", "value-bf"}, []string{"all"}, 6, true, false, true},
		{"generated", "site", []scenario.Override{set("trace.jobs", "last:200")}, []string{"easy", "value-bf"}, []string{"all"}, 3,
			false, false, true},
		{"pools", "ai-site", []scenario.Override{set("trace.jobs", "last:120")}, []string{"easy", "value-bf"}, []string{"all"}, 2,
			false, false, true},
		{"offers", fixture.Offering, nil, []string{"hol"}, []string{"all"}, 3, false, false, true},
		{"found", "nist-four", []scenario.Override{set("simulation.jobs", "400")}, []string{"hol"},
			[]string{"simulated", "threshold"}, 2, false, true, false},
		{"table", fixture.OneExponential, []scenario.Override{set("simulation.jobs", "1500")}, []string{"hol"},
			[]string{"state", "threshold"}, 3, false, true, false},
		{"prices", fixture.Shop, nil, []string{"hol"}, []string{"prices", "all"}, 3, false, true, false},
		{"providers", fixture.Thinned, nil, []string{"hol"}, []string{"all"}, 3, false, true, false},
	}
	const trace = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"
	if _, err := os.Stat(trace); err == nil {
		list = append(list, setup{"log", "name: sp2\ntrace: {file: " + trace + ", jobs: last:200, nodes: 128}\n" + `classes:
  - {name: long, of: {length: [3600, 1e9]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, max_penalty: 0}
  - {name: short, price: {per_unit_hour: 3}, deadline: {lengths: 2}}
`, nil, []string{"easy", "slurm", "value-bf"}, []string{"all"}, 1, false, false, true})
	}
	return list
}

// opened is a setup ready to run by both.
type opened struct {
	setup
	lab        *run.Lab
	subject    *subject.Subject
	policies   []subject.Policy
	admissions []experiment.Admission
}

func (c setup) open(t *testing.T) opened {
	t.Helper()
	doc, err := scenario.Builtin(c.text)
	if strings.Contains(c.text, "\n") {
		doc, err = fixture.Parsed(t, c.text), nil
	}
	if err == nil {
		doc, err = doc.With(c.set...)
	}
	if err != nil {
		t.Fatal(c.name, err)
	}
	lab, err := run.NewLab(t.Context(), doc, run.Options{Seed: 1, Workers: 2})
	if err != nil {
		t.Fatal(c.name, err)
	}
	o := opened{setup: c, lab: lab, subject: lab.Subject()}
	o.policies, err = study.ParsePolicies(o.subject.Specs, c.policies...)
	if err != nil {
		t.Fatal(c.name, err)
	}
	o.admissions, err = study.ParseAdmissions(o.subject, c.admissions)
	if err != nil {
		t.Fatal(c.name, err)
	}
	return o
}

func (o opened) resample() *workload.Resampling {
	if o.weeks {
		return &workload.Resampling{}
	}
	return nil
}

// row returns the case of a policy behind an admission.
func (o opened) row(t *testing.T, p subject.Policy, a experiment.Admission) run.Case {
	t.Helper()
	c := o.lab.Base()
	var err error
	c.Do, err = o.lab.Policy(p)
	if err != nil {
		t.Fatal(err)
	}
	c.Jobs.Weeks = o.weeks
	c.Admission = run.Admission{Name: a.Name, Admit: a.Admit}
	c.Detail = run.Detail{Customers: true, Waits: true, Batches: true}
	return c
}

// rows returns all policies under all admissions, in the order of package plan.
func (o opened) rows(t *testing.T, policies []subject.Policy) []run.Case {
	t.Helper()
	return text.Each(plan.NewRows(policies, o.admissions), func(r plan.Row) run.Case {
		return o.row(t, r.Policy, r.Admission)
	})
}

// renamed are the measures that have other names here. Rent and markets are gone, and so are mean_delay, which meant
// two things, and two counts that other columns say.
var renamed = map[string]string{
	"revenue_per_second": "revenue", "value_per_second": "value", "utility": "value_total", "acceptance": "admitted",
	"job_qos_satisfaction": "kept", "cluster_profitability": "profitability", "mean_bounded_slowdown": "slowdown",
	"rent_per_second": "", "rented_share": "", "rented_units": "", "mean_price": "", "mean_delay": "", "jobs_admitted": "",
	"rejected_lapsed": "",
}

// column returns the column of a measure of package metric and its unit over that of the measure.
func column(t *testing.T, m metric.Measure) (name string, scale float64, there bool) {
	t.Helper()
	name, other := renamed[m.Name]
	if !other {
		name = m.Name
	}
	if name == "" {
		return "", 0, false
	}
	if _, known := run.Lookup(name); !known {
		t.Fatalf("no column %s", name)
	}
	if m.Unit == "$/s" {
		return name, metric.Hour, true
	}
	return name, 1, true
}

func groupOf(s subject.Section) string {
	switch {
	case s.Pool == "":
		return run.Customer(s.Name)
	case s.Name == "":
		return run.Pool(s.Pool)
	}
	return run.InPool(s.Pool, s.Name)
}

// TestSimulate: every measure of all jobs, customers and pools is that of a simulation, and so are all differences.
func TestSimulate(t *testing.T) {
	count := &tally{T: t}
	for _, c := range setups(t) {
		o := c.open(t)
		old, err := (&simulation.Simulation{Subject: o.subject, Policies: o.policies, Admissions: o.admissions,
			Replications: o.n, Seed: 1, Resample: o.resample(), Groups: true, Runner: &plan.Runner{Workers: 2}}).Run(t.Context())
		if err != nil {
			t.Fatal(c.name, err)
		}
		rows := o.rows(t, o.policies)
		f, err := o.lab.Frame(t.Context(), rows, o.n)
		if err != nil {
			t.Fatal(c.name, err)
		}
		o.compareRows(count, f, rows, old.Samples[0])
	}
	count.tell()
}

// compareRows compares every group and measure of rows, and the differences to the first.
func (o opened) compareRows(t *tally, f *run.Frame, rows []run.Case, samples *plan.Samples) {
	t.Helper()
	for i, row := range rows {
		was := samples.Row(0, i)
		for k := -1; k < len(samples.Sections()); k++ {
			group := run.All
			if k >= 0 {
				group = groupOf(samples.Sections()[k])
			}
			for _, m := range samples.Measures() {
				name, scale, there := column(t.T, m)
				if !there {
					continue
				}
				what := strings.Join([]string{o.name, row.Do.Policy, group, name}, " ")
				got, want := f.Estimate(f.Series(row, group, name)), was.Interval(m, k).Times(scale)
				t.same(what, got, want, 0)
				if i > 0 {
					d := f.Estimate(f.Series(row, group, name).Less(f.Series(rows[0], group, name)))
					first := samples.Row(0, 0)
					n := max(was.N(), first.N())
					wanted := was.Stretched(n).Difference(first.Stretched(n), m, k).Times(scale)
					t.same(what+" difference", d, wanted, want.Mean)
				}
			}
		}
		for k, provider := range samples.Providers(0) {
			for _, m := range samples.Measures() {
				if name, scale, there := column(t.T, m); there {
					want := metric.Estimate(was.Provider(m, k), metric.DefaultLevel).Times(scale)
					t.same(provider+name, f.Estimate(f.Series(row, run.Provider(provider), name)), want, 0)
				}
			}
		}
		e, err := o.lab.Experiment(t.Context(), row)
		if err != nil {
			t.Fatal(err)
		}
		jobs, skewed := f.Skewed(row, e)
		wanted, skewedBefore := plan.SkewedRow(e, was)
		t.mean(o.name+" jobs against skewness", jobs, wanted)
		if skewed != skewedBefore {
			t.Errorf("%s: skewed %v, want %v", o.name, skewed, skewedBefore)
		}
		groups := o.lab.Groups()
		all, _ := f.Affected(row, rows[0], groups)
		if want := served.Compare(groups, samples.Row(0, 0).Served(), was.Served()); fixture.Alike(all, want) != "" {
			t.Errorf("%s: %s", o.name, fixture.Alike(all, want))
		}
		t.all += 9 * len(all)
	}
}

// boundOf returns the case of the bounds on the jobs of rows.
func boundOf(row run.Case, b run.Bound) run.Case {
	row.Do, row.Admission, row.Detail = run.Action{Bound: &b}, run.Admission{}, run.Detail{}
	return row
}
