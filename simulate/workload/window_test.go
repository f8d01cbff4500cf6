package workload_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate/workload"
)

// TestWindows: the jobs of a replication are jobs in a row of the range, with the times between them, and over many
// replications they begin at every place. The length of a job is its place in the trace and one.
func TestWindows(t *testing.T) {
	const begin, end, window = 100, 130, 12
	path := userTrace(t)
	whole := must(workload.NewReplay(context.Background(),
		must(workload.Load(context.Background(), workload.Selection{File: path}, 1)), workload.ReplayOptions{}, 1))
	all := jobsOf(t, whole, 0)
	trace := must(workload.Load(context.Background(),
		workload.Selection{File: path, Subset: model.Subset{Begin: begin, End: end}}, 1))
	o := workload.ReplayOptions{Delay: 0.5}
	w := must(must(workload.NewReplay(context.Background(), trace, o, 1)).Windows(context.Background(), window))
	if w.Size() != window || !w.Random() {
		t.Errorf("size %g, random %t", w.Size(), w.Random())
	}
	seen := map[int]int{}
	for replication := range 400 {
		jobs := jobsOf(t, w, replication)
		if len(jobs) != window {
			t.Fatalf("%d jobs", len(jobs))
		}
		first := int(jobs[0].Work) - 1
		seen[first]++
		for i, j := range jobs {
			origin := all[first+i]
			submit := o.Delay * (origin.Submit - all[first].Submit)
			if j.Work != origin.Work || j.Width != origin.Width || math.Abs(j.Submit-submit) > 1e-6 {
				t.Fatalf("replication %d, job %d: %+v, want %+v at %g s", replication, i, j, origin, submit)
			}
		}
	}
	for place := begin; place <= end-window; place++ {
		if seen[place] < 5 { // 21 on average
			t.Errorf("%d of 400 windows begin at %d", seen[place], place)
		}
	}
	if len(seen) != end-begin-window+1 {
		t.Errorf("windows begin at %d places", len(seen))
	}
	_, err := w.Windows(context.Background(), end-begin+1)
	if !errors.As(err, new(*workload.Error)) {
		t.Errorf("a window longer than the range: %v", err)
	}
	_, err = w.Resample(context.Background(), workload.Resampling{})
	if !errors.As(err, new(*workload.Error)) {
		t.Errorf("weeks of windows: %v", err)
	}
}
