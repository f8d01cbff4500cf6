package plan

import (
	"context"
	"errors"

	"revopt/simulate/metric"
)

// Stop ends the replications when the interval of a measure is narrow enough in every row.
type Stop struct {
	Measure   metric.Measure
	Precision metric.Precision // its Level is that of the study; a First of 0 is 4 with control variates
}

// defaultFirst and controlledFirst are the First of metric.Precision without and with variates.
const (
	defaultFirst    = 10
	controlledFirst = 4
)

func (x *Execution) setStop() {
	stop := x.Plan.Stop
	if stop == nil {
		return
	}
	x.watched, _ = metric.Lookup(stop.Metric)
	x.first = stop.First
	if x.first > 0 {
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
	rows := x.rowsAt(point)
	stop := metric.Precision{
		Relative: x.Plan.Stop.Relative, Level: x.Plan.Stop.Level, First: x.first, Max: x.Plan.Replications,
	}
	read := func(_ context.Context, k int) ([][]float64, error) {
		list := make([][]float64, len(rows))
		for i, row := range rows {
			cell := x.cell(point, row, k)
			if x.deterministic(point, row, numbers) {
				cell = x.cell(point, row, 0)
			}
			list[i] = numbers[cell]
			if list[i] == nil {
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
