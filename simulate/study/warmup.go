package study

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// pilotRuns is how many replications of each row look for the warm-up.
const pilotRuns = 5

// runWarmup finds the warm-up that all rows of a point need: the largest over the
// rows of the median over pilot runs of MSER-5, and half a run at most. The pilot
// runs have random numbers of their own, so that the measured replications do not
// depend on the choice.
func (x *Execution) runWarmup(ctx context.Context, index int, at *point) ([]float64, error) {
	list := slices.Repeat([]float64{0}, x.ValuesOf(x.finderCell(index, len(x.finders)-1)))
	stream, ok := at.workload.(*workload.Classes)
	if !ok {
		return list, nil
	}
	length := stream.Length()
	length.WarmupFraction, length.WarmupSeconds = 0, 0
	bare := stream.WithLength(length)
	half := int64(bare.Size() / 2)
	rows := x.Plan.RowsAt(index)
	type pilot struct {
		jobs int64
		ok   bool
	}
	found, err := metric.Replicate(ctx, 0, pilotRuns*len(rows), x.helpers, func(ctx context.Context, k int) (pilot, error) {
		row := rows[k/pilotRuns]
		a, err := x.admit(ctx, index, at, row)
		if err != nil {
			return pilot{}, err
		}
		try := at.experiment(row, a)
		try.Workload, try.Seed = bare, derived(try.Seed, "pilot")
		var watch metric.Pilot
		if _, err := try.Run(ctx, k%pilotRuns, &watch); err != nil {
			return pilot{}, err
		}
		jobs, ok := watch.Warmup()
		if !ok {
			jobs = half
		}
		return pilot{min(jobs, half), ok && jobs <= half}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("pilot runs for the warm-up: %w", err)
	}
	most := pilot{ok: true}
	for runs := range slices.Chunk(found, pilotRuns) {
		slices.SortFunc(runs, func(a, b pilot) int { return cmp.Compare(a.jobs, b.jobs) })
		median := runs[pilotRuns/2]
		most.jobs, most.ok = max(most.jobs, median.jobs), most.ok && median.ok
	}
	x.mu.Lock()
	x.warmups[index] = most.jobs
	x.mu.Unlock()
	list[0], list[1] = float64(most.jobs), flag(most.ok)
	return list, nil
}
