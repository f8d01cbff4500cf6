package run

import (
	"cmp"
	"slices"
)

// Change is a number before and after a change.
type Change struct {
	Before float64
	After  float64
}

// Affected is how a group of jobs is served before and after a change, means over replications. Waits are in s, over
// the jobs that started.
type Affected struct {
	JobGroup
	Jobs     float64 // before; after, if there are none before
	MeanWait Change
	Wait99   Change
	WaitMax  Change
	NotRun   Change // share of submitted jobs that never start
}

// The growth from which a change harms a group.
const (
	leastMean    = 3600  // s, of the mean wait, which also at least doubles
	leastLongest = 86400 // s, of the longest wait, likewise
	LeastNotRun  = 0.02  // of the share of jobs that do not run
)

// rounding is the error of a share that does not count.
const rounding = 1e-9

// ByMean reports whether the mean wait at least doubles and grows by an hour or more.
func (a Affected) ByMean() bool { return a.MeanWait.doubles(leastMean) }

// ByLongest reports whether the longest wait at least doubles and grows by a day or more.
func (a Affected) ByLongest() bool { return a.WaitMax.doubles(leastLongest) }

// ByNotRun reports whether the share of jobs that never start grows by LeastNotRun or more.
func (a Affected) ByNotRun() bool { return a.NotRun.growth() >= LeastNotRun-rounding }

// Harmed reports whether the change harms the group.
func (a Affected) Harmed() bool { return a.ByMean() || a.ByLongest() || a.ByNotRun() }

func (c Change) growth() float64 { return c.After - c.Before }

// doubles reports whether a number at least doubles and grows by a least amount. A number that is not known, as no job
// started, does not.
func (c Change) doubles(least float64) bool { return c.After >= 2*c.Before && c.growth() >= least }

// severity is the sum of the growths that harm the group, each in units of the least growth that does; 0 if none does.
func (a Affected) severity() float64 {
	sum := 0.0
	if a.ByMean() {
		sum += a.MeanWait.growth() / leastMean
	}
	if a.ByLongest() {
		sum += a.WaitMax.growth() / leastLongest
	}
	if a.ByNotRun() {
		sum += a.NotRun.growth() / LeastNotRun
	}
	return sum
}

// Harmed returns the groups that a change harms, the worst first: by the sum of the growths that harm them, each in
// units of the least growth that does.
func Harmed(list []Affected) []Affected {
	harmed := []Affected{}
	for _, a := range list {
		if a.Harmed() {
			harmed = append(harmed, a)
		}
	}
	slices.SortStableFunc(harmed, func(a, b Affected) int { return cmp.Compare(b.severity(), a.severity()) })
	return harmed
}
