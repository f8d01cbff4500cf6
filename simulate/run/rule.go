package run

import (
	"math"
)

// Rule is a limit on a column of a group of jobs.
type Rule struct {
	Text    string // as people write it
	Group   string
	Column  string
	Unit    string
	Most    bool // the column is at most the limit, not at least
	Limit   float64
	Promise bool // of the scenario; it counts if it is kept at present
}

// Series returns the column of the rule in a row.
func (r Rule) Series(f *Frame, row Case) Series { return f.Series(row, r.Group, r.Column) }

// Excess returns by how much a row breaks the rule, relative to the limit; 0 if it does not.
func (r Rule) Excess(f *Frame, row Case) float64 {
	mean, ok := r.Series(f, row).Mean()
	over := mean - r.Limit
	if !r.Most {
		over = -over
	}
	if !ok || !(over > 0) {
		return 0
	}
	return over / math.Max(math.Abs(r.Limit), 1e-9)
}

// excess returns by how much a row breaks rules.
func excess(f *Frame, rules []Rule, row Case) (sum float64) {
	for _, r := range rules {
		sum += r.Excess(f, row)
	}
	return sum
}

// NotRun returns the share of the jobs of a row that are not completed. Jobs that never ran in a log do not count.
func (f *Frame) NotRun(row Case) float64 {
	share, ok := f.NotCompleted(row).Mean()
	if !ok {
		return 0
	}
	return share
}

// NotCompleted is NotRun by replication.
func (f *Frame) NotCompleted(row Case) Series {
	at := func(column string) Series { return f.Series(row, All, column) }
	due := at(ColumnSubmitted).Less(at(ColumnNeverRan))
	return due.Less(at(ColumnCompleted)).Over(due)
}

// RunsFewer reports whether a row runs a smaller share of its jobs than another one, beyond errors of rounding. Its mean
// wait and slowdown are then those of a part of the jobs.
func (f *Frame) RunsFewer(row, than Case) bool { return f.NotRun(row) > f.NotRun(than)+1e-9 }
