package policy_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// TestPreemptionVectors: those of testdata/vectors.md. On one processor, a soft job
// of 100 s that has 1000 s is joined by a hard one of 10 s, worth 50, that must
// start within 5 s. At a cost of 2 s the soft one gives way, and has 92 or 97 s
// left. Begun anew it has 102 s left. After 10 s the waste, 12 s, would exceed the
// work of the hard job, which lapses.
func TestPreemptionVectors(t *testing.T) {
	for _, test := range []struct {
		mode      policy.PreemptionMode
		at        float64
		soft, end float64 // of the soft and the hard job
	}{
		{policy.NoPreemption, 10, 100, math.NaN()},
		{policy.Suspend, 10, 112, 20},
		{policy.Suspend, 5, 112, 15},
		{policy.Restart, 10, 100, math.NaN()},
		{policy.Restart, 5, 117, 15},
	} {
		soft := simulate.Job{Work: 100, Width: 1, Value: simulate.ByDeadline(100, 1000, 1, false)}
		p := &policy.ValueBF{Future: 0.98, Reservations: 1, Preemption: policy.Preemption{Mode: test.mode, Cost: 2}}
		got := serve(t, p, []simulate.Job{soft, hardJob(test.at, 10, 50, 15)})
		lapsed := math.IsNaN(test.end)
		if got[0].At != test.soft || (got[1].Reason == simulate.Lapsed) != lapsed || !lapsed && got[1].At != test.end {
			t.Errorf("mode %d at %g: %+v, want ends at %g and %g", test.mode, test.at, got, test.soft, test.end)
		}
	}
}

// TestPreemptionOfValue: on random jobs the books are right, more value is
// delivered than without preemption, in all, and never more than is possible,
// which is found for some of them.
func TestPreemptionOfValue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 6))
	var plain, better float64
	for round := range 400 {
		jobs := make([]simulate.Job, 1+rnd.IntN(30))
		at := 0.0
		for i := range jobs {
			at += 5 * rnd.ExpFloat64()
			work := 1 + 20*rnd.ExpFloat64()
			jobs[i] = simulate.Job{Submit: at, Work: work, Width: 1 + rnd.IntN(4), Value: simulate.Value{
				Price: 100 * rnd.Float64(), Due: work * (1 + 5*rnd.Float64()), Decay: 3 * rnd.Float64(), Hard: rnd.IntN(2) == 0, Dated: true,
				Floor: []float64{0, 20, math.Inf(1)}[rnd.IntN(3)],
			}}
			jobs[i].Spec.Details = simulate.Details{Estimate: work * (0.5 + 2*rnd.Float64()), User: rnd.IntN(3)}
		}
		base := policy.ValueBF{Terms: policy.Terms{Exact: rnd.IntN(2) == 0, Kill: rnd.IntN(4) == 0, Predict: rnd.IntN(2) == 0}, Future: 0.98, Reservations: 1 + rnd.IntN(4)}
		if rnd.IntN(3) == 0 {
			base.Future = 0
		}
		run := func(p policy.ValueBF) (sum float64) {
			for _, g := range serveOn(t, 4, &p, jobs) {
				sum += g.Revenue
			}
			return sum
		}
		before := run(base)
		base.Preemption = policy.Preemption{Mode: policy.PreemptionMode(1 + rnd.IntN(2)), Cost: 3 * rnd.Float64()}
		after := run(base)
		plain, better = plain+before, better+after
		if round%8 > 0 {
			continue
		}
		source := policytest.Given(jobs)
		list := policytest.Must(bound.Collect(context.Background(), &source, bound.Whole))
		most := policytest.Must(bound.Clairvoyant(context.Background(), list, bound.Uniform(4), bound.Options{Gap: 0.01}))
		if after > most.Bound*(1+1e-12) {
			t.Errorf("%+v delivers %g of %g", base, after, most.Bound)
		}
	}
	if better <= plain {
		t.Errorf("%g delivered, %g without preemption", better, plain)
	}
}
