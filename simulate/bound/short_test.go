package bound

import (
	"context"
	"math"
	"testing"

	"revopt/simulate"
)

// A job may be shorter than the steps of the clock at its release. It is served
// all the same, so the bounds must count it in full.
func TestJobsShorterThanTheClock(t *testing.T) {
	never := math.Inf(1)
	tests := []struct {
		name string
		late Lateness
	}{
		{"no loss", Lateness{}},
		{"slow loss", Lateness{After: 1e6, Rate: 1e-3, Most: never}},
		{"loss by the second", Lateness{After: 1e6, Rate: 10, Most: never}},
		{"loss to a floor", Lateness{After: 1e6, Rate: 10, Most: 5}},
	}
	for _, tt := range tests {
		for _, work := range []float64{1e-300, 1e-20, 1e-12, 1e-10, 3e-10} {
			job := Job{Release: 1e6, End: never, Width: 1, Parts: []Part{{Work: work, Value: 5}}, Late: tt.late}
			job.Late.After = widen(job.Late.After)
			for n := 1; n <= 2; n++ {
				jobs := []Job{job, job}[:n]
				want := 5 * float64(n)
				fluid := must(Fluid(jobs, Uniform(2)))
				best := must(Clairvoyant(context.Background(), jobs, Uniform(2), Options{}))
				if math.Abs(fluid-want) > 1e-9 || math.Abs(best.Bound-want) > 1e-9 {
					t.Errorf("%s, %d jobs of %g node-seconds: fluid %g, clairvoyant %g, want %g", tt.name, n, work, fluid, best.Bound, want)
				}
			}
		}
	}
}

// Lengths drawn from a distribution of large variance may be as small as
// numbers can be.
func TestLeastLengths(t *testing.T) {
	for _, length := range []float64{0, math.SmallestNonzeroFloat64, 1e-310, 1e-200, 1e-90} {
		j := simulate.Job{Submit: 1e6, Work: length, Width: 3, Value: simulate.Value{Price: 5, Due: length, Decay: 10, Floor: math.Inf(1)}, Expire: math.Inf(1)}
		best, err := Clairvoyant(context.Background(), []Job{Whole(&j)}, Uniform(4), Options{})
		if err != nil || !(math.Abs(best.Bound-5) <= 1e-9) {
			t.Errorf("a job of %g s: bound %g, %v, want 5", length, best.Bound, err)
		}
	}
}

// Halving stops where the clock has no times left between two events.
func TestSubdivideEnds(t *testing.T) {
	release := 1e6
	end := math.Nextafter(math.Nextafter(release, 2e6), 2e6)
	items := []item{{release: release, end: end, rate: 1, layers: []layer{{1, 1}}, after: release, fall: 1, most: 1}}
	if grid := subdivide(context.Background(), items, []float64{release, end}, 1024); len(grid) != 3 {
		t.Errorf("two steps of the clock make a grid %v", grid)
	}
}

// TestShortAmongLong: work far below the rounding of other flows must not be
// pushed to and fro for ever, nor drown the prices of the rest. Both jobs are
// served at once and lose nothing.
func TestShortAmongLong(t *testing.T) {
	jobs := []Job{
		{Release: 12.5, End: math.Inf(1), Width: 4, Parts: []Part{{Work: 9.8e-18, Value: 10}}, Late: Lateness{After: 62.5, Rate: 10, Most: 10}},
		{Release: 94.2, End: math.Inf(1), Width: 4, Parts: []Part{{Work: 0.0104, Value: 10}}, Late: Lateness{After: 144.2, Rate: 10, Most: 10}},
	}
	r := clairvoyant(t, jobs, Uniform(4), Options{})
	if math.Abs(r.Bound-20) > 1e-6 {
		t.Errorf("bound %g of jobs that pay 20", r.Bound)
	}
}
