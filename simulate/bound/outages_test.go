package bound_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/bound"
	"revopt/simulate/policy/policytest"
)

// TestNoPolicyBeatsTheBoundsWithOutages runs every policy that can on machines with outages:
// jobs that pay anything never pay more than the bounds allow. The bounds are lower than
// those without outages.
func TestNoPolicyBeatsTheBoundsWithOutages(t *testing.T) {
	rnd, options := rand.New(rand.NewPCG(31, 5)), rand.New(rand.NewPCG(31, 5)) // more options leave the jobs alone
	runs, met, lower := 0, 0, 0
	const rounds = 14
	for round := range rounds {
		nodes := 1 + rnd.IntN(8)
		jobs := odd(rnd, nodes, false)
		if round%2 == 1 {
			jobs = drawn(t, rnd, nodes)
		}
		first, last := jobs[0].Submit, jobs[len(jobs)-1].Submit
		var down []simulate.Outage
		for range 1 + rnd.IntN(3) {
			from := first + rnd.Float64()*(last-first+10)
			down = append(down, simulate.Outage{
				From: from, To: from + (last-first+10)*pick(rnd, 0.05, 0.3, 1), Units: 1 + rnd.IntN(nodes),
				Planned: rnd.IntN(2) == 0, Kill: rnd.IntN(3) == 0, Drain: len(down) == 1,
			})
		}
		machine := bound.Uniform(nodes)
		without := limitOf(jobs, machine, bound.Whole)
		machine.Up = bound.Levels(nodes, down)
		most := limitOf(jobs, machine, bound.Whole)
		if most < without*0.98 {
			lower++
		}
		for _, c := range contenders(t, options) {
			p := c.make()
			if _, ok := p.(simulate.Stopper); !ok {
				continue
			}
			source, audit, sums := policytest.Given(jobs), new(simulate.Audit), new(books)
			_, err := simulate.Run(context.Background(), simulate.Config{
				Source: &source, Sites: []simulate.Site{{Processors: nodes, Policy: p}},
				Agents:   []simulate.Agent{&agent.Outages{List: down}},
				Charging: simulate.ByValue, Observers: []simulate.Observer{audit, sums},
			})
			if err != nil || audit.Err() != nil {
				t.Fatalf("round %d, %s: %v, %v", round, c.name, err, audit.Err())
			}
			if !(sums.earned <= most*(1+1e-12)) {
				t.Errorf("round %d, %s on %d nodes with outages %+v: jobs pay %.15g, the bound is %.15g",
					round, c.name, nodes, down, sums.earned, most)
			}
			if runs++; sums.earned > 0 && sums.earned >= 0.99*most {
				met++
			}
		}
	}
	if lower < rounds/3 || runs < 400 || met < 10 {
		t.Errorf("%d runs, %d near the bound, %d bounds of %d lower: too few to tell", runs, met, lower, rounds)
	}
}
