package whatif

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/study/solve"
	"revopt/simulate/warn"
)

// what asks what changes bring.
func what(t testing.TB, w *WhatIf, changes ...string) *Result {
	t.Helper()
	for _, arg := range changes {
		c, err := ParseChange(w.Subject, arg)
		if err != nil {
			t.Fatal(err)
		}
		w.Changes = append(w.Changes, c)
	}
	r, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWhatIfNothing: a change that changes nothing gives 0 ± 0 exactly, by every
// method.
func TestWhatIfNothing(t *testing.T) {
	easy := fixture.Named(t, "easy")[0]
	w := &WhatIf{Subject: site(t), Seed: 1, Formula: true, Changes: []Change{{Name: "policy=easy", Policy: &easy, Choice: "policy"}, {Name: "admission=all", Admission: &experiment.Admission{Name: "all"}, Choice: "admission"}}}
	r := what(t, w, "classes.urgent.price.per_unit_hour=+0%", "growth=+0%", "trace.nodes=128")
	if len(r.Changes) != 6 {
		t.Fatalf("%d changes", len(r.Changes))
	}
	for _, c := range r.Changes {
		for _, d := range []study.Estimate{c.Simulation.Difference, c.Bound.Difference, c.MeanWait.Difference} {
			if d.Mean != 0 || d.HalfWidth != 0 {
				t.Errorf("%s: %v", c.Name, d)
			}
		}
		if c.Formula.Difference() != 0 || c.Beyond(c.Simulation.Difference) || c.BreakEven != nil {
			t.Errorf("%s: formula %v", c.Name, c.Formula)
		}
	}
	if r.Tied {
		t.Error("tied without a gain")
	}
	small := r.Changes[0] // a gain that is sure, below one that may be chance
	small.Simulation.Difference = study.Estimate{Mean: 1, HalfWidth: 0.5}
	r.Changes[1].Simulation.Difference = study.Estimate{Mean: 9, HalfWidth: 15}
	if r.Changes[0] = small; !w.tied(r) {
		t.Error("not tied, with the same money")
	}
}

// TestWhatIfPolicy: the difference of a change of policy is that which a
// simulation of both finds: of a stream per hour, of finitely many jobs by
// replication over the time in which they arrive.
func TestWhatIfPolicy(t *testing.T) {
	policies := fixture.Named(t, "hol", "fcfs")
	stream := fixture.Builtin(t, "nist-cluster")
	w := &WhatIf{Subject: stream, Policy: &policies[0], Changes: []Change{{Name: "policy=fcfs", Policy: &policies[1]}}, Seed: 1, Replications: 4}
	got := what(t, w).Changes[0].Simulation.Difference
	want := run(t, &simulation.Simulation{Subject: stream, Policies: policies, Replications: 4, Seed: 1}).Differences[0].Total.Get("revenue_per_second")
	if !fixture.Near(float64(got.Mean), 3600*float64(want.Mean), 1e-9) || !fixture.Near(float64(got.HalfWidth), 3600*float64(want.HalfWidth), 1e-9) {
		t.Errorf("%v, want 3600 times %v", got, want)
	}

	policies, s := fixture.Named(t, "easy", "value-bf"), site(t)
	w = &WhatIf{Subject: s, Changes: []Change{{Name: "policy=value-bf", Policy: &policies[1]}}, Seed: 1}
	got = what(t, w).Changes[0].Simulation.Difference
	both := sampled(t, s, func(*plan.Plan) {}, plan.Row{Policy: policies[0]}, plan.Row{Policy: policies[1]})
	more := metric.Less(both.Row(0, 1).Delivered(), both.Row(0, 0).Delivered())
	list := make([]float64, 4)
	for k := range list {
		jobs, err := s.Workload.Jobs(1, k)
		if err != nil {
			t.Fatal(err)
		}
		var j simulate.Job
		for ok := true; ok; {
			ok, _ = jobs.Next(&j)
		}
		jobs.(io.Closer).Close()
		list[k] = 3600 * more[k] / j.Submit
	}
	if e := metric.Estimate(list, 0.95); !fixture.Near(float64(got.Mean), e.Mean, 1e-9) || !fixture.Near(float64(got.HalfWidth), e.HalfWidth, 1e-9) {
		t.Errorf("%v, want %v", got, e)
	}
}

// TestWhatIfSpan: by hand, money is divided by the time in which jobs are recorded,
// whether or not the last of them comes: 40 jobs of 1 node-hour never wait, so that n
// that come at 1.5 $ earn 1.5 n $ in 1000 h, and 41 - n are kept away. A bound that knows no waits is the same.
func TestWhatIfSpan(t *testing.T) {
	var lines string
	for i := range 40 {
		lines += fixture.SWFLine(i+1, 4000*i, 3600, 1, 3600, 1, 1)
	}
	lines += fixture.SWFLine(41, 3600_000, 3600, 1, 3600, 1, 2)
	s := fixture.Opened(t, "trace: {file: "+written(t, lines)+", nodes: 4}\n"+`classes:
  - {name: a, price: {per_unit_hour: 1}, demand: {curve: linear, elasticity: 1}, decay: {per_hour: 10%}}
simulation: {replications: 8}
`)
	r := what(t, &WhatIf{Subject: s, Seed: 1}, "classes.a.price.per_unit_hour=1.5")
	if got := float64(r.Before.Money[0]); !fixture.Near(got, 0.041, 1e-9) {
		t.Errorf("before %g", got)
	}
	c := r.Changes[0]
	var mean, came float64
	for k, x := range c.Money {
		n, lots := 0, simulate.Stream(1, k, "demand", 0)
		for range 41 {
			if lots.Float64() < 0.5 { // the share that comes at half as much again
				n++
			}
		}
		came += float64(n) / 8
		if mean += float64(x) / 8; !fixture.Near(float64(x), 1.5*float64(n)/1000, 1e-9) {
			t.Errorf("replication %d: %g, want that of %d jobs", k, x, n)
		}
	}
	if l := c.KeptAway; len(l) != 1 || !fixture.Near(float64(l[0].Jobs), 41-came, 1e-12) || l[0].Of != 41 || c.Lost() != l[0].Jobs {
		t.Errorf("kept away %v, want %g of 41; lost %g", l, 41-came, c.Lost())
	}
	if got := float64(c.Load[1] / c.Load[0]); !fixture.Near(got, 0.5, 1e-9) {
		t.Errorf("load times %g, of which half is expected to come", got)
	}
	if !fixture.Near(float64(c.Bound.After), mean, 1e-6) || !fixture.Near(float64(c.Simulation.Difference.Mean), mean-0.041, 1e-9) {
		t.Errorf("bound %g, gain %v, mean %g", c.Bound.After, c.Simulation.Difference, mean)
	}
}

// TestWhatIfBatch: by hand, money of jobs that are submitted at once is by hour of
// the time until the last of them ends. Two jobs of 4 nodes and 1 h take 2 h. The first
// pays 4 $, the second 10 $ less 20 $ for the hour that it waits. In the other order the
// first loses 1 $. On 8 nodes none waits, and both take 1 h. On 2 nodes none runs.
func TestWhatIfBatch(t *testing.T) {
	file := written(t, fixture.SWFLine(1, 0, 3600, 4, 3600, 1, 1)+fixture.SWFLine(2, 0, 3600, 4, 3600, 1, 2))
	s := fixture.Opened(t, "trace: {file: "+file+", nodes: 4}\n"+`classes:
  - {name: slow, of: {group: [1]}, price: 4, decay: {per_hour: 25%}}
  - {name: fast, of: {group: [2]}, price: 10, decay: {per_hour: 200%}, max_penalty: none}
simulation: {replications: 2}
`)
	policies := fixture.Named(t, "fcfs", "value-bf")
	r := what(t, &WhatIf{Subject: s, Seed: 1, Policy: &policies[0], Changes: []Change{{Name: "policy=value-bf", Policy: &policies[1], Choice: "policy"}}}, "trace.nodes=8", "trace.nodes=2")
	if !slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == warn.Instant }) {
		t.Errorf("warnings %v", r.Warnings)
	}
	if log := (ChangeResult{Simulation: EstimatePair{After: study.Estimate{Mean: 5}}}); !math.IsNaN(log.Share()) {
		t.Errorf("%g of nothing", log.Share())
	}
	for i, want := range []float64{6.5, 14, 0} {
		c := r.Changes[i]
		if !fixture.Near(float64(c.Simulation.Before.Mean), -3, 1e-9) || !fixture.Near(float64(c.Simulation.After.Mean), want, 1e-9) || c.Simulation.After.Mean > c.Bound.After*(1+1e-9) {
			t.Errorf("%s: %v, want -3 to %g under %g", c.Name, c.Simulation, want, c.Bound.After)
		}
	}
}

// TestWhatIfQueue: on M/M/1 the formula is exact, lies inside the interval of the
// simulation before, after and between, and is the method to believe. By hand:
// a job of 100 s waits 150 s at load 0.6, 100 0.72/0.28 s at 0.72.
func TestWhatIfQueue(t *testing.T) {
	s := fixture.Opened(t, `
server: {parallel: 1, residual: pooled}
load: 0.6
simulation: {jobs: 20000, replications: 10}
classes: [{name: a, length: {mean: 100, dist: exponential}, price: 10, decay: 0.01, max_penalty: none}]
`)
	r := what(t, &WhatIf{Subject: s, Seed: 1, Level: 0.99}, "growth=20%", "classes.a.price=+10%")
	before := 3600 * 0.006 * (10 - 0.01*150)
	for i, want := range []float64{
		3600 * 0.0072 * (10 - 0.01*100*0.72/0.28), 3600 * 0.006 * (11 - 0.01*150), 3600 * 0.0072 * (11 - 0.01*100*0.72/0.28),
	} {
		c := r.Changes[i]
		if !fixture.Near(float64(c.Formula.Before), before, 1e-9) || !fixture.Near(float64(c.Formula.After), want, 1e-9) {
			t.Errorf("%s: formula %v, want %g to %g", c.Name, c.Formula, before, want)
		}
		for _, p := range []struct {
			e study.Estimate
			x float64
		}{{c.Simulation.Before, before}, {c.Simulation.After, want}, {c.Simulation.Difference, want - before}} {
			if !p.e.Interval().Contains(p.x) {
				t.Errorf("%s: %v without %g", c.Name, p.e, p.x)
			}
		}
		if len(c.Doubts) != 0 {
			t.Errorf("%s: %q", c.Name, c.Doubts)
		}
		if most := 3600 * 0.006 * 10; i == 0 && (!fixture.Near(float64(c.Bound.Before), most, 1e-9) || !fixture.Near(float64(c.Bound.After), 1.2*most, 1e-9)) {
			t.Errorf("bound %v", c.Bound)
		}
	}
}

// TestWhatIfNodes: more nodes bring no customers, also where a flag states the
// load, and beside a load that is to change; the break-even is the gain by node.
func TestWhatIfNodes(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster", scenario.Set("load", 1.5))
	nodes := s.Nodes()
	w := &WhatIf{Subject: s, Seed: 1, Replications: 3, Costs: Costs{{PerHour: 2, Price: 35040, Life: 2 * 8760 * metric.Hour}}}
	r := what(t, w, "nodes=+10%", "load=+20%")
	more, load, all := r.Changes[0], r.Changes[1], r.Changes[2]
	if !fixture.Near(float64(more.Load[1])*float64(more.Nodes[1]), 1.5*float64(nodes), 1e-9) || !fixture.Near(float64(load.Load[1]), 1.8, 1e-9) ||
		!fixture.Near(float64(all.Load[1])*float64(all.Nodes[1]), 1.8*float64(nodes), 1e-9) {
		t.Errorf("loads %v, %v, %v", more.Load, load.Load, all.Load)
	}
	extra := float64(more.Nodes[1] - nodes)
	d := more.Simulation.Difference
	if e := more.BreakEven; e == nil || !fixture.Near(float64(e.Mean), float64(d.Mean)/extra, 1e-12) || !fixture.Near(float64(e.HalfWidth), float64(d.HalfWidth)/extra, 1e-12) {
		t.Errorf("break-even %v of %v by %g nodes", more.BreakEven, d, extra)
	}
	if n := more.Net; n == nil || !fixture.Near(float64(n.Mean), float64(d.Mean)-2*extra, 1e-12) || n.HalfWidth != d.HalfWidth {
		t.Errorf("net %v of %v", more.Net, d)
	}
	if p := more.Payback; p == nil || !fixture.Near(float64(*p), 3600*35040*extra/float64(d.Mean), 1e-9) {
		t.Errorf("payback %v", p)
	}
	if load.Net != nil || load.BreakEven != nil || all.BreakEven != nil || all.Net == nil {
		t.Error("a cost of nodes that do not change, or a break-even of two changes")
	}
	// A queue at a load above 1 has no steady state, and the formula no answer.
	if !math.IsNaN(float64(more.Formula.Before)) || more.Formula.Reason == nil || more.Formula.Reason.Kind != warn.NoFormulaSteady {
		t.Errorf("%+v", more.Formula)
	}
}

// TestParseChange: growth and load are over what comes today.
func TestParseChange(t *testing.T) {
	s := site(t, scenario.Set("growth", 0.25)) // load 1
	for arg, want := range map[string]float64{
		"growth=50%": 0.2, "growth=+20%": 0.2, "growth=-20%": -0.2, "load=1.2": 0.2, "load=+0.2": 0.2, "load=-10%": -0.1, "load=100%": 0,
	} {
		c, err := ParseChange(s, arg)
		if err != nil || math.Abs(c.Growth-want) > 1e-9 || c.Set != nil || c.Name != arg {
			t.Errorf("%s: %+v, %v, want growth %g", arg, c, err, want)
		}
	}
	var bad *scenario.Error
	for _, arg := range []string{"growth=20", "load=80", "load=0", "load=x", "growth=+x"} {
		if _, err := ParseChange(s, arg); !errors.As(err, &bad) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// TestWhatIfOnce: where nothing is random there are no intervals, and a lottery
// after the change has some.
func TestWhatIfOnce(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	r := what(t, &WhatIf{Subject: s, Seed: 1}, "trace.nodes=+4")
	c := r.Changes[0]
	if !r.Once || !c.Once || c.Simulation.Difference.N != 1 || c.BreakEven == nil || c.Formula != nil {
		t.Errorf("%+v", c.Simulation)
	}
	r = what(t, &WhatIf{Subject: s, Seed: 1, Changes: []Change{{Name: "half", Admission: &experiment.Admission{Name: "half", Admit: []float64{1, 0.5}}}}})
	c = r.Changes[0]
	if r.Once || c.Simulation.Difference.N != 4 || c.Simulation.Before.HalfWidth != 0 || !(c.Admission.Classes[1].Refused > 0) {
		t.Errorf("%+v", c.Simulation)
	}
	if k := c.Admission.Classes[0]; k.Refused != 0 || k.Admit != 1 {
		t.Errorf("%+v", c.Admission)
	}
}

// TestWhatIfSolve: the formula is that of solve, at the admission of the
// simulation.
func TestWhatIfSolve(t *testing.T) {
	s := site(t, scenario.Set("trace.arrival_delay_factor", 0.9211)) // a load of 0.98 in the first replication
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, err := solve.Solve(context.Background(), a, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := what(t, &WhatIf{Subject: s, Seed: 1, Formula: true, Replications: 1, Changes: []Change{{Name: "admission=analytic", Admission: &experiment.Admission{Name: scenario.AdmitAnalytic}}}})
	c := r.Changes[0]
	if !fixture.Near(float64(c.Formula.After), float64(best.RevenuePerHour), 1e-9) || !(c.Formula.Before < c.Formula.After) {
		t.Errorf("%+v, want %g", c.Formula, best.RevenuePerHour)
	}
	for i, k := range c.Admission.Classes {
		if k.Admit != best.Classes[i].Admit {
			t.Errorf("%s: %g, want %g", k.Name, k.Admit, best.Classes[i].Admit)
		}
	}
}

// TestWhatIfHarm: by hand, 4 nodes and jobs of 4 nodes and 1 h. At time 0 come a slow
// job, at 1 s a fast one that loses all value within half an hour, and another slow one.
// fcfs serves all three. value-bf gives the fast one up and serves the slow ones.
func TestWhatIfHarm(t *testing.T) {
	file := written(t, fixture.SWFLine(1, 0, 3600, 4, 3600, 1, 1)+fixture.SWFLine(2, 1, 3600, 4, 3600, 1, 2)+fixture.SWFLine(3, 2, 3600, 4, 3600, 1, 1))
	s := fixture.Opened(t, "trace: {file: "+file+", nodes: 4}\n"+`classes:
  - {name: slow, of: {group: [1]}, price: 4, decay: {per_hour: 10%}, max_penalty: 0}
  - {name: fast, of: {group: [2]}, price: 10, decay: {per_hour: 200%}, max_penalty: 0, expire: never, slo: {within: 2h, level: 90%}}
`)
	policies := fixture.Named(t, "fcfs", "value-bf")
	r := what(t, &WhatIf{Subject: s, Seed: 1, Policy: &policies[0], Changes: []Change{{Name: "policy=value-bf", Policy: &policies[1], Choice: "policy"}}})
	c := r.Changes[0]
	if want := (LostJobs{Name: "fast", Jobs: 1, Of: 1}); len(c.GivenUp) != 1 || c.GivenUp[0] != want || len(r.Before.GivenUp) != 0 {
		t.Errorf("given up %v, before %v", c.GivenUp, r.Before.GivenUp)
	}
	if p := c.Promises[0]; p.Before.Mean != 1 || p.After.Mean != 0 || p.Kept != "not kept" {
		t.Errorf("%+v", p)
	}
	if len(c.Worse) != 0 {
		t.Errorf("served worse: %+v", c.Worse)
	}
	back := what(t, &WhatIf{Subject: s, Seed: 1, Policy: &policies[1], Changes: []Change{{Name: "policy=fcfs", Policy: &policies[0]}}}).Changes[0]
	// The second slow job waits 2 h less 2 s instead of 1 h less 2 s; the first never waits.
	if len(back.Worse) != 1 || back.Worse[0].Name != "slow" || back.Worse[0].Before.Mean != 1799 || back.Worse[0].After.Mean != 3599 {
		t.Errorf("served worse: %+v", back.Worse)
	}
}

// TestMachinePath: nodes are the machine on every workload, unless it has parts.
func TestMachinePath(t *testing.T) {
	for name, want := range map[string]string{"site": "trace.nodes", "nist-cluster": "server.nodes", "nist-two": "server.parallel", "libra-2004": "sites.0.processors"} {
		c, err := ParseChange(fixture.Builtin(t, name), "nodes=+2")
		if err != nil || c.Choice != want || c.Name != "nodes=+2" {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	if c, err := ParseChange(fixture.Builtin(t, "libra-2004"), "processors=+2"); err != nil || c.Choice != "sites.0.processors" || c.Name != "processors=+2" {
		t.Errorf("%+v, %v", c, err)
	}
	var bad *scenario.Error
	for name, arg := range map[string]string{"ic-grid": "nodes=+2", "site": "cores=+2"} {
		if _, err := ParseChange(fixture.Builtin(t, name), arg); !errors.As(err, &bad) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
