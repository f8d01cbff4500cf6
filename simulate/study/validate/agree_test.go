package validate

import (
	"context"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
)

// TestAgree: without a warm-up and without control variates, a simulation and a validation of job classes
// have the same numbers, because arrivals end with the last job that counts in both. With a warm-up they go on
// in the simulation.
func TestAgree(t *testing.T) {
	const classes = `
load: 1.1
classes:
  - {name: wide, share: 30%, width: 4, length: {dist: exponential, mean: 100}, price: 100, decay: 0.2, max_penalty: 0}
  - {name: narrow, share: 70%, length: {dist: exponential, mean: 100}, price: 10, decay: 0.01}
`
	for name, text := range map[string]string{
		"jobs":    "server: {nodes: 8}\nsimulation: {jobs: 60, warmup: 0}\n" + classes,
		"horizon": "server: {nodes: 8}\nsimulation: {horizon: 25m, warmup: 0}\n" + classes,
	} {
		t.Run(name, func(t *testing.T) {
			s := fixture.Opened(t, text)
			policies := fixture.Named(t, "value-bf", "easy", "hol", "slurm")
			all := []experiment.Admission{{Name: scenario.AdmitAll}}
			v, err := (&Validation{Subject: s, Policies: policies, Admissions: all, Seed: 1, Replications: 2}).Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			r, err := (&simulation.Simulation{Subject: s, Policies: policies, Seed: 1, Replications: 2, Plain: true}).Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range r.Policies {
				if !slices.ContainsFunc(v.Policies, func(other study.Row) bool { return other.Label == row.Label }) {
					t.Errorf("no row of the validation has the label %s of the simulation", row.Label)
				}
				i := slices.IndexFunc(v.Policies, func(other study.Row) bool { return other.Policy.Label == row.Policy.Label })
				for _, m := range []string{"value_per_second", "mean_wait", "utilization", "jobs_submitted", "jobs_completed", "wait_99"} {
					if got, want := row.Total.Get(m), v.Policies[i].Total.Get(m); got != want {
						t.Errorf("%s, %s: simulated %+v, validated %+v", row.Label, m, got, want)
					}
				}
			}
		})
	}
}
