package run

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"revopt/simulate/metric"
)

// Frame is the records of some rows: rows x groups x columns x replications. All inference is functions of it.
type Frame struct {
	Level  float64 // of confidence; 0 is metric.DefaultLevel
	Looked bool    // a look at an interval ended the replications, see metric.LookLevel

	rows   map[string]*Runs
	failed map[string]*RunError
}

// Frame runs rows in n replications, as far as the store does not have them. A row whose policy fails has no records.
// After another error, or when the context ends, the frame has the replications that are finished in all rows; it is
// nil if a row cannot be opened.
func (l *Lab) Frame(ctx context.Context, rows []Case, n int) (*Frame, error) {
	return l.frame(ctx, rows, 0, n)
}

// frame is Frame with n replications from one on. Where nothing is random, replication 0 stands for all of them.
func (l *Lab) frame(ctx context.Context, rows []Case, from, n int) (*Frame, error) {
	if len(rows) == 0 {
		return &Frame{}, nil
	}
	list, err := l.want(ctx, rows, from, n)
	if err != nil {
		return nil, err
	}
	failed := &failures{}
	err = l.run(ctx, list, failed)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return l.collect(list, failed), err
}

// collect makes a frame of the replications that are finished in all rows.
func (l *Lab) collect(list []wanted, failed *failures) *Frame {
	f := &Frame{rows: map[string]*Runs{}, failed: failed.rows}
	least := math.MaxInt
	for _, w := range list {
		at := &Runs{once: w.once, spread: w.it.Jobs.Weeks}
		for len(at.records) < w.n {
			r, known := l.Store.get(w.name, w.from+len(at.records))
			if !known {
				break
			}
			at.records = append(at.records, r)
		}
		if failed.rows[w.name] != nil {
			at.records = nil
		} else if !w.once {
			least = min(least, len(at.records))
		}
		f.rows[w.name] = at
	}
	for _, at := range f.rows {
		at.records = at.records[:min(least, len(at.records))]
	}
	return f
}

// Has reports whether a row has a replication.
func (f *Frame) Has(row Case) bool { return len(f.records(row)) > 0 }

// Failed returns the error of the policy of a row, nil if it did not fail.
func (f *Frame) Failed(row Case) *RunError { return f.failed[row.Row()] }

// Failures returns the errors of all policies that failed, sorted by their labels.
func (f *Frame) Failures() []*RunError {
	return slices.SortedFunc(maps.Values(f.failed), func(a, b *RunError) int {
		return cmp.Compare(a.Policy, b.Policy)
	})
}

// N returns how many replications a row has; 1 where nothing is random.
func (f *Frame) N(row Case) int { return len(f.records(row)) }

// Replications returns the largest number of replications of a row.
func (f *Frame) Replications() int {
	most := 0
	for _, at := range f.rows {
		most = max(most, len(at.records))
	}
	return most
}

// Groups returns the groups of a row that some replication has, sorted.
func (f *Frame) Groups(row Case) []string {
	at := f.rows[row.Row()]
	if at == nil {
		return nil
	}
	return at.groups()
}

func (f *Frame) records(row Case) []Record {
	at := f.rows[row.Row()]
	if at == nil {
		return nil
	}
	return at.records
}

// Series returns a column of a group of a row by replication.
func (f *Frame) Series(row Case, group, column string) Series {
	at := f.rows[row.Row()]
	if at == nil {
		return Series{}
	}
	return at.Series(group, column)
}

// Records returns those of a row, by replication; one where nothing is random.
func (f *Frame) Records(row Case) []Record { return f.records(row) }

// Estimate returns the mean of a series with its interval: a range of the spans of a log, else Student's interval,
// which is wider where a look at it ended the replications.
func (f *Frame) Estimate(s Series) metric.Interval {
	level := cmp.Or(f.Level, metric.DefaultLevel)
	if s.spread {
		return metric.Spread(s.values, level)
	}
	wide := level
	if f.Looked {
		wide = metric.LookLevel(level, len(s.values))
	}
	i := metric.Estimate(s.values, wide)
	i.Level = level
	return i
}
