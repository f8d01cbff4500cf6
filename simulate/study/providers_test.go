package study

import (
	"context"
	"math"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// within fails the test unless an estimate has the given mean, by four of the
// standard errors of its interval.
func within(t *testing.T, what string, e Estimate, want float64) {
	t.Helper()
	if math.Abs(float64(e.Mean)-want) > 2*float64(e.HalfWidth)+1e-12 {
		t.Errorf("%s: %g ± %g, want %g", what, e.Mean, e.HalfWidth, want)
	}
}

// TestLossChain: jobs of exponential length that go to the first provider with a
// free processor see one loss system after the other, so that of three providers
// the first k lose what Erlang's formula says of all their processors together.
func TestLossChain(t *testing.T) {
	r := run(t, &Simulation{Subject: opened(t, `
server: {nodes: 4, waiting: 0}
load: 1
simulation: {jobs: 20000, replications: 10}
classes: [{name: all, length: {dist: exponential, mean: 100}, price: 10}]
providers: [{name: second, nodes: 2, waiting: 0}, {name: third, nodes: 3, waiting: 0, policy: fcfs}]
`), Seed: 1})
	lost, reach := 1.0, 1.0 // Erlang B by its recursion; share of the jobs that reach a provider
	k := 0
	for i, nodes := range []int{4, 2, 3} {
		for range nodes {
			k++
			lost = 4 * lost / (float64(k) + 4*lost)
		}
		p := r.Policies[0].Providers[i]
		within(t, p.Name+" admits", p.Get("acceptance"), 1-lost/reach)
		within(t, p.Name+" is used", p.Get("utilization"), 4*(reach-lost)/float64(nodes))
		reach = lost
	}
	within(t, "all admit", r.Policies[0].Total.Get("acceptance"), 1-lost)
}

// thinned has providers that admit by lot.
const thinned = `
server: {nodes: 3, residual: multiserver}
load: 1.5
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: dear, share: 0.4, length: {dist: exponential, mean: 100}, price: 10, decay: 0.01}
  - {name: cheap, share: 0.6, length: {dist: exponential, mean: 100}, price: 4, decay: 0.01}
providers: [{name: second, nodes: 2, admission: [0.5, 0.5]}, {name: third, nodes: 2, admission: analytic}]
`

// TestThinnedChain: lots leave Poisson streams, so that every provider is a queue
// of its own: solve, which thins, and the simulation agree, and the lots of one
// provider say nothing of those of the next.
func TestThinnedChain(t *testing.T) {
	s := opened(t, thinned)
	admit := []float64{0.5, 0.5}
	answers, err := furtherProviders(context.Background(), s, admit)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, &Simulation{Subject: s, Policies: named(t, "hol"), Admissions: []Admission{{Admit: admit}}, Seed: 1})
	offered := 1.5 * 3 / 100
	for i, p := range r.Policies[0].Providers {
		share := []float64{1, 0.5, 0.25}[i]
		within(t, p.Name+" is offered", ratioOf(p.Get("jobs_submitted"), r.Policies[0].Total.Get("jobs_submitted")), share)
		if i == 0 {
			within(t, "the server is used", p.Get("utilization"), 0.75)
			continue
		}
		a := answers[i-1]
		if got, _ := a.Rates(); math.Abs(got-share*offered) > 1e-12 {
			t.Errorf("%s is offered %g in the model, want %g", a.Name, got, share*offered)
		}
		within(t, p.Name+" is used", p.Get("utilization"), float64(a.Utilization))
		within(t, p.Name+" earns", p.Get("revenue_per_second"), float64(a.RevenuePerSecond))
	}
	if q := r.Policies[0].Providers[2].Admit; !(q[0] > 0 && q[0] <= 1) {
		t.Errorf("the third admits %v", q)
	}
}

func ratioOf(a, of Estimate) Estimate {
	return Estimate{Mean: a.Mean / of.Mean, HalfWidth: a.HalfWidth / of.Mean}
}

// TestPolicyForwards: a job that Libra has no room for goes to the next provider,
// and every job is somewhere, once.
func TestPolicyForwards(t *testing.T) {
	s := opened(t, `
server: {nodes: 4}
load: 1.5
simulation: {jobs: 2000, warmup: 0%, replications: 1}
classes: [{name: all, length: {dist: exponential, mean: 100}, price: 10, deadline: {lengths: 3}, max_penalty: 0, expire: never}]
providers: [{name: second, nodes: 2}, {name: third, nodes: 1, policy: qops}]
`)
	list, err := Providers(s)
	if err != nil {
		t.Fatal(err)
	}
	e := under(t, s.Workload, "libra", nil, nil, 1)
	e.Providers = list
	audit := new(simulate.Audit)
	sample, err := e.Run(context.Background(), 0, audit)
	if err != nil || audit.Err() != nil {
		t.Fatal(err, audit.Err())
	}
	p := sample.Providers
	if p[0].Rejected == 0 || p[1].Submitted != p[0].Rejected || p[2].Submitted != p[1].Rejected || p[2].Admitted == 0 || p[2].Rejected != sample.Total.Rejected {
		t.Errorf("providers %+v", p)
	}
	if got := p[0].Admitted + p[1].Admitted + p[2].Admitted; got != sample.Total.Admitted || sample.Total.Submitted != p[0].Submitted {
		t.Errorf("%d admitted, in all %d", got, sample.Total.Admitted)
	}
	completed, _ := metric.Lookup("jobs_completed")
	if o := NewOutcome(e, []Sample{sample}); o.Provider(completed, 2)[0] != float64(p[2].Completed) {
		t.Error("the samples lose a provider")
	}
}

// TestUnforwarded: commands that know one provider say so.
func TestUnforwarded(t *testing.T) {
	s := opened(t, thinned)
	want := "test.yaml:8:12: providers: whatif knows one provider alone; simulate and solve know several"
	growth, err := ParseChange(s, "growth=20%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&WhatIf{Subject: s, Changes: []Change{growth}}).Run(context.Background()); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if s = opened(t, thinned, scenario.Set("load", 1)); len(s.Scenario.Providers) != 2 {
		t.Error("an override loses the providers")
	}
}
