package cli

import (
	"context"
	"log"
	"os"

	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
)

// A policy of one's own, compared with EASY on the same jobs. docs/simulation.md
// shows this example.
func Example() {
	doc, err := scenario.Open("nist-cluster-widths") // or the path of a YAML file
	check(err)
	doc, err = doc.With(scenario.Set("load", 1.5), scenario.Set("simulation.jobs", 5000))
	check(err)
	densest := policy.Spec{Name: "densest", Needs: policy.Needs{Alike: true}, Make: policy.PerSite(func(policy.Settings) simulate.Policy {
		return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
			return -j.Value.Price / (estimate * float64(j.Width))
		}}
	})}
	bench, err := lab.NewLab(context.Background(), doc, lab.Options{Seed: 1, Policies: append(subject.Standard(), densest)})
	check(err)
	found, err := ask.Simulate(context.Background(), bench, ask.Request{Policies: []string{"easy,densest"}, Replications: "5"})
	check(err)
	check(found.Answer.WriteText(os.Stdout, answer.TextOptions{}))
	// Output:
	// nist-cluster-widths: 4,500 jobs, 32.4 d, 5,000 nodes, load 1.50, exact estimates; 5 replications, ±
	// 95 %
	// densest has the largest value, 9,739 $/h; easy has the least, 5,494 $/h.
	//
	// policy           $/h  runs on        wait h       slowdown          kept              used
	// easy      5,494 ± 54  Slurm     8.17 ± 0.10  4.553 ± 0.038  17.2 ± 1.0 %  98.201 ± 0.066 %
	// densest  9,739 ± 261  research  3.31 ± 0.11  2.491 ± 0.045  54.8 ± 1.1 %    96.77 ± 0.19 %
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
