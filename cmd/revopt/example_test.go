package main

import (
	"context"
	"fmt"
	"log"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// The packages behind the commands can be used without them. The README shows
// this example: a policy of one's own beside EASY.
func Example() {
	doc, err := scenario.Open("nist-cluster") // or the path of a YAML file
	if err != nil {
		log.Fatal(err)
	}
	subject, err := study.Open(doc, 1, nil) // with seed 1 and the standard policies
	if err != nil {
		log.Fatal(err)
	}
	densest := policy.Spec{Name: "densest", New: func(policy.Settings) simulate.Policy {
		return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
			return -j.Value.Price / (estimate * float64(j.Width))
		}}
	}}
	easy, err := study.NewPolicy(nil, "easy", nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := (&study.Simulation{
		Subject: subject, Policies: []study.Policy{study.PolicyOf(densest), easy}, Replications: 3, Seed: 1,
	}).Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range result.Policies {
		earns := row.Total.Get("revenue_per_second")
		fmt.Printf("%s: %.2f ± %.2f $/s\n", row.Label, earns.Mean, earns.HalfWidth)
	}
	// Output:
	// densest: 2.25 ± 0.02 $/s
	// easy: 2.25 ± 0.02 $/s
}
