package workload_test

import (
	"math"
	"slices"
	"testing"

	"revopt/simulate/workload"
)

// TestAILike: generated GPU jobs have the widths, the median run times and the mean run
// time that were measured on the 82,247 Philly jobs, and both pools are well used.
func TestAILike(t *testing.T) {
	g := workload.NewAI(400000, 1, 0)
	times := map[float64][]float64{} // by GPUs
	var gpu, seconds, last float64
	var used [3]float64 // unit-seconds by partition
	for r := new(workload.Record); must(g.Next(r)); {
		last = r[workload.SubmitTime]
		used[int(r[workload.Partition])] += r[workload.RunTime] * r[workload.Allocated]
		if r[workload.Partition] == 2 {
			gpu++
			seconds += r[workload.RunTime]
			width := min(r[workload.Allocated], 16)
			times[width] = append(times[width], r[workload.RunTime])
		}
	}
	near := func(what string, got, want, share float64) {
		if math.Abs(got-want) > share*want {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	for _, want := range []struct{ gpus, percent, median float64 }{
		{1, 93.2, 1117}, {2, 2.2, 21}, {4, 2.3, 17410}, {8, 2, 23683}, {16, 0.34, 52548},
	} {
		list := times[want.gpus]
		slices.Sort(list)
		near("percent of jobs", 100*float64(len(list))/gpu, want.percent, 0.1)
		near("median run time", list[len(list)/2], want.median, 0.15)
	}
	near("mean run time", seconds/gpu, 13136, 0.05)
	near("load of the cores", used[1]/last/512, 0.8, 0.1)
	near("load of the GPUs", used[2]/last/64, 0.8, 0.1)
}
