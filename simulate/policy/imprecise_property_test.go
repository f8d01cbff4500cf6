package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// randomImprecise returns jobs with budget functions of every kind.
func randomImprecise(rng *rand.Rand, n int) []simulate.Job {
	var jobs []simulate.Job
	at := 0.0
	for range n {
		at += 200 * rng.ExpFloat64()
		m, o := 1e5+9e5*rng.Float64(), 2e6*rng.Float64()
		var bonus simulate.Bonus
		switch rng.IntN(3) {
		case 0:
			bonus = simulate.Linear(0.001 * rng.Float64())
		case 1:
			bonus = simulate.Concave{Top: 1000 * rng.Float64(), Length: o, Exponent: 0.5}
		case 2:
			bonus = simulate.Steps{{At: o / 4, Amount: 300 * rng.Float64()}, {At: o, Amount: 500 * rng.Float64()}}
		}
		j := icJob(at, m, o, at+m/1000+4000*rng.Float64(), m/1000, bonus)
		j.Width = 1 + rng.IntN(6)
		j.Work = m + o
		jobs = append(jobs, j)
	}
	return jobs
}

// TestImpreciseRandom runs random jobs, more parts than processors among them,
// under both audits: what is accepted is paid at least its mandatory budget.
func TestImpreciseRandom(t *testing.T) {
	for seed := range uint64(6) {
		for s := range Scheme(len(Schemes())) {
			jobs := randomImprecise(rand.New(rand.NewPCG(seed, 5)), 200)
			o := runImprecise(t, s, []int{1, 3, 4}, append([]simulate.Job(nil), jobs...))
			if len(o.paid)+len(o.reason) != len(jobs) {
				t.Fatalf("seed %d, %s: %d paid, %d rejected of %d", seed, Schemes()[s], len(o.paid), len(o.reason), len(jobs))
			}
			for id, paid := range o.paid {
				j := jobs[id]
				if least := float64(j.Width) * j.Spec.Imprecise.Reward; paid < least*(1-1e-9) {
					t.Errorf("seed %d, %s: job %d pays %g, less than %g", seed, Schemes()[s], id, paid, least)
				}
				if due := j.Deadline(); o.finish[id] > due*(1+1e-12) {
					t.Errorf("seed %d, %s: job %d ends at %g, due %g", seed, Schemes()[s], id, o.finish[id], due)
				}
			}
		}
	}
}

// TestBrokerTakesTheFirstOfEqualSites and says why it takes none.
func TestBrokerTakesTheFirstOfEqualSites(t *testing.T) {
	var sites []int
	see := observe(func(e simulate.Event) {
		if e.Kind == simulate.Admitted {
			sites = append(sites, e.Site.Index())
		}
	})
	jobs := []simulate.Job{
		icJob(0, 1e6, 1e6, 3000, 1000, simulate.Linear(0.0005)),
		icJob(500, 1e6, 1e6, 2600, 1000, simulate.Linear(0.0002)),
		icJob(600, 1e6, 0, 1500, 1000, simulate.Linear(0)),
		icJob(700, 1.5e6, 0, 2700, 1, simulate.Linear(0)), // would cost the first 250,
	}
	o := runImprecise(t, MandatoryHBF, []int{1, 1}, jobs, see)
	if len(sites) != 2 || sites[0] != 0 || sites[1] != 1 {
		t.Errorf("sites %v, want the first, then the idle one", sites)
	}
	if o.reason[2] != simulate.Deadline || o.reason[3] != simulate.Return {
		t.Errorf("reasons %v, want deadline for job 2 and return for job 3", o.reason)
	}
}

type observe func(simulate.Event)

func (f observe) Observe(e simulate.Event) { f(e) }

func TestBonusNeverFalls(t *testing.T) {
	for _, b := range []simulate.Bonus{
		simulate.Linear(2), simulate.Concave{Top: 10, Length: 5, Exponent: 0.5}, simulate.Steps{{At: 1, Amount: 3}, {At: 4, Amount: 1}},
	} {
		last := math.Inf(-1)
		for l := 0.0; l <= 5; l += 0.25 {
			if b.Of(l) < last {
				t.Errorf("%T falls to %g at %g", b, b.Of(l), l)
			}
			last = b.Of(l)
		}
	}
	if got := (simulate.Steps{{At: 1, Amount: 3}, {At: 4, Amount: 1}}).Of(4); got != 4 {
		t.Errorf("steps pay %g, want 4", got)
	}
	if got := (simulate.Concave{Top: 10, Length: 4, Exponent: 0.5}).Of(1); got != 5 {
		t.Errorf("concave pays %g, want 5", got)
	}
}
