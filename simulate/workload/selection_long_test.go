//go:build long

package workload

import (
	"context"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
)

// TestLongTrace: a trace that is too long to keep is read anew by every
// replication, and gives the jobs of the file. More of the last jobs than a ring
// holds are those that a ring would hold.
func TestLongTrace(t *testing.T) {
	const jobs = maxKept + 1000
	path := long(t, jobs)
	ctx := context.Background()
	for _, last := range []int64{0, maxRing + 10} {
		s := Selection{File: path, Subset: model.Subset{Last: last}}
		trace := must(Load(ctx, s, 1))
		r := must(Open(path))
		whole := Take(r, s.Subset)
		w := must(NewReplay(ctx, trace, ReplayOptions{}, 1))
		want := int64(jobs)
		if last > 0 {
			want = min(want, last)
		}
		if kept := trace.entries != nil; kept != (want <= maxKept) || trace.Cleaning().Left != want {
			t.Errorf("last %d: %d jobs, want %d, kept %t", last, trace.Cleaning().Left, want, kept)
		}
		for replication := range 2 {
			source := must(w.Jobs(1, replication))
			if replication == 1 {
				r.Close()
				r = must(Open(path))
				whole = Take(r, s.Subset)
			}
			var j simulate.Job
			var rec Record
			first := math.NaN()
			for {
				ok, err := source.Next(&j)
				also, _ := whole.Next(&rec)
				if math.IsNaN(first) {
					first = rec[SubmitTime]
				}
				if err != nil || ok != also || ok && (j.Submit != rec[SubmitTime]-first || j.Work != rec[RunTime]) {
					t.Fatalf("last %d, replication %d: job of %g s at %g, record %v, error %v", last, replication, j.Work, j.Submit, rec, err)
				}
				if !ok {
					break
				}
			}
			source.(*replay).Close()
		}
		r.Close()
	}
}
