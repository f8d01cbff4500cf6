package sweep

import (
	"context"
	"errors"

	"revopt/internal/cells"
	"revopt/simulate/metric"
)

// ValuesOf implements cells.Staged.
func (p *Plan) ValuesOf(cell int) int {
	if p.isFind(cell) {
		return len(p.names)
	}
	return p.Values()
}

// Unit implements cells.Staged. Where a precision is asked for, the cells of a point
// belong together; else those of a row with its search, and rows are numbered by
// their searches, so that these are spread evenly; every other cell is on its
// own.
func (p *Plan) Unit(cell int) int {
	if p.Spec.Precision != nil {
		return p.pointOf(cell)
	}
	if p.isFind(cell) {
		if _, f := p.found(cell); p.searches(f.admission) {
			return cell - p.replications()
		}
		return cell
	}
	c := p.cell(cell)
	if !p.searches(c.admission) {
		return cell
	}
	finder, _ := p.finder(c.point, c.admission, c.policy)
	return finder - p.replications()
}

// Units implements cells.Staged.
func (p *Plan) Units() int {
	if p.Spec.Precision != nil {
		return p.Points()
	}
	return p.Cells()
}

// pointOf returns the point of a cell.
func (p *Plan) pointOf(cell int) int {
	if p.isFind(cell) {
		point, _ := p.found(cell)
		return point
	}
	return cell / p.perPoint()
}

// Progress implements cells.Staged.
func (p *Plan) Progress(shard Shard, workers int, numbers [][]float64) cells.Progress {
	p.recall(numbers)
	var now cells.Progress
	for cell := p.replications(); cell < p.Cells(); cell++ {
		if shard.Has(p.Unit(cell)) {
			now.Add(cell, numbers[cell], false)
		}
	}
	// Few searches share the workers.
	p.helpers = workers / max(1, len(now.Ready))
	for point := range p.Points() {
		if p.Spec.Precision == nil || shard.Has(point) {
			p.progressAt(point, shard, numbers, &now)
		}
	}
	return now
}

// progressAt adds the replications of a point that are wanted as far as is known.
func (p *Plan) progressAt(point int, shard Shard, numbers [][]float64, now *cells.Progress) {
	wanted := p.wanted(point, numbers)
	for row := range p.rowsPerPoint() {
		first := point*p.perPoint() + row*p.Spec.Replications
		c := p.cell(first)
		finder, waits := p.finder(point, c.admission, c.policy)
		waits = waits && p.searches(c.admission) && numbers[finder] == nil
		for cell := first; cell < first+wanted; cell++ {
			if shard.Has(p.Unit(cell)) {
				now.Add(cell, numbers[cell], waits)
			}
		}
	}
}

var errUnfinished = errors.New("not finished")

// wanted returns how many replications of the rows of a point are wanted: as
// many as there are or, where a precision is asked for, those up to the next
// look at the intervals. Every look depends on the replications before it only,
// so that the number they end at is the same however the work is cut up.
func (p *Plan) wanted(point int, numbers [][]float64) int {
	if p.Spec.Precision == nil {
		return p.Spec.Replications
	}
	rule := p.rule()
	n, _, err := p.look(rule, point, numbers)
	if err == nil {
		return n
	}
	next := rule.First
	for next <= n {
		next = min(2*next, rule.Max)
	}
	return next
}

// rule is when replications end.
func (p *Plan) rule() metric.Precision {
	return metric.Precision{Relative: p.Spec.Precision.Relative, First: p.Spec.Precision.Least, Max: p.Spec.Replications}
}

// look applies the rule to what is finished at a point: after how many
// replications it ends, and whether as precise as asked for; or an error and
// after how many replications the first is missing.
func (p *Plan) look(rule metric.Precision, point int, numbers [][]float64) (n int, met bool, err error) {
	rows, met, err := metric.Until(context.Background(), rule, 1, func(_ context.Context, k int) ([]float64, error) {
		return p.watched(point, k, numbers)
	}, func(row []float64) []float64 { return row })
	return len(rows), met, err
}

// watched returns the figure whose precision counts of every row of a point in
// one replication.
func (p *Plan) watched(point, replication int, numbers [][]float64) ([]float64, error) {
	row := make([]float64, p.rowsPerPoint())
	for i := range row {
		x := numbers[point*p.perPoint()+i*p.Spec.Replications+replication]
		if x == nil {
			return nil, errUnfinished
		}
		row[i] = x[p.watch]
	}
	return row, nil
}
