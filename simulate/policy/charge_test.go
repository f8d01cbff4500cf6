package policy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// charged runs jobs on so many processors at second prices.
func charged(t *testing.T, name string, processors int, jobs []simulate.Job) []ending {
	t.Helper()
	return audited(t, simulate.Config{
		Observers: []simulate.Observer{new(simulate.Second)},
		Sites:     []simulate.Site{{Processors: processors, Policy: named(t, name, nil)}},
	}, jobs)
}

// TestSecondPriceByHand: one processor, in order of arrival. Job 0 starts alone and
// displaces none that comes to nothing. Job 1 starts at 10 while job 2 waits, whose
// density is 2. Job 2 starts at 20, when job 3, of density 4, can no longer be in
// time; that lapses at 22, so that job 2 has displaced it, and would pay 40 but
// for its worth.
func TestSecondPriceByHand(t *testing.T) {
	jobs := []simulate.Job{hardJob(0, 10, 50, 100), hardJob(1, 10, 30, 100), hardJob(2, 10, 20, 100), hardJob(12, 5, 20, 10)}
	for i, got := range charged(t, "fcfs-bf", 1, jobs) {
		if want := []float64{0, 20, 20, 0}[i]; got.revenue != want {
			t.Errorf("job %d pays %g, want %g", i, got.revenue, want)
		}
	}
}

// TestSecondPriceOfAnyPolicy: what jobs pay is what a look at all pairs of jobs
// says, on dedicated processors and on shared nodes.
func TestSecondPriceOfAnyPolicy(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 15))
	for _, spec := range policy.Standard() {
		if spec.Needs.Optional {
			continue
		}
		paid, free := 0, 0
		jobs := patient(rnd, assorted(rnd, 300, 25))
		list := charged(t, spec.Name, 8, jobs)
		for i, got := range list {
			j := jobs[i]
			if got.kind != simulate.Completed {
				want := 0.0
				if got.kind == simulate.Expired {
					want = -j.Value.Floor
				}
				if got.revenue != want {
					t.Fatalf("%s: job %d: %+v pays, want %g", spec.Name, i, got, want)
				}
				continue
			}
			best := 0.0
			for k, other := range list {
				o := jobs[k]
				waits := o.Submit <= got.start && other.start > got.start && other.wasAccepted || o.Submit <= got.start && !other.wasAccepted && other.at > got.start
				lost := other.kind == simulate.Expired || other.reason == simulate.Deadline || other.reason == simulate.Return || other.reason == simulate.Lapsed
				if k != i && (waits && o.Value.At(got.start+o.Work-o.Submit) > 0 || lost && other.at >= got.start && other.at < got.at) {
					best = max(best, o.Value.At(o.Work)/o.Work/float64(o.Width))
				}
			}
			worth := j.Value.At(got.at - j.Submit)
			if want := min(best*j.Work*float64(j.Width), worth); math.Abs(got.revenue-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%s: job %d pays %g, want %g of %g", spec.Name, i, got.revenue, want, worth)
			}
			if got.revenue > 0 && got.revenue < worth*(1-1e-9) {
				paid++
			} else if got.revenue == 0 {
				free++
			}
		}
		if paid+free < 5 {
			t.Errorf("%s: %d jobs pay less than their worth, %d nothing", spec.Name, paid, free)
		}
	}
}

// TestCharging: the option of every policy for whole jobs says who decides.
func TestCharging(t *testing.T) {
	for _, spec := range policy.Standard() {
		for _, auto := range []simulate.Charging{simulate.ByPolicy, simulate.ByValue} {
			for value, want := range map[string]simulate.Charging{"auto": auto, "value": simulate.ByValue, "posted": simulate.ByPolicy, "second": simulate.ByPolicy} {
				s, err := spec.Resolve(policy.Settings{"charge": value})
				if (err != nil) != spec.Needs.Optional {
					t.Errorf("%s, %s: %v", spec.Name, value, err)
				}
				if got, second := spec.Charging(s, auto); err == nil && (got != want || (second != nil) != (value == "second")) {
					t.Errorf("%s, %s: %v, %v", spec.Name, value, got, second)
				}
			}
		}
		if _, err := spec.Resolve(policy.Settings{"charge": "all"}); err == nil {
			t.Errorf("%s charges all", spec.Name)
		}
	}
}
