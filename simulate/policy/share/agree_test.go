package share_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// crowd returns a short trace of whole numbers, so that much happens at once.
// With blunders estimates are off either way.
func crowd(rnd *rand.Rand, blunders bool) []policytest.Submission {
	jobs := make([]policytest.Submission, 1+rnd.IntN(30))
	at := 0
	for i := range jobs {
		at += rnd.IntN(4)
		runtime := float64(1 + rnd.IntN(10))
		c := policytest.Exact(float64(at), runtime, math.Ceil(runtime*(1+3*rnd.Float64())), math.Ceil(runtime*(1+3*rnd.Float64())), 1+rnd.IntN(4))
		c.Penalty, c.Hard = float64(rnd.IntN(3))/2, rnd.IntN(3) == 0
		if blunders {
			c.Estimate = max(1, runtime+float64(rnd.IntN(7)-4))
			c.Deadline = max(c.Deadline, c.Estimate)
		}
		jobs[i] = c
	}
	return jobs
}

// agree runs random traces under a policy and under its plain rules, with the given
// period of updates and cost of switching, if any.
func agree(t *testing.T, traces int, fresh func() simulate.Policy, r rules, blunders bool, sharing ...float64) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(5, 6))
	for trace := range traces {
		jobs := crowd(rnd, blunders)
		site := simulate.Site{Processors: 3, Policy: fresh()}
		speeds, prices := []float64{1, 1, 1}, []float64(nil)
		if trace%3 == 0 {
			speeds = []float64{1, 2, 0.5}
		}
		if trace%5 == 0 {
			prices = []float64{1, 1.5, 0.75}
		}
		if speeds[1] > 1 || prices != nil {
			for i, s := range speeds {
				m := simulate.Machine{Speed: s}
				if prices != nil {
					m.Price = prices[i]
				}
				site.Machines = append(site.Machines, m)
			}
		}
		got := settleOn(t, site, jobs)
		plain := &farm{jobs: jobs, speeds: speeds, prices: prices, rules: r}
		if sharing != nil {
			plain.update, plain.switching = sharing[0], sharing[1]
		}
		if i, want := differ(got, plain.run()); i >= 0 {
			t.Fatalf("%+v, sharing %v, speeds %v, trace %d: job %d of %+v:\ngot  %+v\nwant %+v",
				r, sharing, speeds, trace, i, jobs, got[i], want)
		}
		for i, g := range got {
			if !blunders && sharing == nil {
				promised(t, jobs[i], g, r)
			}
		}
	}
}

// differ returns the first job that the plain simulator settles in another way, and how; -1
// if there is none.
func differ(got, want settlements) (int, settlement) {
	for i, g := range got {
		w := want[i]
		same := math.Abs(g.finish-w.finish) <= 1e-6 || math.IsNaN(g.finish) && math.IsNaN(w.finish)
		if !same || g.reason != w.reason || math.Abs(g.paid-w.paid) > 1e-6 || !slices.Equal(g.nodes, w.nodes) {
			return i, w
		}
	}
	return -1, settlement{}
}

// TestLibraDollarOverruns: on a machine with several blocks of nodes, jobs beyond their
// estimates leave nodes that jobs with low budgets can pay, beside others that are too
// expensive for them.
func TestLibraDollarOverruns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	var jobs []policytest.Submission
	for i := range 400 {
		c := policytest.Exact(float64(i), float64(1000+rnd.IntN(3000)), 0, 0, 1)
		if i%10 == 0 {
			c.Estimate /= 100
		}
		if c.Deadline, c.Budget = math.Ceil(c.Estimate*(1+rnd.Float64())), 10*c.Estimate; i >= 250 {
			c.Estimate = float64(100 + rnd.IntN(300))
			c.Deadline, c.Budget = 20*c.Estimate, math.Ceil(c.Estimate*(1.4+0.1*rnd.Float64()))
		}
		jobs = append(jobs, c)
	}
	p := policytest.ByName(t, "libra+$", policy.Settings{"free": "remaining", "beta": "0.4"})
	got := settleOn(t, simulate.Site{Processors: 200, Policy: p}, jobs)
	plain := &farm{jobs: jobs, speeds: slices.Repeat([]float64{1}, 200),
		rules: plainLibra{spare: "proportional", dollars: true, alpha: 1, beta: 0.4, free: "remaining"}}
	if i, want := differ(got, plain.run()); i >= 0 {
		t.Errorf("job %d, %+v:\ngot  %+v\nwant %+v", i, jobs[i], got[i], want)
	}
}

// promised checks a job with an exact estimate: under Libra and Libra+$, and with a
// hard deadline under LibraSLA, it is not late; without spare it ends at its deadline.
// A job that is in time pays, within the budget.
func promised(t *testing.T, c policytest.Submission, g settlement, r rules) {
	t.Helper()
	libra, shares := r.(plainLibra) // else it is LibraSLA
	late := g.finish - c.At - c.Deadline
	switch {
	case g.reason != simulate.NoReason:
	case late > 1e-8*c.Deadline && (shares || c.Hard):
		t.Fatalf("%+v: %+v ends at %g", r, c, g.finish)
	case libra.spare == "none" && math.Abs(late) > 1e-8*c.Deadline:
		t.Fatalf("without spare %+v ends at %g", c, g.finish)
	case shares && !(g.paid > 0 && g.paid <= c.Budget*(1+1e-8)):
		t.Fatalf("%+v: %+v pays %g", r, c, g.paid)
	case !shares && g.paid != g.utility:
		t.Fatalf("%+v pays %g and is worth %g", c, g.paid, g.utility)
	}
}

// TestLibraAgainstPlain compares Libra and Libra+$ with the plain simulator.
func TestLibraAgainstPlain(t *testing.T) {
	for _, spare := range []string{"proportional", "equal", "none"} {
		for _, blunders := range []bool{false, true} {
			for _, choice := range []string{"best-fit", "least-loaded"} {
				options := policy.Settings{"choice": choice, "spare": spare}
				agree(t, 40, func() simulate.Policy { return policytest.ByName(t, "libra", options) },
					plainLibra{spare: spare, leastLoaded: choice == "least-loaded"}, blunders)
			}
			for _, free := range []string{"full", "remaining", "window", "nominal"} {
				options := policy.Settings{"free": free, "spare": spare, "beta": "0.4"}
				agree(t, 40, func() simulate.Policy { return policytest.ByName(t, "libra+$", options) },
					plainLibra{spare: spare, dollars: true, alpha: 1, beta: 0.4, free: free}, blunders)
			}
			for _, wish := range []string{"time", "cost"} {
				agree(t, 20, func() simulate.Policy {
					return policytest.ByName(t, "libra", policy.Settings{"optimize": wish, "spare": spare})
				},
					plainLibra{spare: spare, wish: wish}, blunders)
				agree(t, 20, func() simulate.Policy {
					return policytest.ByName(t, "libra+$", policy.Settings{"optimize": wish, "free": "window", "spare": spare, "beta": "0.4"})
				}, plainLibra{spare: spare, dollars: true, alpha: 1, beta: 0.4, free: "window", wish: wish}, blunders)
			}
		}
	}
}

// TestTimeSharingAgainstPlain compares both, with a period of updates and a cost of
// switching, with the plain simulator. A period of 2 ends when jobs arrive.
func TestTimeSharingAgainstPlain(t *testing.T) {
	for _, s := range [][]float64{{1.7, 0}, {0, 0.15}, {2, 0.15}, {7.3, 0.4}} {
		for _, spare := range []string{"proportional", "equal", "none"} {
			for _, blunders := range []bool{false, true} {
				with := func(name, value string) policy.Settings {
					return policy.Settings{name: value, "spare": spare, "update": fmt.Sprint(s[0]), "switching": fmt.Sprint(s[1])}
				}
				for _, choice := range []string{"best-fit", "least-loaded"} {
					agree(t, 6, func() simulate.Policy { return policytest.ByName(t, "libra", with("choice", choice)) },
						plainLibra{spare: spare, leastLoaded: choice == "least-loaded"}, blunders, s...)
				}
				for _, free := range []string{"full", "remaining", "window", "nominal"} {
					agree(t, 6, func() simulate.Policy { return policytest.ByName(t, "libra+$", with("free", free)) },
						plainLibra{spare: spare, dollars: true, alpha: 1, beta: 0.1, free: free}, blunders, s...)
				}
				for _, wish := range []string{"time", "cost"} {
					agree(t, 6, func() simulate.Policy { return policytest.ByName(t, "libra", with("optimize", wish)) },
						plainLibra{spare: spare, wish: wish}, blunders, s...)
					agree(t, 6, func() simulate.Policy { return policytest.ByName(t, "libra+$", with("optimize", wish)) },
						plainLibra{spare: spare, dollars: true, alpha: 1, beta: 0.1, free: "full", wish: wish}, blunders, s...)
				}
			}
		}
	}
}
