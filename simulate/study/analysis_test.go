package study

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/metric"
)

// At load 3 it does not pay to admit all, and the search finds out, the same at
// any number of workers; on fresh numbers it earns more.
func TestSearch(t *testing.T) {
	s := builtin(t, "nist-cluster", scenario.Set("load", 3))
	all := []float64{1, 1, 1, 1}
	e := under(t, s.Workload, "hol", nil, nil, 1)
	var admit []float64
	for _, workers := range []int{1, 3} {
		r, err := Search{Experiment: e, Workers: workers}.Admission(context.Background(), [][]float64{all})
		if err != nil {
			t.Fatal(err)
		}
		if admit != nil && !reflect.DeepEqual(admit, r) {
			t.Errorf("%v with %d workers, %v with one", r, workers, admit)
		}
		admit = r
	}
	got := sampled(t, s, func(p *Plan) { p.Replications = 6 }, beside(t, "hol", nil, nil), beside(t, "hol", nil, admit))
	if d := got.Row(0, 1).Difference(got.Row(0, 0), metric.RevenuePerSecond(), -1); d.Mean < d.HalfWidth {
		t.Errorf("admitting %v earns %+v more than admitting all", admit, d)
	}
	if derived(1, "search") == 1 || derived(1, "search") == derived(2, "search") || derived(1, "search") == derived(1, "pilot") {
		t.Error("the search shares its random numbers")
	}
}

// A search on a long scenario is made on short replications.
func TestSearchIsShort(t *testing.T) {
	for _, o := range []scenario.Override{scenario.Set("simulation.jobs", 1e9), scenario.Set("simulation.horizon", 1e12)} {
		s := builtin(t, "nist-one", o, scenario.Override{Path: "simulation.warmup", Value: "1d"})
		runs := 0
		search := Search{under(t, s.Workload, "hol", nil, nil, 1), scenario.SearchEffort{Jobs: 2000}, 1, func() { runs++ }}
		if _, err := search.Admission(context.Background(), [][]float64{{1}}); err != nil || runs == 0 {
			t.Errorf("%v: %v after %d runs", o, err, runs)
		}
	}
}

// mixedTrace has a customer by share whose deadlines are hard for half of the
// jobs, on generated jobs.
const mixedTrace = `name: mixed
trace: {file: sp2-like, jobs: first:300, arrival_delay_factor: 0.15}
classes:
  - {name: half, of: {share: 0.5}, price: {per_unit_hour: 1}, decay: {per_hour: 100%}, deadline: {lengths: 2}, hard: 0.5, max_penalty: {of_price: 1}}
  - {name: rest, price: {per_unit_hour: 0.2}, decay: {per_hour: 50%}, grace: 10m, max_penalty: {of_price: 0.5}}
simulation: {replications: 3}
`

// The classes fitted to a trace say whose they are, and their probabilities
// become those of customers, the parts weighted by their rates.
func TestAnalyzeTrace(t *testing.T) {
	s := opened(t, mixedTrace)
	a, err := Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a.Fit == nil || !(a.Span > 0) || len(a.Customer) != len(a.System.Classes) || !slices.ContainsFunc(a.Ignored, func(w Warning) bool { return w.Kind == "fitted" }) {
		t.Fatalf("%+v", a)
	}
	parts := map[int]int{}
	for _, c := range a.Customer {
		parts[c]++
	}
	if parts[0] != 2 || parts[1] != 1 { // the hard and the soft jobs of half
		t.Errorf("classes of customers %v", parts)
	}
	// By hand: the mean weighted by rates.
	admit := make([]float64, len(a.Customer))
	var sum, rate float64
	for i, c := range a.Customer {
		admit[i] = float64(i) / 4
		if c == 0 {
			sum += admit[i] * a.System.Classes[i].Rate
			rate += a.System.Classes[i].Rate
		}
	}
	got := a.ByCustomer(admit, 3)
	if rest := slices.Index(a.Customer, 1); math.Abs(got[0]-sum/rate) > 1e-12 || got[1] != admit[rest] || got[2] != 1 {
		t.Errorf("%v of %v", got, admit)
	}
	m := &Admissions{Subject: s, Seed: 1}
	best, err := m.Analytic(context.Background())
	if err != nil || len(best) != 2 || !(best[0] > 0) {
		t.Fatalf("%v, %v", best, err)
	}
	want, err := optimize.Solve(context.Background(), a.System, optimize.Settings{})
	if err != nil || !reflect.DeepEqual(best, a.ByCustomer(want.Admit, 2)) {
		t.Errorf("%v, want %v, %v", best, want.Admit, err)
	}
	r := run(t, &Simulation{Subject: s, Policies: named(t, "easy"), Admissions: []Admission{{Name: scenario.AdmitAnalytic}}, Replications: 2, Seed: 1})
	if !reflect.DeepEqual(r.Policies[0].Admission.Admit, best) || !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Kind == WarnFitted && w.Scope == "analytic admission" }) {
		t.Errorf("%v, %v", r.Policies[0].Admission, r.Warnings)
	}
}

// On classes the model's probabilities are those of the customers as they are.
func TestAnalyzeClasses(t *testing.T) {
	s := builtin(t, "nist-four")
	got, err := (&Admissions{Subject: s}).Analytic(context.Background())
	want, err2 := optimize.Solve(context.Background(), s.Scenario.System(), optimize.Settings{})
	if err != nil || err2 != nil || !reflect.DeepEqual(got, want.Admit) {
		t.Errorf("%v, want %v: %v, %v", got, want.Admit, err, err2)
	}
	var none *NoModelError
	for _, name := range []string{"ic-grid", "libra-2004"} {
		if _, err := Analyze(context.Background(), builtin(t, name), 1, 0); !errors.As(err, &none) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The admission found on a trace is in no comparison below its starts by more
// than chance.
func TestSimulatedAdmissionOnTrace(t *testing.T) {
	s := opened(t, mixedTrace)
	starts, err := (&Admissions{Subject: s, Seed: 1}).Starts(context.Background())
	if err != nil || len(starts) < 2 {
		t.Fatalf("%v, %v", starts, err)
	}
	e := under(t, s.Workload, "easy", nil, nil, 1)
	found, err := Search{Experiment: e, Effort: scenario.SearchEffort{Replications: 4, Step: 0.1}}.Admission(context.Background(), starts)
	if err != nil {
		t.Fatal(err)
	}
	rows := []PlanRow{beside(t, "easy", nil, found)}
	for _, start := range starts {
		rows = append(rows, beside(t, "easy", nil, start))
	}
	got := sampled(t, s, func(p *Plan) { p.Replications = 10 }, rows...)
	for i, start := range starts {
		if d := got.Row(0, 0).Difference(got.Row(0, i+1), metric.Utility(), -1); d.Mean < -d.HalfWidth {
			t.Errorf("%v delivers %+v less than %v", found, d, start)
		}
	}
	// A grid has no model: its search starts from all jobs.
	grid := opened(t, "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n")
	if starts, err := (&Admissions{Subject: grid}).Starts(context.Background()); err != nil || !reflect.DeepEqual(starts, [][]float64{{1}}) {
		t.Errorf("%v, %v", starts, err)
	}
}

// machine is a cluster of 100 nodes under jobs of four nodes each.
const machine = `
server: {nodes: 100, residual: printed}
load: 0.84
simulation: {jobs: 4000, warmup: 10%, replications: 5}
classes:
  - {name: urgent, share: 0.3, length: {mean: 3600, sd: 1200}, width: 4, price: 100, decay: 0.05, grace: 60, max_penalty: 50, expire: never}
  - {name: patient, share: 0.7, length: {mean: 3600, sd: 1200}, width: 4, price: 20, decay: 0.001, max_penalty: 0}
`

// Solve gives the optimum, its prices and what the model does not look at, for
// classes and for traces, and the exact utility its own.
func TestSolve(t *testing.T) {
	s := opened(t, machine, scenario.Set("load", 1.4))
	a, err := Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Solve(context.Background(), a, SolveOptions{Version: "v"})
	if err != nil || !got.Proven() || !got.Certified || got.RevenuePerSecond > got.UpperBoundPerSecond || got.RelativeGap > 1e-6 || got.Fitted {
		t.Fatalf("%+v, %v", got, err)
	}
	var sum Number
	for _, c := range got.Classes {
		sum += c.RevenuePerSecond
	}
	if math.Abs(float64(sum-got.RevenuePerSecond)) > 1e-9*float64(sum) || got.RevenuePerHour != 3600*got.RevenuePerSecond || !(got.Prices.Capacity > 0) {
		t.Errorf("the classes earn %g of %g, a slot is worth %g", sum, got.RevenuePerSecond, got.Prices.Capacity)
	}
	for _, kind := range []string{"floor", "expiry"} {
		if !slices.ContainsFunc(got.Warnings, func(w Warning) bool { return w.Kind == kind }) {
			t.Errorf("no warning %s", kind)
		}
	}
	local, err := Solve(context.Background(), a, SolveOptions{Method: optimize.MethodCG})
	if err != nil || local.RevenuePerSecond > got.UpperBoundPerSecond || local.Certified || !slices.ContainsFunc(local.Warnings, func(w Warning) bool { return w.Kind == WarnUnprovenLocal }) {
		t.Errorf("%+v, %v", local, err)
	}
	exact, err := Solve(context.Background(), a, SolveOptions{Exact: true})
	if err != nil || exact.Exact == nil || exact.System.Residual != model.Pooled || !slices.ContainsFunc(exact.Warnings, func(w Warning) bool { return w.Kind == WarnPooled }) ||
		slices.ContainsFunc(exact.Warnings, func(w Warning) bool { return w.Kind == "floor" }) {
		t.Errorf("%+v, %v", exact, err)
	}
	fitted, err := Analyze(context.Background(), opened(t, mixedTrace), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if of, err := Solve(context.Background(), fitted, SolveOptions{}); err != nil || !of.Fitted || !(of.RevenuePerSecond > 0) || of.Scenario != "mixed-fit" {
		t.Errorf("%+v, %v", of, err)
	}
}

// Along the number of nodes arrivals stay, the revenue never falls, and its slope
// is the shadow price.
func TestSolveCurve(t *testing.T) {
	doc, err := parsed(t, machine).With(scenario.Override{Path: "server.residual", Value: "pooled"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(x float64) (*Analysis, error) {
		changed, err := doc.With(scenario.Set("server.nodes", x))
		if err != nil {
			return nil, err
		}
		s, err := Open(context.Background(), changed, 1, nil)
		if err != nil {
			return nil, err
		}
		return Analyze(context.Background(), s, 1, 0)
	}
	c, err := SolveCurve(context.Background(), "server.nodes", []float64{99, 100, 101, 116, 132, 148, 164}, at, SolveOptions{})
	if err != nil || len(c.Points) != 7 {
		t.Fatal(err)
	}
	for i, p := range c.Points {
		offered, _ := p.Rates()
		if first, _ := c.Points[0].Rates(); math.Abs(offered-first) > 1e-12*first || i > 0 && p.RevenuePerSecond < c.Points[i-1].RevenuePerSecond*(1-1e-6) {
			t.Errorf("at %g nodes %g jobs/s are offered and %g $/s earned", p.Value, offered, p.RevenuePerSecond)
		}
	}
	a, err := at(100)
	if err != nil {
		t.Fatal(err)
	}
	own, err := Solve(context.Background(), a, SolveOptions{Gap: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	slope := (c.Points[2].RevenuePerSecond - c.Points[0].RevenuePerSecond) / 2
	if price := own.Prices.Capacity / 4; !(math.Abs(float64(slope/price-1)) < 0.05) { // jobs are 4 nodes wide
		t.Errorf("a node more earns %g $/s, its price is %g", slope, price)
	}
}
