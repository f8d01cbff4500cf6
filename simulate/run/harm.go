package run

import (
	"cmp"
)

// Affected returns how groups of jobs are served by a row against another one, and those that are harmed, the worst
// first. Both rows have Detail.Waits. Groups without jobs are left out.
func (f *Frame) Affected(row, than Case, groups []JobGroup) (all, harmed []Affected) {
	all = []Affected{}
	for _, g := range groups {
		change := func(column string) Change {
			before, _ := f.Series(than, GroupName(g), column).Mean()
			after, _ := f.Series(row, GroupName(g), column).Mean()
			return Change{before, after}
		}
		jobs := change(servedJobs)
		a := Affected{
			JobGroup: g, Jobs: cmp.Or(jobs.Before, jobs.After), MeanWait: change(servedWait),
			Wait99: change(servedWait99), WaitMax: change(servedWaitMax), NotRun: change(servedNotRun),
		}
		if a.Jobs > 0 {
			all = append(all, a)
		}
	}
	return all, Harmed(all)
}
