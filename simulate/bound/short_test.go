package bound

import (
	"context"
	"math"
	"testing"
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
				fluid := packed(jobs, Uniform(2))
				best := must(Clairvoyant(context.Background(), jobs, Uniform(2), Options{}))
				if math.Abs(fluid-want) > 1e-9 || math.Abs(best.Bound-want) > 1e-9 {
					t.Errorf("%s, %d jobs of %g node-seconds: fluid %g, clairvoyant %g, want %g", tt.name, n, work, fluid, best.Bound, want)
				}
			}
		}
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
