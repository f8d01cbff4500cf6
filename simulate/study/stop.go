package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Stop ends the replications of a study when the interval of a measure is narrow
// enough in every row.
type Stop struct {
	Measure   metric.Measure
	Precision metric.Precision // its Level is that of the study; a First of 0 is 4 with control variates
}

// defaultFirst is the First of metric.Precision, and controlledFirst that where all
// rows have control variates.
const (
	defaultFirst    = 10
	controlledFirst = 4
)

// setStop completes the stop rule.
func (x *Execution) setStop() {
	stop := x.Plan.Stop
	if stop == nil {
		return
	}
	x.watched, _ = metric.Lookup(stop.Metric)
	if x.first = stop.First; x.first > 0 {
		return
	}
	x.first = defaultFirst
	if x.columns.controls && !x.mixed {
		x.first = controlledFirst
	}
	x.first = min(x.first, x.Plan.Replications)
}

// wanted returns how many replications of the rows of a point are wanted: as many as
// there are or, with a Stop, those up to the next look at the intervals. Every look
// depends on the replications before it only, so that their number is the same however
// the work is cut up.
func (x *Execution) wanted(point int, numbers [][]float64) int {
	if x.Plan.Stop == nil {
		return x.Plan.Replications
	}
	n, _, err := x.look(point, numbers)
	if err == nil {
		return n
	}
	next := x.first
	for next <= n {
		next = min(2*next, x.Plan.Replications)
	}
	return next
}

var errUnfinished = errors.New("not finished")

// look applies the stop rule to what is finished at a point. It returns after how
// many replications the point ends, and whether it is as precise as asked for; or an
// error and after how many replications the first is missing.
func (x *Execution) look(point int, numbers [][]float64) (n int, met bool, err error) {
	rows := x.Plan.RowsAt(point)
	stop := metric.Precision{
		Relative: x.Plan.Stop.Relative, Level: x.Plan.Stop.Level, First: x.first, Max: x.Plan.Replications,
	}
	read := func(_ context.Context, k int) ([][]float64, error) {
		list := make([][]float64, len(rows))
		for i, row := range rows {
			cell := x.cell(point, row, k)
			if x.once(point, row, numbers) {
				cell = x.cell(point, row, 0)
			}
			if list[i] = numbers[cell]; list[i] == nil {
				return nil, errUnfinished
			}
		}
		return list, nil
	}
	finished, met, err := metric.Until(context.Background(), stop, 1, read, func(finished [][][]float64) [][]float64 {
		list := make([][]float64, len(rows))
		for i := range rows {
			o := Outcome{columns: x.columns}
			for _, row := range finished {
				o.numbers = append(o.numbers, row[i])
			}
			list[i] = o.Values(x.watched, -1)
		}
		return list
	})
	return len(finished), met, err
}

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
