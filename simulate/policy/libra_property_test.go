package policy_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// drawContracts draws a small workload with exact estimates.
func drawContracts(t *rapid.T, nodes int) []contract {
	jobs := make([]contract, rapid.IntRange(1, 30).Draw(t, "jobs"))
	at := 0.0
	for i := range jobs {
		at += rapid.SampledFrom([]float64{0, 0, 0.1, 1, 2.5, 10}).Draw(t, "gap")
		runtime := rapid.Float64Range(0.1, 20).Draw(t, "runtime")
		c := exact(at, runtime, runtime*rapid.Float64Range(1, 8).Draw(t, "deadline"), runtime*rapid.Float64Range(1, 8).Draw(t, "budget"), rapid.IntRange(1, nodes).Draw(t, "width"))
		c.penalty = rapid.Float64Range(0, 2).Draw(t, "penalty")
		c.hard = rapid.Bool().Draw(t, "hard")
		jobs[i] = c
	}
	return jobs
}

// variants are the policies with all their options.
func variants() map[string]policy.Settings {
	all := map[string]policy.Settings{"libra-sla": nil}
	for _, spare := range []string{"proportional", "equal", "none"} {
		for _, choice := range []string{"best-fit", "least-loaded"} {
			all["libra "+choice+" "+spare] = policy.Settings{"choice": choice, "spare": spare}
		}
		for _, free := range []string{"full", "remaining"} {
			all["libra+$ "+free+" "+spare] = policy.Settings{"free": free, "spare": spare}
		}
	}
	return all
}

// variant returns the policy of that name.
func variant(t testing.TB, name string, options policy.Settings) simulate.Policy {
	var first string
	fmt.Sscan(name, &first)
	return tableau(t, first, options)
}

// each checks a property of every policy with all its options.
func each(t *testing.T, property func(t *testing.T, r *rapid.T, name string, options policy.Settings)) {
	for name, options := range variants() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) { property(t, r, name, options) })
		})
	}
}

// TestNeverLate: with exact estimates no job of Libra or Libra+$, and no job of
// LibraSLA with a hard deadline, is late; without spare every job ends at its
// deadline. A job that is in time pays, within the budget.
func TestNeverLate(t *testing.T) {
	each(t, func(t *testing.T, r *rapid.T, name string, options policy.Settings) {
		jobs := drawContracts(r, 4)
		for i, g := range settle(t, 4, variant(t, name, options), jobs) {
			if g.reason != simulate.NoReason {
				continue
			}
			due := jobs[i].at + jobs[i].deadline
			late := g.finish > due+1e-8*jobs[i].deadline
			switch {
			case late && (name != "libra-sla" || jobs[i].hard):
				r.Fatalf("job %d, due at %g, ends at %g", i, due, g.finish)
			case options["spare"] == "none" && math.Abs(g.finish-due) > 1e-8*jobs[i].deadline:
				r.Fatalf("without spare job %d ends at %g, due at %g", i, g.finish, due)
			case name != "libra-sla" && !(g.paid > 0 && g.paid <= jobs[i].budget*(1+1e-8)):
				r.Fatalf("job %d pays %g of %g", i, g.paid, jobs[i].budget)
			case name == "libra-sla" && g.paid != g.utility:
				r.Fatalf("job %d pays %g and is worth %g", i, g.paid, g.utility)
			}
		}
	})
}

// TestScale: times, budgets and delta times k make finishes and costs times k.
func TestScale(t *testing.T) {
	each(t, func(t *testing.T, r *rapid.T, name string, options policy.Settings) {
		jobs := drawContracts(r, 4)
		k := rapid.Float64Range(0.01, 1000).Draw(r, "k")
		var large []contract
		for _, c := range jobs {
			c.at, c.runtime, c.estimate, c.deadline, c.budget = k*c.at, k*c.runtime, k*c.estimate, k*c.deadline, k*c.budget
			large = append(large, c)
		}
		scaled := policy.Settings{}
		for option, value := range options {
			scaled[option] = value
		}
		if _, ok := options["choice"]; ok {
			scaled["delta"] = fmt.Sprint(k)
		}
		got := settle(t, 4, variant(t, name, scaled), large)
		for i, g := range settle(t, 4, variant(t, name, options), jobs) {
			same := math.Abs(got[i].finish-k*g.finish) <= 1e-7*k*(1+g.finish) || math.IsNaN(got[i].finish) && math.IsNaN(g.finish)
			if !same || got[i].reason != g.reason || math.Abs(got[i].paid-k*g.paid) > 1e-6*k*(1+math.Abs(g.paid)) {
				r.Fatalf("k = %g: job %d: %+v, with k = 1 %+v", k, i, got[i], g)
			}
		}
	})
}

// TestEmptyNode: in a fixed state, one more node that is empty never turns an
// acceptance into a rejection. The node has too little memory for all jobs but
// the last, which needs none, so the state is the same with it.
func TestEmptyNode(t *testing.T) {
	each(t, func(t *testing.T, r *rapid.T, name string, options policy.Settings) {
		jobs := drawContracts(r, 3)
		for i := range jobs {
			jobs[i].memory = 1
		}
		last := len(jobs) - 1
		jobs[last].memory = 0
		machines := []simulate.Machine{{Speed: 1}, {Speed: 1}, {Speed: 1}, {Speed: 1, Memory: 0.5}}
		run := func(nodes int) settlement {
			site := simulate.Site{Processors: nodes, Policy: variant(t, name, options), Machines: machines[:nodes]}
			return settleOn(t, site, jobs)[last]
		}
		if before, after := run(3), run(4); before.reason == simulate.NoReason && after.reason != simulate.NoReason {
			r.Fatalf("accepted with three nodes, rejected for %v with an empty fourth", after.reason)
		}
	})
}
