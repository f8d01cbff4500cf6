package plan_test

import (
	"context"
	"fmt"
	"os"

	"revopt/model/scenario"
	"revopt/simulate/plan"
)

// A sweep: does it pay to keep the class that pays least out, at a high load?
// With a directory in the runner an interrupted sweep goes on where it stopped.
func ExamplePlan() {
	doc, err := scenario.Builtin("nist-cluster")
	if err != nil {
		panic(err)
	}
	grid, err := plan.NewSweep(scenario.Sweep{
		Scenario:     doc,
		Set:          []scenario.Override{scenario.Set("simulation.jobs", 2000)},
		Vary:         []scenario.Axis{{Path: "load", Values: []float64{0.5, 1.5}}},
		Admissions:   []scenario.Admission{{Name: scenario.AdmitAll}, {Admit: []float64{1, 0, 1, 1}}},
		Seed:         1,
		Replications: 5,
		Metrics:      []string{"revenue_per_second"},
	}, nil)
	if err != nil {
		panic(err)
	}
	work, err := grid.Open(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	results, err := new(plan.Runner).Run(context.Background(), work, "sweep")
	if err != nil {
		panic(err)
	}
	for point := range grid.Points() {
		all := results.Interval(plan.Case{Point: point}, "revenue_per_second", "")
		some := results.Interval(plan.Case{Point: point, Admission: 1}, "revenue_per_second", "")
		fmt.Println("load", grid.At(point)[0], "pays:", some.Mean > all.Mean)
	}
	if err := grid.WriteYAML(os.Stdout); err != nil { // the file that revopt sweep reads
		panic(err)
	}
	// Output:
	// load 0.5 pays: false
	// load 1.5 pays: true
	// scenario: nist-cluster
	// set:
	//   simulation.jobs: 2000
	// vary:
	//   load: [0.5, 1.5]
	// policies: [{hol: {backfill: false}}]
	// admissions: [all, [1, 0, 1, 1]]
	// seed: 1
	// seeds: 5
	// metrics: [revenue_per_second]
}
