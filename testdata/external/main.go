// Command mypolicy tries a policy of its own against those of revopt: EASY
// backfilling whose queue is ordered by what a job pays for a node-second.
package main

import (
	"context"
	"fmt"
	"log"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

func main() {
	density := policy.Spec{
		Name: "density", Title: "Value density", Summary: "EASY backfilling by price per node-second", Needs: policy.Needs{Alike: true},
		New: func(policy.Settings) simulate.Policy {
			return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
				return -j.Value.Price / (estimate * float64(j.Width))
			}}
		},
	}
	specs := append(study.Standard(), density)
	doc, err := scenario.Builtin("sp2-like")
	check(err)
	doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:200"}, scenario.Override{Path: "policies", Value: "[easy, libra, density]"})
	check(err)
	subject, err := study.Open(context.Background(), doc, 1, specs)
	check(err)
	compared, err := (&study.Simulation{Subject: subject, Replications: 5, Seed: 1}).Run(context.Background())
	check(err)
	for _, d := range compared.Differences {
		value := d.Total.Get("utility")
		fmt.Printf("%s delivers %+.0f ± %.0f $ more than %s\n", d.Label, value.Mean, value.HalfWidth, d.Versus)
	}
	policies, err := subject.Policies()
	check(err)
	v := study.Validation{Subject: subject, Policies: policies, Figures: true, Replications: 3, Seed: 1}
	check(v.Open(context.Background()))
	result, err := v.Run(context.Background())
	check(err)
	for _, row := range result.Policies {
		e := row.Validated.Efficiency
		fmt.Printf("%s delivers %.0f ± %.0f %% of the possible\n", row.Policy.Heading, 100*e.Mean, 100*e.HalfWidth)
	}
	check(plots.SaveFile("density.svg", report.New(result, "mypolicy").Overlay(), plots.Provenance{}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
