package simulation_test

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
)

// A policy of one's own: EASY backfilling whose queue is ordered by what a job
// pays for a node-second, the most first. It is compared with EASY and Libra on
// the same generated jobs, so that the differences are not luck.
func ExampleSimulation() {
	dense := policy.Spec{
		Name: "value-density", Title: "Value density", Needs: policy.Needs{Alike: true},
		Make: policy.PerSite(func(policy.Settings) simulate.Policy {
			return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
				return -j.Value.Price / (estimate * float64(j.Width)) // the least comes first
			}}
		}),
	}
	doc, err := scenario.Builtin("sp2-like")
	if err != nil {
		panic(err)
	}
	if doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"}); err != nil {
		panic(err)
	}
	specs := append(subject.Standard(), dense)
	given, err := subject.Open(context.Background(), doc, 1, specs)
	if err != nil {
		panic(err)
	}
	var policies []subject.Policy
	for _, name := range []string{"easy", "libra", "value-density"} {
		p, err := subject.NewPolicy(specs, name, nil)
		if err != nil {
			panic(err)
		}
		policies = append(policies, p)
	}
	s := simulation.Simulation{Subject: given, Policies: policies, Replications: 5, Seed: 1}
	found, err := s.Run(context.Background())
	if err != nil {
		panic(err)
	}
	for i, row := range found.Policies {
		value := row.Total.Get("utility")
		fmt.Printf("%-13s %.2f ± %.2f million $\n", row.Label, value.Mean/1e6, value.HalfWidth/1e6)
		if i > 0 {
			more := found.Differences[i-1].Total.Get("utility")
			fmt.Printf("%-13s %+.2f ± %.2f against %s\n", "", more.Mean/1e6, more.HalfWidth/1e6, found.Policies[0].Label)
		}
	}
	// Output:
	// easy          5.47 ± 0.69 million $
	// libra         6.44 ± 0.49 million $
	//               +0.97 ± 0.47 against easy
	// value-density 7.13 ± 0.60 million $
	//               +1.66 ± 1.22 against easy
}
