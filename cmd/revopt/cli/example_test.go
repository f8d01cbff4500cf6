package cli

import (
	"context"
	"fmt"
	"log"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
)

// A policy of one's own, compared with EASY on the same jobs. docs/researchers.md
// shows this example.
func Example() {
	doc, err := scenario.Open("nist-cluster-widths") // or the path of a YAML file
	if err != nil {
		log.Fatal(err)
	}
	doc, err = doc.With(scenario.Set("load", 1.5), scenario.Set("simulation.jobs", 5000))
	if err != nil {
		log.Fatal(err)
	}
	given, err := subject.Open(context.Background(), doc, 1, nil) // with seed 1 and the standard policies
	if err != nil {
		log.Fatal(err)
	}
	densest := policy.Spec{Name: "densest", Needs: policy.Needs{Alike: true}, Make: policy.PerSite(func(policy.Settings) simulate.Policy {
		return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
			return -j.Value.Price / (estimate * float64(j.Width))
		}}
	})}
	easy, err := subject.NewPolicy(nil, "easy", nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := (&simulation.Simulation{
		Subject: given, Policies: []subject.Policy{easy, subject.PolicyOf(densest)}, Replications: 5, Seed: 1,
	}).Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range result.Policies {
		earns := row.Total.Get("revenue_per_second")
		fmt.Printf("%s: %.2f ± %.2f $/s\n", row.Label, earns.Mean, earns.HalfWidth)
	}
	// Output:
	// easy: 1.55 ± 0.03 $/s
	// densest: 2.75 ± 0.01 $/s
}
