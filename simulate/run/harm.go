package run

import (
	"revopt/internal/text"
	"revopt/simulate/served"
)

// Affected returns how groups of jobs are served by a row against another one, and those that are harmed, the worst
// first. Both rows have Detail.Waits.
func (f *Frame) Affected(row, than Case, groups []served.Group) (all, harmed []served.Affected) {
	all = served.Compare(groups, f.waits(than, groups), f.waits(row, groups))
	return all, served.Harmed(all)
}

// waits returns how groups are served by a row, means over replications.
func (f *Frame) waits(row Case, groups []served.Group) []served.Waits {
	records := f.records(row)
	return text.Each(groups, func(g served.Group) served.Waits {
		name := GroupName(g)
		return served.Mean(text.Each(records, func(r Record) served.Waits {
			at := func(column string) float64 { return number(r.Part, name, column) }
			return served.Waits{Jobs: at(servedJobs), MeanWait: at(servedWait), Wait99: at(servedWait99),
				WaitMax: at(servedWaitMax), NotRun: at(servedNotRun)}
		}))
	})
}
