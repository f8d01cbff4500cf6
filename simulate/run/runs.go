package run

import (
	"maps"
	"math"
	"slices"

	"revopt/internal/text"
)

// Runs is the records of a row, by replication.
type Runs struct {
	records []Record
	once    bool // nothing is random: the record stands for all replications
	spread  bool // replications are spans of a log: intervals are ranges of them
}

// NewRuns returns the replications of an experiment that no case describes, with the numbers of all its groups.
func NewRuns(e *Experiment, samples []Sample) *Runs {
	l := &layout{}
	return &Runs{records: text.Each(samples, func(s Sample) Record {
		return l.record(s, e, Detail{Customers: true})
	})}
}

// Series returns a column of a group by replication.
func (r *Runs) Series(group, column string) Series {
	values := text.Each(r.records, func(r Record) float64 { return number(r, group, column) })
	return Series{values: values, once: r.once, spread: r.spread}
}

// groups returns the groups that some replication has, sorted.
func (r *Runs) groups() []string {
	var list []string
	for _, one := range r.records {
		list = append(list, slices.Collect(maps.Keys(one.Groups))...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// number returns a number of a record, not a number where there is none.
func number(r Record, group, column string) float64 {
	x, ok := r.Get(group, column)
	if !ok {
		return math.NaN()
	}
	return x
}
