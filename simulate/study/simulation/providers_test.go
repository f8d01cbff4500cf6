package simulation

import (
	"context"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
)

// TestLossChain: jobs of exponential length that go to the first provider with a
// free processor see one loss system after the other, so that of three providers
// the first k lose what Erlang's formula says of all their processors together.
func TestLossChain(t *testing.T) {
	r := run(t, &Simulation{Subject: fixture.Opened(t, `
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

// TestThinnedChain: lots leave Poisson streams, so that every provider is a queue
// of its own: solve, which thins, and the simulation agree, and the lots of one
// provider say nothing of those of the next.
func TestThinnedChain(t *testing.T) {
	s := fixture.Opened(t, fixture.Thinned)
	admit := []float64{0.5, 0.5}
	answers, err := analytic.SolveChain(context.Background(), s, admit)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, &Simulation{Subject: s, Policies: fixture.Named(t, "hol"), Admissions: []experiment.Admission{{Admit: admit}}, Seed: 1})
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
			t.Errorf("%s is offered %g in the model, want %g", p.Name, got, share*offered)
		}
		within(t, p.Name+" is used", p.Get("utilization"), float64(a.Utilization))
		within(t, p.Name+" earns", p.Get("revenue_per_second"), float64(a.RevenuePerSecond))
	}
	if q := r.Policies[0].Providers[2].Admit; !(q[0] > 0 && q[0] <= 1) {
		t.Errorf("the third admits %v", q)
	}
}
