package run

import (
	"context"
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Saved is a row of a frame in a file.
type Saved struct {
	Case    Case     `json:"case"`
	Once    bool     `json:"once,omitempty"`   // nothing is random: the record stands for all replications
	Looked  bool     `json:"looked,omitempty"` // see Frame.Looked
	Jobs    string   `json:"jobs"`             // equal where replication k of two rows has the same jobs and window
	Records []Record `json:"records"`          // by replication
}

// Save returns rows of a frame for a file.
func (l *Lab) Save(ctx context.Context, f *Frame, rows []Case) ([]Saved, error) {
	var list []Saved
	for _, row := range rows {
		point, err := l.point(ctx, row)
		if err != nil {
			return nil, err
		}
		at := f.rows[row.Row()]
		jobs := fmt.Sprintf("%s %+v", jobsSum(point.workload, row.Seed), point.workload.Window())
		list = append(list, Saved{row, at.once, f.Looked && !at.once, jobs, at.records})
	}
	return list, nil
}

// Restore returns the frame of saved rows.
func Restore(list []Saved, level float64) *Frame {
	f := &Frame{Level: level, rows: map[string]*Runs{}}
	for _, s := range list {
		f.Looked = f.Looked || s.Looked
		f.rows[s.Case.Row()] = &Runs{records: s.Records, once: s.Once, spread: s.Case.Jobs.Weeks}
	}
	return f
}

// Apart returns the interval of the difference of two series whose replications have nothing in common: the range of
// all differences where replications are spans of a log. A number that stands for all replications is a constant.
func (f *Frame) Apart(a, b Series) metric.Interval {
	if a.once || b.once {
		return f.Estimate(a.Less(b))
	}
	level := f.Level
	if a.spread || b.spread {
		var all []float64
		for _, x := range b.values {
			all = append(all, text.Each(a.values, func(y float64) float64 { return y - x })...)
		}
		return metric.Spread(all, level)
	}
	if f.Looked {
		level = metric.LookLevel(level, min(len(a.values), len(b.values)))
	}
	i := metric.Welch(b.values, a.values, level)
	i.Level = f.Level
	return i
}

// Groups returns the groups of the records of a row, in the order of their names.
func (s Saved) Groups() []string {
	names := map[string]bool{}
	for _, r := range s.Records {
		for name := range r.Groups {
			names[name] = true
		}
	}
	return sortedKeys(names)
}
