package run

import (
	"revopt/internal/text"
)

// Affected returns how groups of jobs are served by a row against another one, and those that are harmed, the worst
// first. Both rows have Detail.Waits.
func (f *Frame) Affected(row, than Case, groups []JobGroup) (all, harmed []Affected) {
	all = compareWaits(groups, f.waits(than, groups), f.waits(row, groups))
	return all, Harmed(all)
}

// waits returns how groups are served by a row, means over replications.
func (f *Frame) waits(row Case, groups []JobGroup) []Waits {
	records := f.records(row)
	return text.Each(groups, func(g JobGroup) Waits {
		name := GroupName(g)
		return meanWaits(text.Each(records, func(r Record) Waits {
			at := func(column string) float64 { return number(r.Part, name, column) }
			return Waits{Jobs: at(servedJobs), MeanWait: at(servedWait), Wait99: at(servedWait99),
				WaitMax: at(servedWaitMax), NotRun: at(servedNotRun)}
		}))
	})
}

// Surcharge returns what each unit-hour of a customer would have to cost more, $, so that a row makes up to the other
// customers for the value that they lose against another row. It is negative if they gain.
func (f *Frame) Surcharge(row, than Case, customer string, others []string) Series {
	groups := text.Each(others, Customer)
	if len(groups) == 0 {
		return Series{}
	}
	lost := f.Sum(than, groups, ColumnValueTotal).Less(f.Sum(row, groups, ColumnValueTotal))
	hours := f.Series(row, Customer(customer), unitHours)
	return lost.Plain().PerMean(hours)
}
