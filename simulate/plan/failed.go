package plan

import (
	"errors"
	"slices"

	"revopt/internal/cells"
	"revopt/internal/memo"
	"revopt/simulate/run"
)

// failures are the rows of a partial plan whose policies have failed.
type failures struct {
	on   bool                  // a policy that fails does not end the work
	rows map[int]*run.RunError // by row, the first replication that failed; locked by Execution.mu
}

// fail notes the error of a replication. If the plan can do without the row, the error is cells.ErrLeftOut.
func (x *Execution) fail(row int, err error) error {
	var failed *run.RunError
	if !x.failed.on || !errors.As(err, &failed) {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if first := x.failed.rows[row]; first == nil || failed.Replication < first.Replication {
		if x.failed.rows == nil {
			x.failed.rows = map[int]*run.RunError{}
		}
		x.failed.rows[row] = failed
	}
	return cells.ErrLeftOut
}

// lost reports whether the policy of a row has failed.
func (x *Execution) lost(row int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed.rows[row] != nil
}

// rowsAt returns the rows at a point whose policies have not failed.
func (x *Execution) rowsAt(point int) []int {
	return slices.DeleteFunc(slices.Clone(x.Plan.RowsAt(point)), x.lost)
}

// leaveOut removes the rows whose policies have failed from the plan, and their numbers. It returns their
// errors, and the places in the plan, before, of the rows that are left.
func (x *Execution) leaveOut(all *cells.Results) (list []*run.RunError, left []int) {
	type kept struct {
		at      place
		numbers []float64
	}
	var numbers []kept
	rows, renumbered := []Row{}, map[int]int{}
	for row, given := range x.Plan.Rows {
		if err := x.failed.rows[row]; err != nil {
			list = append(list, err)
			continue
		}
		renumbered[row] = len(rows)
		rows = append(rows, given)
		left = append(left, row)
	}
	for cell, values := range all.Numbers {
		at := x.place(cell)
		if at.kind == finderCell { // any row that uses the admission
			at.row = slices.IndexFunc(left, func(row int) bool { return x.finderOf[row] == at.finder })
			if at.row >= 0 {
				at.row = left[at.row]
			}
		}
		if _, ok := renumbered[at.row]; values != nil && (ok || at.kind == boundCell) {
			numbers = append(numbers, kept{at, values})
		}
	}
	x.Plan.Rows = rows
	x.finders = nil
	x.listFinders()
	x.failed.rows = nil
	x.points = memo.Memo[int, *point]{} // these have policies by row
	x.admits = memo.Memo[int, run.Gate]{}
	all.Numbers = make([][]float64, x.Cells())
	for _, k := range numbers {
		row := renumbered[k.at.row]
		cell := x.boundCell(k.at.point, k.at.replication)
		switch k.at.kind {
		case replicationCell:
			cell = x.cell(k.at.point, row, k.at.replication)
		case finderCell:
			cell = x.finderCell(k.at.point, x.finderOf[row])
		}
		all.Numbers[cell] = k.numbers
	}
	return list, left
}

// Failed returns the errors of the policies that were left out, nil if there are none.
func (s *Samples) Failed() error {
	var list []error
	for _, err := range s.failed {
		list = append(list, err)
	}
	return errors.Join(list...)
}

// Failures returns the errors of Failed one by one.
func (s *Samples) Failures() []*run.RunError { return s.failed }

// Given returns the place that a row had in the plan before policies that failed were left out.
func (s *Samples) Given(row int) int {
	if s.left == nil {
		return row
	}
	return s.left[row]
}
