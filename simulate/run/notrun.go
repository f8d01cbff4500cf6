package run

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
