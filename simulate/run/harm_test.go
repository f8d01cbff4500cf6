package run

import (
	"math"
	"reflect"
	"testing"

	"revopt/simulate"
)

// TestGroups: bounds are 1/64, 1/16 and 1/4 of the units, rounded down; a group without a width is left out.
func TestGroups(t *testing.T) {
	for units, want := range map[int][][2]int{
		1152: {{1, 18}, {19, 72}, {73, 288}, {289, 1152}},
		128:  {{1, 2}, {3, 8}, {9, 32}, {33, 128}},
		100:  {{1, 1}, {2, 6}, {7, 25}, {26, 100}},
		63:   {{1, 3}, {4, 15}, {16, 63}},
		15:   {{1, 3}, {4, 15}},
		4:    {{1, 1}, {2, 4}},
		3:    {{1, 3}},
	} {
		var got [][2]int
		for _, g := range (Widths{Units: units}).Groups() {
			got = append(got, [2]int{g.From, g.To})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d units: %v, want %v", units, got, want)
		}
	}
}

// TestHarmed takes each rule of harm at its thresholds.
func TestHarmed(t *testing.T) {
	const hour, day = 3600, 86400
	for _, c := range []struct {
		name                    string
		mean, longest, left     Change
		byMean, byLongest, runs bool // runs: by jobs that do not run
	}{
		{name: "nothing changes", mean: Change{hour, hour}, longest: Change{day, day}, left: Change{0.5, 0.5}},
		{name: "mean doubles and grows by an hour", mean: Change{hour, 2 * hour}, byMean: true},
		{name: "mean grows by less than an hour", mean: Change{hour - 1, 2*hour - 2}},
		{name: "mean does not double", mean: Change{hour + 1, 2*hour + 1}},
		{name: "mean from nothing", mean: Change{0, hour}, byMean: true},
		{name: "longest doubles and grows by a day", longest: Change{day, 2 * day}, byLongest: true},
		{name: "longest grows by less than a day", longest: Change{day - 1, 2*day - 2}},
		{name: "longest does not double", longest: Change{day + 1, 2*day + 1}},
		{name: "2 % more do not run", left: Change{0.01, 0.03}, runs: true},
		{name: "less than 2 % more do not run", left: Change{0.01, 0.0299}},
		{name: "nobody started before", mean: Change{math.NaN(), 9 * day}},
	} {
		a := Affected{MeanWait: c.mean, WaitMax: c.longest, NotRun: c.left}
		if a.ByMean() != c.byMean || a.ByLongest() != c.byLongest || a.ByNotRun() != c.runs ||
			a.Harmed() != (c.byMean || c.byLongest || c.runs) {
			t.Errorf("%s: %v %v %v", c.name, a.ByMean(), a.ByLongest(), a.ByNotRun())
		}
	}
}

// TestWorstFirst: of several groups that are harmed the worst is the first.
func TestWorstFirst(t *testing.T) {
	list := []Affected{
		{JobGroup: JobGroup{Name: "a"}, MeanWait: Change{3600, 3 * 3600}},    // 2 hours more
		{JobGroup: JobGroup{Name: "b"}, NotRun: Change{0, 0.3}},              // 15 times the least harm
		{JobGroup: JobGroup{Name: "c"}, MeanWait: Change{7200, 7300}},        // not harmed
		{JobGroup: JobGroup{Name: "d"}, WaitMax: Change{86400, 41 * 86400}},  // 40 days more
		{JobGroup: JobGroup{Name: "e"}, MeanWait: Change{3600, 3600 * 11.5}}, // 10.5 hours more
	}
	var order string
	for _, a := range Harmed(list) {
		order += a.Name
	}
	if order != "dbea" {
		t.Errorf("order %s, want dbea", order)
	}
}

// TestNoAllocation: a group that has seen its longest wait keeps nothing more for a job.
func TestNoAllocation(t *testing.T) {
	l := &jobGroups{Customers: []string{"a"}, Machines: []Widths{{Units: 64}}}
	o := l.Observer([]int{0}, []int{0})
	j := &simulate.Job{Measured: true}
	o.Start(nil, j, 1e6)
	if n := testing.AllocsPerRun(100, func() {
		o.Submit(nil, j, 0)
		o.Start(nil, j, 1000)
	}); n > 0 {
		t.Errorf("%g allocations for a job", n)
	}
}

// TestSuspended: a job of 10 h that starts at once, is suspended and ends after 19 h has waited 9 h. One that runs at
// once to its end has not waited, and one that starts after 2 h and is not interrupted has waited 2 h.
func TestSuspended(t *testing.T) {
	const hour = 3600
	l := &jobGroups{Customers: []string{"a"}, Machines: []Widths{{Units: 64}}}
	o := l.Observer([]int{0}, []int{0})
	run := func(submit, start, work, end float64) {
		j := &simulate.Job{Measured: true, Submit: submit, Start: start, Work: work}
		o.Submit(nil, j, submit)
		o.Start(nil, j, start)
		o.Complete(nil, j, end)
	}
	run(0, 0, 10*hour, 19*hour)
	run(0.1, 0.1, 3*hour, 0.1+3*hour)
	run(hour, 3*hour, hour, 4*hour)
	var r Record
	r.addWaits(l.Groups(), o)
	at := func(column string) float64 { return number(r, Customer("a"), column) }
	if at(servedJobs) != 3 || at(servedWait) != 11*hour/3. || at(servedWaitMax) != 9*hour || at(servedNotRun) != 0 {
		t.Errorf("%+v", r)
	}
	if q := at(servedWait99) / hour; q < 8.96 || q > 9 {
		t.Errorf("99 %% wait at most %g h, want 9", q)
	}
}
