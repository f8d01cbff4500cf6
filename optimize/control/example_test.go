package control_test

import (
	"context"
	"fmt"

	"revopt/model"
	"revopt/optimize/control"
)

// The best admission that looks at the queue, of one class on one server: it refuses jobs while so many wait. The chain
// of the numbers of jobs, cut at every limit in turn, gives the same.
func ExampleSolve() {
	length, err := model.New(model.Exponential, 100, 100, 0)
	if err != nil {
		panic(err)
	}
	sys := model.System{Parallel: 1, Classes: []model.Class{
		{Name: "jobs", Rate: 0.015, Length: length, Price: model.Tariff{Fixed: 10}, Decay: 0.02,
			Floor: model.Floor{None: true}},
	}}
	r, err := control.Solve(context.Background(), sys, control.Settings{Waiting: -1})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f $/h, %.2f by a fixed share; refuse while %d wait\n", 3600*r.Revenue, 3600*r.Static, r.Thresholds[0].All)
	// Output:
	// 250.11 $/h, 151.27 by a fixed share; refuse while 1 wait
}
