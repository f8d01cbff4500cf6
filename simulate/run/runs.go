package run

import (
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Runs is the records of a row, by replication.
type Runs struct {
	records []Record
	once    bool // nothing is random: the record stands for all replications
	spread  bool // replications are spans of a log: intervals are ranges of them
}

// NewRuns returns the replications of an experiment that no case describes, with the numbers of all its groups.
func NewRuns(e *Experiment, samples []Sample) *Runs {
	l := newLayouts()
	return &Runs{records: text.Each(samples, func(s Sample) Record {
		return l.record(s, e, Detail{Customers: true})
	})}
}

// Series returns a column of a group by replication, less what control variates explain of it.
func (r *Runs) Series(group, column string) Series {
	plain := text.Each(r.records, func(r Record) float64 { return number(r.Part, group, column) })
	s := Series{values: plain, plain: plain, once: r.once, spread: r.spread}
	m, measured := Lookup(column)
	if measured && !m.Plain && len(r.records) > 0 && r.records[0].Without != nil {
		s.values = controlled(r.records, group, column, plain)
	}
	return s
}

// groups returns the groups that some replication has, sorted.
func (r *Runs) groups() []string {
	var list []string
	for _, one := range r.records {
		list = append(list, sortedKeys(one.Groups)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// number returns a number of a part, not a number where there is none.
func number(p Part, group, column string) float64 {
	x, ok := p.Get(group, column)
	if !ok {
		return math.NaN()
	}
	return x
}

// controlled returns values less what control variates explain of them.
func controlled(records []Record, group, column string, values []float64) []float64 {
	without, controls := make([][]float64, len(records)), make([]metric.Controls, len(records))
	for i, r := range records {
		controls[i].Whole = r.Controls
		for _, part := range r.Without {
			without[i] = append(without[i], number(part, group, column))
			controls[i].Without = append(controls[i].Without, part.Controls)
		}
	}
	return metric.Controlled(values, without, controls)
}
