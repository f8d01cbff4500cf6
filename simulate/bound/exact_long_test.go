//go:build long

package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestUnpreemptedExact compares the bounds for whole jobs with the best schedules, by branch and bound, and prints how
// close they are.
func TestUnpreemptedExact(t *testing.T) {
	for _, c := range []struct {
		objective string
		most      int // jobs
		shares    func(t *testing.T, rnd *rand.Rand, most int) (bound, best float64)
		least     float64 // mean share of the optimum
	}{
		{"value", 11, valueExactly, 0.9},
		{"wait", 10, func(t *testing.T, rnd *rand.Rand, most int) (bound, best float64) {
			return delayExactly(t, rnd, most, false)
		}, 0.7},
		{"slowdown", 10, func(t *testing.T, rnd *rand.Rand, most int) (bound, best float64) {
			return delayExactly(t, rnd, most, true)
		}, 0.7},
	} {
		rnd := rand.New(rand.NewPCG(58, 3))
		const instances = 40
		sum, least := 0.0, 1.0
		for range instances {
			bound, best := c.shares(t, rnd, c.most)
			low, high := best, bound
			if c.objective != "value" {
				low, high = bound, best
			}
			if low > high*slack {
				t.Errorf("%s: bound %g, best schedule %g", c.objective, bound, best)
			}
			share := 1.0
			if high > 0 {
				share = low / high
			}
			sum, least = sum+share, math.Min(least, share)
		}
		t.Logf("%s: %d instances, share of the optimum %.1f %% on average, %.1f %% at least", c.objective, instances,
			100*sum/instances, 100*least)
		if sum < c.least*instances {
			t.Errorf("%s: share of the optimum %g on average, expected %g", c.objective, sum/instances, c.least)
		}
	}
}

func valueExactly(t *testing.T, rnd *rand.Rand, most int) (bound, best float64) {
	t.Helper()
	jobs, nodes := wholeSeconds(rnd, 8, most)
	list, m := wholes(jobs), Uniform(nodes)
	u := must(Unpreempted(context.Background(), list, m, clairvoyant(t, list, m, Options{})))
	x := solved(list, m, u.Prices, found(list, m)-1e-9)
	if x.steps < 0 {
		t.Fatalf("%d jobs are too many", len(jobs))
	}
	return u.Bound, x.best
}

// delayExactly is valueExactly for delays: each job is worth so much that all run.
func delayExactly(t *testing.T, rnd *rand.Rand, most int, slowdown bool) (bound, best float64) {
	t.Helper()
	jobs, nodes := wholeSeconds(rnd, 7, most)
	tasks, m := tasksOf(jobs, slowdown), Uniform(nodes)
	relaxed, once := waitsOnce(t, tasks, m)
	last, length, weight := 0.0, 0.0, 0.0
	for _, x := range tasks {
		last, length, weight = math.Max(last, x.Release), length+x.Length, weight+x.Weight
	}
	worth := 2 * weight * (last + length)
	var list []Job
	for _, x := range tasks {
		w := float64(x.Width)
		list = append(list, Job{Release: x.Release, End: math.Inf(1), Width: w, Parts: []Part{{x.Length * w, worth}},
			Late: Lateness{After: x.Release + x.Length + x.Grace, Rate: x.Weight, Most: math.Inf(1)}})
	}
	p := Prices{Times: []float64{0, 1}, Level: []float64{0}}
	if relaxed.relaxed != nil && relaxed.relaxed.times != nil {
		r := newTurns(context.Background(), tasks, m, relaxed.relaxed.times, true)
		r = newTurns(context.Background(), tasks, m, r.evenGrid(), false)
		p = Prices{Times: r.grid, Level: r.solve()[:len(r.grid)-1]}
	}
	all, delay := worth*float64(len(tasks)), delayed(tasks, m)
	x := solved(list, m, p, all-delay)
	if x.steps < 0 {
		t.Fatalf("%d jobs are too many", len(jobs))
	}
	if x.best > all-delay {
		delay = all - x.best
	}
	return once.Bound, delay
}
