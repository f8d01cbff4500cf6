package policy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// serve runs jobs on one processor, each paying its value, under audit.
func serve(t *testing.T, p simulate.Policy, jobs []simulate.Job) []policytest.Ending {
	t.Helper()
	return serveOn(t, 1, p, jobs)
}

// serveOn is serve for so many processors.
func serveOn(t *testing.T, processors int, p simulate.Policy, jobs []simulate.Job) []policytest.Ending {
	t.Helper()
	return policytest.Audited(t, simulate.Config{
		Charging: simulate.ByValue, Sites: []simulate.Site{{Processors: processors, Policy: p}},
	}, jobs)
}

// hardJob returns a job of one processor with a hard deadline.
func hardJob(at, work, price, due float64) simulate.Job {
	return simulate.Job{Submit: at, Work: work, Width: 1, Value: simulate.ByDeadline(price, due, 0, true)}
}

// TestValueBFLooksAhead: at 10 the first job ends. The second is worth twice as
// much as the third and can wait until 91, the third until 11. By value density
// the second starts and the third lapses; with an eye to the future both are in
// time.
func TestValueBFLooksAhead(t *testing.T) {
	jobs := []simulate.Job{hardJob(0, 10, 10, 10), hardJob(1, 10, 100, 100), hardJob(2, 10, 50, 19)}
	for _, test := range []struct {
		future float64
		start  []float64
		lapsed bool
	}{{0, []float64{0, 10, 0}, true}, {0.98, []float64{0, 20, 10}, false}} {
		got := serve(t, &policy.ValueBF{Future: test.future, Reservations: 1}, jobs)
		for i, g := range got {
			if lapsed := g.Reason == simulate.Lapsed; lapsed != (test.lapsed && i == 2) || !lapsed && g.Start != test.start[i] {
				t.Errorf("future %g: job %d: %+v, want a start at %g", test.future, i, g, test.start[i])
			}
		}
	}
}

// TestFirstPriceOptimal: of jobs of one length and one decay that come together
// to one processor, value density chooses the best in the best order. Every
// order of every choice is tried.
func TestFirstPriceOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 15))
	for range 200 {
		n, length, decay := 1+random.IntN(6), 1+9*random.Float64(), random.Float64()
		jobs := make([]simulate.Job, n)
		for i := range jobs {
			price := 20 * random.Float64()
			jobs[i] = simulate.Job{Work: length, Width: 1, Value: simulate.Value{Price: price, Due: length, Decay: decay, Floor: math.Inf(1)}}
		}
		var earned float64
		for _, g := range serve(t, &policy.ValueBF{Reservations: 1}, jobs) {
			earned += g.Revenue
		}
		var best func(used, place int) float64
		best = func(used, place int) float64 {
			var most float64
			for i := range jobs {
				if used&(1<<i) == 0 {
					most = max(most, jobs[i].Value.At(float64(place+1)*length)+best(used|1<<i, place+1))
				}
			}
			return most
		}
		if want := best(0, 0); math.Abs(earned-want) > 1e-9*(1+want) {
			t.Errorf("%d jobs earn %g, the best order %g", n, earned, want)
		}
	}
}

// TestValueBFKeepsUnpaid: a job that pays nothing from the start is served when
// nothing else waits.
func TestValueBFKeepsUnpaid(t *testing.T) {
	jobs := []simulate.Job{hardJob(0, 10, 10, 10), {Submit: 1, Work: 5, Width: 1}, hardJob(2, 10, 50, 100)}
	got := serve(t, &policy.ValueBF{Future: 0.98, Reservations: 1}, jobs)
	if got[1].Kind != simulate.Completed || got[1].Start != 20 {
		t.Errorf("the job that pays nothing: %+v, want a start at 20", got[1])
	}
}
