package sweep_test

import (
	"context"
	"fmt"
	"os"

	"revopt/model/scenario"
	"revopt/simulate/sweep"
)

// A sweep in Go: is it worth while to keep the class that pays least out, at a
// high load?
func ExampleNewSpec() {
	doc, err := scenario.Builtin("nist-cluster")
	if err != nil {
		panic(err)
	}
	spec, err := sweep.NewSpec(scenario.Sweep{
		Scenario:     doc,
		Set:          []scenario.Override{scenario.Set("simulation.jobs", 2000)},
		Vary:         []scenario.Axis{{Path: "load", Values: []float64{0.5, 1.5}}},
		Admissions:   []scenario.Admission{{Name: scenario.AdmitAll}, {Admit: []float64{1, 0, 1, 1}}},
		Seed:         1,
		Replications: 5,
		Metrics:      []string{"revenue_per_second"},
	})
	if err != nil {
		panic(err)
	}
	plan, err := sweep.NewPlan(spec)
	if err != nil {
		panic(err)
	}
	results, err := (&sweep.Local{Plan: plan}).Run(context.Background())
	if err != nil {
		panic(err)
	}
	for point := range plan.Points() {
		all := results.Interval(sweep.Case{Point: point}, "revenue_per_second", "")
		some := results.Interval(sweep.Case{Point: point, Admission: 1}, "revenue_per_second", "")
		fmt.Println("load", plan.At(point)[0], "pays:", some.Mean > all.Mean)
	}
	if err := spec.WriteYAML(os.Stdout); err != nil {
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
