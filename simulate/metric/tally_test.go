package metric_test

import (
	"context"
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// trace is a source of given jobs.
type trace []simulate.Job

func (s *trace) Next(j *simulate.Job) (bool, error) {
	if len(*s) == 0 {
		return false, nil
	}
	g := (*s)[0]
	*s = (*s)[1:]
	j.Class, j.Submit, j.Work, j.Width, j.Value, j.Chance = g.Class, g.Submit, g.Work, g.Width, g.Value, g.Chance
	j.Expire, j.Void, j.Killed, j.Spec = g.Expire, g.Void, g.Killed, g.Spec
	return true, nil
}

// worked serves five jobs on two processors, the first of them in the warm-up,
// and a sixth that comes after the close at 10.
func worked(untilEnd bool) *metric.Tally {
	inf := math.Inf(1)
	price := func(price float64) simulate.Value { return simulate.Value{Price: price} }
	source := &trace{
		{Submit: 0, Work: 3, Width: 2, Value: price(1000)},                                              // 0 to 3
		{Submit: 2, Work: 4, Width: 1, Value: simulate.Value{Price: 10, Due: 4, Decay: 2, Floor: inf}},  // 3 to 7, $8
		{Submit: 4, Work: 8, Width: 1, Value: price(20), Class: 1, Expire: inf},                         // 4 to 12, $20
		{Submit: 5, Work: 1, Width: 2, Value: simulate.Value{Price: 30, Floor: 3}, Class: 1, Expire: 6}, // expires, -$3
		{Submit: 6, Work: 1, Width: 1, Value: price(40), Class: 1, Chance: 0.9},                         // rejected
		{Submit: 11, Work: 1, Width: 1, Value: price(5000)},                                             // not measured
	}
	tally := metric.NewTally(2)
	tally.UntilEnd = untilEnd
	tally.Within[0] = 1
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{{Processors: 2, Policy: policy.NewFCFS(false)}},
		Admission: agent.Lottery{1, 0.5}, Charging: simulate.ByValue,
		Window:    simulate.Window{WarmupTime: 1, Horizon: 10},
		Observers: []simulate.Observer{tally},
	}); err != nil {
		panic(err)
	}
	return tally
}

func TestTally(t *testing.T) {
	tally := worked(false)
	byLot := [simulate.Reasons]int64{simulate.Refused: 1}
	for _, test := range []struct {
		name      string
		got, want metric.Sum
	}{
		{"class 0", tally.Class(0), metric.Sum{
			Submitted: 1, Admitted: 1, Started: 1, Completed: 1, Ended: 1, Promised: 1, PromisedAdmitted: 1, Punctual: 1,
			Wait: 1, Waited: 1, Response: 5, Slowdown: 1.25, BoundedSlowdown: 1, Offered: 10, Revenue: 8, Profit: 8, Value: 8,
			Waits:     [3]float64{1 + 1./256, 1 + 1./256, 1 + 1./256},          // the middle of the cell of 1
			Delivered: 2*2 + 4, Seconds: 9, Span: 9, Capacity: 18, Makespan: 5, // from 1 s on, the job of the warm-up too
		}},
		{"class 1", tally.Class(1), metric.Sum{
			Submitted: 3, Admitted: 2, Rejected: 1, Reasons: byLot, Started: 1, Completed: 1, Ended: 1, Expired: 1,
			Response: 8, Slowdown: 1, BoundedSlowdown: 1, Offered: 90, Revenue: 17, Profit: 20, Value: 17,
			Delivered: 6, Seconds: 9, Span: 9, Capacity: 18, Makespan: 8, // until 10 s
		}},
		{"total", tally.Total(), metric.Sum{
			Submitted: 4, Admitted: 3, Rejected: 1, Reasons: byLot, Started: 2, Completed: 2, Ended: 2, Expired: 1,
			Promised: 1, PromisedAdmitted: 1, Punctual: 1,
			Wait: 1, Waited: 1, Response: 13, Slowdown: 2.25, BoundedSlowdown: 2, Offered: 100, Revenue: 25, Profit: 28, Value: 25,
			Waits:     [3]float64{0, 1 + 1./256, 1 + 1./256},
			Delivered: 14, Seconds: 9, Span: 9, Capacity: 18, Makespan: 10,
		}},
		{"until the end", worked(true).Total(), metric.Sum{
			Submitted: 4, Admitted: 3, Rejected: 1, Reasons: byLot, Started: 2, Completed: 2, Ended: 2, Expired: 1,
			Promised: 1, PromisedAdmitted: 1, Punctual: 1,
			Wait: 1, Waited: 1, Response: 13, Slowdown: 2.25, BoundedSlowdown: 2, Offered: 100, Revenue: 25, Profit: 28, Value: 25,
			Waits:     [3]float64{0, 1 + 1./256, 1 + 1./256},
			Delivered: 17, Seconds: 11, Span: 4, Capacity: 22, Makespan: 10, // job 5 runs from 11 to 12; submissions from 2 to 6
		}},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, test.got, test.want)
		}
	}
}

// TestBoundedSlowdown: a job of 1 s counts as one of 10 s, and none below 1.
func TestBoundedSlowdown(t *testing.T) {
	for _, test := range []struct{ wait, length, want float64 }{
		{0, 100, 1}, {100, 100, 2}, {99, 1, 10}, {5, 1, 1}, {0, 0, 1},
	} {
		var j simulate.Job
		j.Submit, j.Start, j.Work, j.Measured = 7, 7+test.wait, test.length, true
		tally := metric.NewTally(1)
		tally.Observe(simulate.Event{Kind: simulate.Completed, Time: j.Start + test.length, Job: &j})
		if got := tally.Total().BoundedSlowdown; math.Abs(got-test.want) > 1e-12 {
			t.Errorf("a wait of %g and a length of %g: got %g, want %g", test.wait, test.length, got, test.want)
		}
	}
}

// TestPromise: a promise is on the response less the length, kept to the
// second; rounding of the clock does not break it, a refused job counts as not kept
// among those submitted, one that is given up also among those let in, and a killed one
// was promised a start as any other.
func TestPromise(t *testing.T) {
	tally := metric.NewTally(2)
	tally.Within = []float64{5, 0}
	see := func(kind simulate.Kind, at float64, j simulate.Job) {
		j.Measured = true
		tally.Observe(simulate.Event{Kind: kind, Time: at, Job: &j})
	}
	for _, test := range []struct {
		class      int
		wait, work float64
		killed     bool
	}{
		{0, 0, 10, false}, {0, 5, 10, false}, {0, 5 + 1e-3, 10, false}, {0, 0, 10, true}, // three of four
		{1, 0, 0.1, false}, {1, 0, 0.7, false}, {1, 1e-3, 0.1, false}, // two of three
	} {
		j := simulate.Job{Class: test.class, Submit: 1e7 + 0.1, Work: test.work, Killed: test.killed}
		see(simulate.Submitted, j.Submit, j)
		see(simulate.Admitted, j.Submit, j)
		see(simulate.Completed, j.Submit+test.wait+test.work, j)
	}
	see(simulate.Submitted, 1, simulate.Job{})
	see(simulate.Rejected, 1, simulate.Job{})
	see(simulate.Submitted, 1, simulate.Job{Class: 1})
	tally.Observe(simulate.Event{Kind: simulate.Rejected, Reason: simulate.Lapsed, Job: &simulate.Job{Class: 1, Measured: true}})
	kept, _ := metric.Lookup("promise_kept")
	admitted, _ := metric.Lookup("promise_kept_of_admitted")
	for i, want := range [][2]float64{{3. / 5, 3. / 4}, {2. / 4, 2. / 3}, {5. / 9, 5. / 7}} {
		sum := tally.Total()
		if i < 2 {
			sum = tally.Class(i)
		}
		if got := [2]float64{kept.Of(sum), admitted.Of(sum)}; got != want {
			t.Errorf("%d: %v of the promises are kept, want %v", i, got, want)
		}
	}
	unpromised := metric.NewTally(1)
	if got := kept.Of(unpromised.Total()); !math.IsNaN(got) {
		t.Errorf("%g of no promises are kept", got)
	}
}

// TestMakespan: two customers submit jobs of 20 s to one processor at 5 s. A customer without jobs has no makespan.
func TestMakespan(t *testing.T) {
	jobs := make([]simulate.Job, 4)
	for i := range jobs {
		jobs[i] = simulate.Job{Submit: 5, Work: 20, Width: 1, Class: min(i, 1)}
	}
	tally := metric.NewTally(3)
	tally.UntilEnd = true
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source: simulate.Slice(jobs), Observers: []simulate.Observer{tally},
		Sites: []simulate.Site{{Processors: 1, Policy: policy.NewFCFS(false)}},
	}); err != nil {
		t.Fatal(err)
	}
	makespan, _ := metric.Lookup("makespan")
	for i, want := range []float64{20, 80, math.NaN()} {
		if got := makespan.Of(tally.Class(i)); got != want && !math.IsNaN(got+want) {
			t.Errorf("customer %d: %g, want %g", i, got, want)
		}
	}
	if got := makespan.Of(tally.Total()); got != 80 {
		t.Errorf("all: %g, want 80", got)
	}
}
