package simulate_test

import (
	"context"
	"fmt"
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// printer is an observer that prints starts and ends.
type printer struct{}

func (printer) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Started, simulate.Completed, simulate.Expired:
		fmt.Printf("%4.1f  job %d %v, $%g\n", e.Time, e.Job.ID, e.Kind, e.Job.Revenue)
	}
}

// Three jobs on one processor. The last is the most urgent and overtakes the
// second, which loses its patience.
func ExampleRun() {
	jobs := []simulate.Job{
		{Submit: 0, Work: 5, Width: 1, Value: worth(10, 0, 0, 0, 5), Expire: math.Inf(1)},
		{Submit: 1, Work: 5, Width: 1, Value: worth(10, 2, 0, 1, 5), Expire: 6.5},
		{Submit: 2, Work: 4, Width: 1, Value: worth(20, 1, 0, 1, 4), Expire: 23, Rank: 1},
	}
	_, err := simulate.Run(context.Background(), simulate.Config{
		Source:    &list{jobs: jobs},
		Sites:     []simulate.Site{{Processors: 1, Policy: policy.NewHOL(false)}},
		Charging:  simulate.ByValue,
		Observers: []simulate.Observer{printer{}},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	//  0.0  job 0 started, $0
	//  5.0  job 0 completed, $10
	//  5.0  job 2 started, $0
	//  6.5  job 1 expired, $-1
	//  9.0  job 2 completed, $17
}
