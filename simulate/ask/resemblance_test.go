package ask

import (
	"math"
	"testing"

	"revopt/simulate/run"
)

// waitedJob is a job of a customer with its waits in the log and in a simulation.
func waitedJob(customer string, width string, work, recorded, waited float64) run.Started {
	return run.Started{Customer: customer, Width: width, Work: work, Recorded: recorded, Waited: waited}
}

// threeCustomers are jobs of two customers, and of one with too little work to be looked at.
func threeCustomers() ([]run.Started, []run.JobGroup) {
	jobs := []run.Started{
		waitedJob("a", "width:1-2", 100, 3600, 3600), waitedJob("a", "width:3-8", 100, 7200, 0),
		waitedJob("b", "width:1-2", 100, 600, 1200), waitedJob("b", "width:3-8", 100, 0, math.NaN()),
		waitedJob("c", "width:1-2", 1, 1e6, 1e6),
	}
	groups := []run.JobGroup{{Kind: run.ByCustomer, Name: "a"}, {Kind: run.ByCustomer, Name: "b"},
		{Kind: run.ByCustomer, Name: "c"}, {Kind: run.ByWidth, From: 1, To: 2}, {Kind: run.ByWidth, From: 3, To: 8},
		{Kind: run.ByWidth, From: 9, To: 32}}
	return jobs, groups
}

// TestLikeness works the groups of a small log out by hand.
func TestLikeness(t *testing.T) {
	jobs, groups := threeCustomers()
	list := likeness(jobs, groups, 60)
	names := ""
	for _, l := range list {
		names += " " + l.Kind + ":" + l.Name
	}
	if names != " : customer:a customer:b width:1-2 width:3-8" {
		t.Fatalf("groups%s", names)
	}
	all, a, b := list[0], list[1], list[2]
	if all.Jobs != 4 || a.Jobs != 2 || b.Jobs != 1 {
		t.Errorf("%d, %d and %d jobs, want 4, 2 and 1: one starts in the log alone", all.Jobs, a.Jobs, b.Jobs)
	}
	if a.Recorded != 5400 || a.Simulated != 1800 || a.RecordedMedian != 5400 || a.SimulatedMedian != 1800 {
		t.Errorf("waits of a: %+v", a)
	}
	if a.Earlier != 0.5 || a.Same != 0.5 || a.Later != 0 || b.Later != 1 {
		t.Errorf("starts of a: %+v, of b: %+v", a, b)
	}
	if want := 10800.0 / 1011400; math.Abs(a.RecordedShare-want) > 1e-12 {
		t.Errorf("share of a: %g, want %g", a.RecordedShare, want)
	}
	if got, want := a.Ratio(), 1800.0/5400; got != want {
		t.Errorf("ratio of a: %g, want %g", got, want)
	}
	if got, want := b.Ratio(), 1200.0/600; got != want {
		t.Errorf("ratio of b: %g, want %g", got, want)
	}
	if got, want := distance(list), math.Log(7200.0/600); math.Abs(got-want) > 1e-12 {
		t.Errorf("distance %g, want %g: that of the wide jobs", got, want)
	}
}

// TestResembles tries the limits of what is alike.
func TestResembles(t *testing.T) {
	all := Likeness{Recorded: 10000, Simulated: 10000, RecordedShare: 1, SimulatedShare: 1}
	for _, test := range []struct {
		recorded, simulated, share float64
		want                       bool
	}{
		{10000, 15000, 0.2, true},  // a factor of 1.5
		{10000, 15001, 0.2, false}, // more
		{15001, 10000, 0.2, false}, // likewise
		{0, 600, 0.2, true},        // ten minutes
		{0, 601, 0.2, false},       // more
		{10000, 90000, 0.09, true}, // too little of the waiting to decide
		{10000, 90000, 0.1, false}, // enough
	} {
		group := Likeness{Kind: run.ByCustomer, Recorded: test.recorded, Simulated: test.simulated, SimulatedShare: test.share}
		if got := resembles([]Likeness{all, group}); got != test.want {
			t.Errorf("%+v: resembles %t", test, got)
		}
	}
}
