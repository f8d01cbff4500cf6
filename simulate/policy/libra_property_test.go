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
	return named(t, first, options)
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
