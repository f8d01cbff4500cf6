package metric_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"revopt/simulate"
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
	j.Class, j.Submit, j.Work, j.Width, j.Price, j.Penalty = g.Class, g.Submit, g.Work, g.Width, g.Price, g.Penalty
	j.Decay, j.Chance, j.Expire = g.Decay, g.Chance, g.Expire
	return true, nil
}

// worked serves five jobs on two processors, the first of them in the warm-up,
// and a sixth that comes after the close at 10.
func worked(untilEnd bool) *metric.Tally {
	inf := math.Inf(1)
	source := &trace{
		{Submit: 0, Work: 3, Width: 2, Price: 1000, Expire: inf},                          // 0 to 3
		{Submit: 2, Work: 4, Width: 1, Price: 10, Decay: 2, Penalty: inf, Expire: inf},    // 3 to 7, $8
		{Submit: 4, Work: 8, Width: 1, Price: 20, Class: 1, Expire: inf},                  // 4 to 12, $20
		{Submit: 5, Work: 1, Width: 2, Price: 30, Penalty: 3, Class: 1, Expire: 6},        // expires, -$3
		{Submit: 6, Work: 1, Width: 1, Price: 40, Class: 1, Chance: 0.9, Expire: inf},     // rejected
		{Submit: 11, Work: 1, Width: 1, Price: 5000, Class: 0, Penalty: inf, Expire: inf}, // not measured
	}
	p, err := policy.WithAdmission(policy.NewFCFS(false), []float64{1, 0.5})
	if err != nil {
		panic(err)
	}
	tally := metric.NewTally(2)
	tally.UntilEnd = untilEnd
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{{Processors: 2, Policy: p}},
		Window:    simulate.Window{WarmupTime: 1, Horizon: 10},
		Observers: []simulate.Observer{tally},
	}); err != nil {
		panic(err)
	}
	return tally
}

func TestTally(t *testing.T) {
	tally := worked(false)
	byLot := [simulate.Reasons]int64{simulate.Admission: 1}
	for _, test := range []struct {
		name      string
		got, want metric.Sum
	}{
		{"class 0", tally.Class(0), metric.Sum{
			Submitted: 1, Admitted: 1, Started: 1, Completed: 1, Wait: 1, Slowdown: 1, Worth: 10, Revenue: 8,
			Delivered: 2*2 + 4, Seconds: 9, Capacity: 18, // from 1 s on, the job of the warm-up too
		}},
		{"class 1", tally.Class(1), metric.Sum{
			Submitted: 3, Admitted: 2, Rejected: 1, Reasons: byLot, Started: 1, Completed: 1, Expired: 1, Prompt: 1, Slowdown: 1, Worth: 90, Revenue: 17,
			Delivered: 6, Seconds: 9, Capacity: 18, // until 10 s
		}},
		{"total", tally.Total(), metric.Sum{
			Submitted: 4, Admitted: 3, Rejected: 1, Reasons: byLot, Started: 2, Completed: 2, Expired: 1, Prompt: 1, Wait: 1, Slowdown: 2, Worth: 100, Revenue: 25,
			Delivered: 14, Seconds: 9, Capacity: 18,
		}},
		{"until the end", worked(true).Total(), metric.Sum{
			Submitted: 4, Admitted: 3, Rejected: 1, Reasons: byLot, Started: 2, Completed: 2, Expired: 1, Prompt: 1, Wait: 1, Slowdown: 2, Worth: 100, Revenue: 25,
			Delivered: 17, Seconds: 11, Capacity: 22, // job 5 runs from 11 to 12
		}},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, test.got, test.want)
		}
	}
}

func ExampleFigures() {
	total := worked(false).Total()
	for _, f := range metric.Figures() {
		fmt.Printf("%-22s %.4g\n", f.Name, f.Of(total))
	}
	// Output:
	// revenue_per_second     2.778
	// revenue_per_submitted  6.25
	// revenue_per_job        8.333
	// revenue_per_completed  12.5
	// mean_wait              0.5
	// mean_delay             0.5
	// utilization            0.7778
	// acceptance             0.75
	// expired_share          0.3333
	// mean_bounded_slowdown  1
	// job_qos_satisfaction   0.25
	// utility                25
	// cluster_profitability  0.25
	// jobs_submitted         4
	// jobs_admitted          3
	// jobs_rejected          1
	// jobs_completed         2
	// jobs_expired           1
}

func TestUndefinedFigures(t *testing.T) {
	var none metric.Sum
	for _, name := range []string{"mean_wait", "revenue_per_job", "utilization"} {
		f, ok := metric.Lookup(name)
		if !ok {
			t.Fatalf("no figure %s", name)
		}
		if got := f.Of(none); !math.IsNaN(got) {
			t.Errorf("%s of no job: got %g, want NaN", name, got)
		}
	}
	if _, ok := metric.Lookup("nonsense"); ok {
		t.Error("a figure of no name was found")
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
		if got := tally.Total().Slowdown; math.Abs(got-test.want) > 1e-12 {
			t.Errorf("a wait of %g and a length of %g: got %g, want %g", test.wait, test.length, got, test.want)
		}
	}
}
