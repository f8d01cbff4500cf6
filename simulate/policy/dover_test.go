package policy_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/policy/preempt"
)

// TestDOverByHand: one processor, k = 4. A runs from 0 and can wait for 10 s in
// all. B is due first and preempts it at 2; C is due before B, which can wait for
// 4 s and not for 5. At 4 C must start: 5 is less than 3 (4 + 20), so it lapses. B
// ends at 6. D preempts A at 7, and leaves no time. E is due before D and must
// start at 9: 500 is more than 3 (100 + 20). D, with 4 s left, must start then as
// well, is worth too little and is given up. A has 7 s left when E ends at 12.
func TestDOverByHand(t *testing.T) {
	jobs := []simulate.Job{hardJob(0, 10, 20, 20), hardJob(2, 4, 4, 8), hardJob(3, 5, 5, 6), hardJob(7, 6, 100, 6), hardJob(8, 3, 500, 4)}
	want := []policytest.Ending{
		{Kind: simulate.Completed, Start: 0, At: 19, Revenue: 20},
		{Kind: simulate.Completed, Start: 2, At: 6, Revenue: 4},
		{Kind: simulate.Rejected, Reason: simulate.Lapsed, At: 4},
		{Kind: simulate.Expired, Start: 7, At: 9},
		{Kind: simulate.Completed, Start: 9, At: 12, Revenue: 500},
	}
	for i, got := range serve(t, &preempt.DOver{K: 4}, jobs) {
		if w := want[i]; got.Kind != w.Kind || got.Reason != w.Reason || got.Start != w.Start || got.At != w.At || got.Revenue != w.Revenue {
			t.Errorf("job %d: %+v, want %+v", i, got, w)
		}
	}
}

// possible returns the value of the best set of jobs that can all be in time on
// one processor, and whether that is all of them. The preemptive schedule by
// earliest deadline finds out for each set.
func possible(jobs []simulate.Job) (best float64, all bool) {
	left := make([]float64, len(jobs))
	for set := range uint(1) << len(jobs) {
		value, now := 0.0, 0.0
		for i, j := range jobs {
			left[i] = 0
			if set>>i&1 == 1 {
				value += j.Value.Price
				left[i] = j.Work
			}
		}
		if value <= best {
			continue
		}
		for feasible := true; feasible; {
			run, next := -1, math.Inf(1)
			for i, j := range jobs {
				switch {
				case left[i] == 0:
				case j.Submit > now:
					next = math.Min(next, j.Submit)
				case run < 0 || j.Deadline() < jobs[run].Deadline():
					run = i
				}
			}
			if run < 0 && math.IsInf(next, 1) {
				best, all = value, bits.OnesCount(set) == len(jobs)
				break
			}
			if run < 0 {
				now = next
				continue
			}
			step := math.Min(left[run], next-now)
			now += step
			left[run] -= step
			feasible = left[run] > 0 || now <= jobs[run].Deadline()
		}
	}
	return best, all
}

// TestDOverGuarantee: on one processor the jobs in time are worth at least
// 1/(1 + sqrt k)^2 of the best that exhaustive search finds, k being the ratio of
// value densities, and all where all can be in time: Koren and Shasha (1995).
func TestDOverGuarantee(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 15))
	worst, full, short := math.Inf(1), 0, 0
	for round := range 2000 {
		jobs := make([]simulate.Job, 2+rnd.IntN(8))
		at, dear, gap, lax := 0.0, float64(int(1)<<rnd.IntN(8)), 1+rnd.IntN(12), 1+rnd.IntN(12)
		least, most := math.Inf(1), 0.0
		for i := range jobs {
			at += float64(rnd.IntN(gap))
			work := float64(1 + rnd.IntN(10))
			density := 1 + (dear-1)*rnd.Float64()*rnd.Float64()
			least, most = math.Min(least, density), math.Max(most, density)
			jobs[i] = hardJob(at, work, density*work, work+float64(rnd.IntN(lax)))
		}
		k := most / least
		best, all := possible(jobs)
		got := 0.0
		for _, e := range serve(t, &preempt.DOver{K: k}, jobs) {
			got += e.Revenue
		}
		share := got / best * (1 + math.Sqrt(k)) * (1 + math.Sqrt(k))
		worst = math.Min(worst, share)
		if share < 1-1e-9 || all && got < best*(1-1e-9) || got > best*(1+1e-9) {
			t.Fatalf("round %d: value %g of %g, all in time: %t, k = %g, %d jobs", round, got, best, all, k, len(jobs))
		}
		if all {
			full++
		} else if got < best*(1-1e-9) {
			short++
		}
	}
	t.Logf("%d workloads with all jobs in time, %d below the best; the least value is %.3f times the guarantee", full, short, worst)
	if full < 200 || short < 200 {
		t.Error("too few to tell")
	}
}
