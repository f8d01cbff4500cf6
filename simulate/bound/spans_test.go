package bound

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// crowds returns jobs that come in crowds, between which the machine has time to spare.
func crowds(seed uint64) (jobs []Job) {
	rnd := rand.New(rand.NewPCG(seed, 5))
	for crowd := range 6 {
		for range 250 {
			length := 20 + 200*rnd.ExpFloat64()
			width := float64(1 + rnd.IntN(8))
			value := length * width * (0.5 + rnd.Float64())
			release := 30_000*float64(crowd) + 8000*rnd.Float64()
			jobs = append(jobs, Job{
				Release: release, End: release + 100_000, Width: width, Parts: []Part{{length * width, value}},
				Late: Lateness{After: release + 2*length, Rate: value / (3000 + 6000*rnd.Float64()), Most: value},
			})
		}
	}
	slices.SortFunc(jobs, func(a, b Job) int { return int(a.Release - b.Release) })
	return jobs
}

// TestSpans: a problem that is solved span by span has a valid bound, which its prices prove, within its gap of a finer
// one, and is the same in whichever order the spans are solved.
func TestSpans(t *testing.T) {
	m := Uniform(16)
	for seed := range uint64(2) {
		jobs, spans := crowds(seed), 0
		coarse := clairvoyant(t, jobs, m, Options{})
		fine := clairvoyant(t, jobs, m, Options{Gap: 0.001})
		backwards := clairvoyant(t, jobs, m, Options{
			Beside: func(ctx context.Context, n int, call func(context.Context, int)) error {
				spans = n
				for i := range n {
					call(ctx, n-1-i)
				}
				return nil
			},
		})
		proven := proved(coarse.Prices, jobs, m)
		switch {
		case spans < 2:
			t.Errorf("seed %d: %d spans", seed, spans)
		case !reflect.DeepEqual(coarse, backwards):
			t.Errorf("seed %d: spans in another order give another result", seed)
		case coarse.Gap > 0.01 || proven != coarse.Bound:
			t.Errorf("seed %d: gap %g, bound %g, its prices prove %g", seed, coarse.Gap, coarse.Bound, proven)
		case coarse.Bound*slack < fine.Feasible || coarse.Feasible > fine.Bound*slack:
			t.Errorf("seed %d: from %g to %g, finer %g to %g", seed, coarse.Feasible, coarse.Bound, fine.Feasible,
				fine.Bound)
		}
	}
}
