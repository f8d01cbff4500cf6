package policy_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
)

// tape is an observer that writes down prices and stays.
type tape struct {
	prices, runs [2]string // by site
	paid         map[int64]float64
}

func (x *tape) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Priced:
		x.prices[e.Site.Index()] += fmt.Sprintf(" %g@%g", e.Site.Policy().(simulate.Seller).Price(), e.Time)
	case simulate.Started, simulate.Resumed, simulate.Preempted, simulate.Completed:
		sign := "+"
		if e.Kind == simulate.Preempted || e.Kind == simulate.Completed {
			sign = "-"
		}
		x.runs[e.Site.Index()] += fmt.Sprintf(" %s%d@%g", sign, e.Job.ID, e.Time)
		x.paid[e.Job.ID] = e.Job.Revenue
	}
}

// traded runs jobs at a market on the given number of processors.
func traded(t *testing.T, processors int, s policy.Settings, jobs []policytest.Submission) *tape {
	t.Helper()
	x := &tape{paid: map[int64]float64{}}
	policytest.Execute(t, processors, policytest.ByName(t, "spot", s), jobs, x)
	return x
}

// expect compares prices, stays and payments with those worked out by hand.
func expect(t *testing.T, x *tape, prices, runs string, paid ...float64) {
	t.Helper()
	if got := strings.TrimSpace(x.prices[0]); got != prices {
		t.Errorf("prices are %s, want %s", got, prices)
	}
	if got := strings.TrimSpace(x.runs[0]); got != runs {
		t.Errorf("jobs run %s, want %s", got, runs)
	}
	for i, want := range paid {
		if got := x.paid[int64(i)]; math.Abs(got-want) > 1e-9 {
			t.Errorf("job %d pays %g, want %g", i, got, want)
		}
	}
}

// fiveBids are jobs that bid 2, 1, 3, 2.5 and 0.5 for each of 4 processors and second.
func fiveBids() []policytest.Submission {
	return []policytest.Submission{
		{At: 0, Runtime: 10, Estimate: 10, Width: 2, Budget: 40}, {At: 0, Runtime: 10, Estimate: 10, Width: 2, Budget: 20},
		{At: 2, Runtime: 4, Estimate: 4, Width: 2, Budget: 24}, {At: 3, Runtime: 5, Estimate: 5, Width: 4, Budget: 50},
		{At: 4, Runtime: 3, Estimate: 3, Width: 1, Budget: 1.5},
	}
}

// TestSpotByHand: job 2 takes the processors of job 1, the lowest bid, which then sets the price. At 3 job 3
// needs all 4 processors and can take only those of job 0: it waits, and the price is the bid of job 0. At 6 it
// takes them. At 11 jobs 0 and 1 resume, and job 4, which waits, sets the price until it starts at 15.
func TestSpotByHand(t *testing.T) {
	const runs = "+0@0 +1@0 -1@2 +2@2 -2@6 -0@6 +3@6 -3@11 +0@11 +1@11 -0@15 +4@15 -4@18 -1@19"
	expect(t, traded(t, 4, nil, fiveBids()), "1@2 2@3 0.5@11 0@15", runs, 18, 4, 14, 40, 0)

	// A price per job of half the value at the end halves the most that it pays, and a hard job
	// that is late pays nothing: job 3 would end in time by 5, job 2 in 4.
	late := fiveBids()
	late[0].Deadline, late[0].Penalty = 5, 3.5 // worth 5 at 15
	late[3].Deadline, late[3].Hard = 7, true
	late[2].Deadline, late[2].Hard = 4, true
	expect(t, traded(t, 4, nil, late), "1@2 2@3 0.5@11 0@15", runs, 5, 4, 14, 0, 0)

	// With 5 s of protection, jobs 0 and 1 run until 5.
	expect(t, traded(t, 4, policy.Settings{"minimum": "5"}, fiveBids()), "1@2 2@5 0.5@14 0@15",
		"+0@0 +1@0 -1@5 +2@5 -2@9 -0@9 +3@9 -3@14 +0@14 +1@14 -0@15 +4@15 -4@18 -1@19", 23, 7, 16, 40, 0)

	// Without preemption job 2 waits for its turn. At 10 job 3 does not fit beside it, and job 4 starts before it,
	// the lowest bid that runs until 13.
	expect(t, traded(t, 4, policy.Settings{"preempt": "none"}, fiveBids()), "1@2 0.5@10 2.5@13 0@14",
		"+0@0 +1@0 -0@10 -1@10 +2@10 +4@10 -4@13 -2@14 +3@14 -3@19", 16, 16, 8, 0, 1.5)

	// Job 2 needs 3 processors: those of job 0, the lowest bid, are not enough, and with those of job 1 not needed.
	expect(t, traded(t, 4, nil, []policytest.Submission{
		{At: 0, Runtime: 4, Estimate: 4, Width: 1, Budget: 4}, {At: 0, Runtime: 2, Estimate: 2, Width: 3, Budget: 12},
		{At: 1, Runtime: 2, Estimate: 2, Width: 3, Budget: 54},
	}), "1@1 0@3", "+1@0 +0@0 -1@1 +2@1 -2@3 +1@3 -0@4 -1@4", 2, 0, 6)

	// The estimates are half the run times: bids double. A job that restarts runs for 10 s again.
	wrong := fiveBids()[:3]
	for i := range wrong {
		wrong[i].Estimate /= 2
	}
	expect(t, traded(t, 4, policy.Settings{"preempt": "restart"}, wrong), "2@2 0@6",
		"+0@0 +1@0 -1@2 +2@2 -2@6 +1@6 -0@10 -1@16", 16, 0, 16)
	expect(t, traded(t, 4, policy.Settings{"overrun": "kill"}, wrong), "2@2 0@4",
		"+0@0 +1@0 -1@2 +2@2 -2@4 +1@4 -0@5 -1@7", 0, 0, 0)
}

// TestSpotStarvesNone: jobs of 6 s on one of 2 processors come every 3 s, so that one is always protected. A
// higher bid for both, which comes at 1, lets them start for 10 s. Then it keeps a processor, and starts at 15.
func TestSpotStarvesNone(t *testing.T) {
	jobs := []policytest.Submission{{At: 0, Runtime: 6, Estimate: 6, Width: 1, Budget: 6}, {At: 1, Runtime: 2, Estimate: 2, Width: 2, Budget: 36}}
	for i := 1; i < 20; i++ {
		jobs = append(jobs, policytest.Submission{At: 3 * float64(i), Runtime: 6, Estimate: 6, Width: 1, Budget: 6})
	}
	x := traded(t, 2, policy.Settings{"minimum": "10"}, jobs)
	if !strings.Contains(x.runs[0], "+1@15 -1@17") {
		t.Errorf("jobs run %s", x.runs[0])
	}
	if again := traded(t, 2, policy.Settings{"minimum": "0"}, jobs); !strings.Contains(again.runs[0], "-0@1 +1@1") {
		t.Errorf("without protection jobs run %s", again.runs[0])
	}
}

// TestSpotPools: every pool has a price of its own. The bids of customers replace values.
func TestSpotPools(t *testing.T) {
	jobs := policytest.Submitted(append(fiveBids(), policytest.Submission{Class: 1, At: 5, Runtime: 4, Estimate: 4, Width: 4, Budget: 80},
		policytest.Submission{Class: 1, At: 6, Runtime: 4, Estimate: 4, Width: 1, Budget: 4}))
	x := &tape{paid: map[int64]float64{}}
	spec := policytest.Must(policy.Lookup(catalog.Standard(), "spot"))
	policies := policytest.Built(t, spec, policy.Context{Processors: []int{4, 4}, Bids: []float64{0, 0.25}})
	policytest.Audited(t, simulate.Config{
		Sites:  []simulate.Site{{Processors: 4, Policy: policies[0]}, {Processors: 4, Policy: policies[1]}},
		Router: &agent.Pools{Site: []int{0, 1}}, Observers: []simulate.Observer{x},
	}, jobs)
	expect(t, x, "1@2 2@3 0.5@11 0@15", "+0@0 +1@0 -1@2 +2@2 -2@6 -0@6 +3@6 -3@11 +0@11 +1@11 -0@15 +4@15 -4@18 -1@19",
		18, 4, 14, 40, 0, 3, 0)
	if x.prices[1] != " 0.25@6 0@9" {
		t.Errorf("prices of the other pool are%s", x.prices[1])
	}
}

// TestSpotAllocates: a run five times as long allocates no more.
func TestSpotAllocates(t *testing.T) {
	jobs := policytest.Assorted(rand.New(rand.NewPCG(6, 34)), 40_000, 90)
	count := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		source := policytest.Given(jobs[:n])
		policytest.Must(simulate.Run(t.Context(), simulate.Config{
			Source: &source, Sites: []simulate.Site{{Processors: 8, Policy: policytest.ByName(t, "spot", policy.Settings{"minimum": "20"})}},
		}))
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	if less, more := count(8_000), count(40_000); more > less+100 {
		t.Errorf("%d objects for 8,000 jobs, %d for 40,000", less, more)
	}
}
