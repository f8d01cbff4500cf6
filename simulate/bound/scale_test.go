package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// load is a workload for a machine of 128 nodes.
type load struct {
	name string
	jobs []Job
}

// cases are workloads of so many jobs.
func cases(n int) []load {
	var list []load
	for _, delay := range []float64{1, 0.25, 0.02} {
		list = append(list,
			load{fmt.Sprintf("hard, delay %g", delay), wholes(sp2(n, delay, 0, 1))},
			load{fmt.Sprintf("soft, delay %g", delay), wholes(sp2(n, delay, 0.8, 1))})
	}
	for _, x := range []float64{0.5, 1, 5} {
		list = append(list, load{fmt.Sprintf("class, load %g", x), classJobs(n, x, 128, 1)})
	}
	return list
}

// checkGap is the promise of the package: a gap of at most one per cent.
func checkGap(t *testing.T, c load) {
	t.Helper()
	r := clairvoyant(t, c.jobs, Uniform(128), Options{})
	fluid := packed(c.jobs, Uniform(128))
	t.Logf("%s: bound %.6g, gap %.2g, exact %v, %d cells, fluid %.6g", c.name, r.Bound, r.Gap, r.Exact, r.Cells, fluid)
	if r.Gap > 0.01 {
		t.Errorf("%s: gap %g", c.name, r.Gap)
	}
	if r.Bound > fluid*slack {
		t.Errorf("%s: bound %g above fluid %g", c.name, r.Bound, fluid)
	}
}

func TestGapOfManyJobs(t *testing.T) {
	for _, c := range []load{
		{"hard", wholes(sp2(1000, 0.02, 0, 1))},
		{"soft", wholes(sp2(1000, 0.25, 0.8, 1))},
		{"class", classJobs(1000, 2, 128, 1)},
	} {
		checkGap(t, c)
	}
}

// TestGapOfFewJobs: a coarse grid that happens to close the gap no more than the one before is not the last.
func TestGapOfFewJobs(t *testing.T) {
	for _, seed := range []uint64{64, 208} {
		rnd := rand.New(rand.NewPCG(seed, 3))
		jobs, nodes, now := make([]Job, 10+rnd.IntN(90)), []int{1, 2, 8, 32}[rnd.IntN(4)], 0.0
		for i := range jobs {
			if rnd.Float64() < 0.3 {
				now += 15_000 * rnd.ExpFloat64()
			}
			length, width := math.Min(60_000, math.Exp(6.5+1.6*rnd.NormFloat64())), float64(1+rnd.IntN(nodes))
			work, value := length*width, length*width/3600
			jobs[i] = Job{Release: now, End: math.Inf(1), Width: width, Parts: []Part{{work, value}}}
			if rnd.Float64() < 0.6 {
				hourly := []float64{0.01, 0.04, 0.25, 2}[rnd.IntN(4)]
				jobs[i].Late = Lateness{After: now + length, Rate: value * hourly / 3600, Most: value}
			}
		}
		r := clairvoyant(t, jobs, Uniform(nodes), Options{})
		if r.Gap > 0.01 {
			t.Errorf("seed %d: gap %g", seed, r.Gap)
		}
	}
}
