package cli

import (
	"context"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
)

// short4 is a command line whose four replications are short.
func short4(args ...string) []string {
	return append([]string{"simulate", "nist-cluster", "--jobs", "2000", "--replications", "4"}, args...)
}

// replicated runs replications of an experiment.
func replicated(t *testing.T, e *lab.Experiment, n int) *lab.Runs {
	t.Helper()
	samples, err := metric.Replicate(t.Context(), 0, n, 0, func(ctx context.Context, k int) (lab.Sample, error) {
		return e.Run(ctx, k)
	})
	if err != nil {
		t.Fatal(err)
	}
	return lab.NewRuns(e, samples)
}

// TestSimulateJSON compares JSON with experiments that are run without the command line.
func TestSimulateJSON(t *testing.T) {
	a := told(t, short4("--load", "2", "--seed", "7", "--level", "90%", "--policy", "hol,fcfs:backfill=true", "--admission",
		"1,1,0.5,0")...)
	doc, err := scenario.Builtin("nist-cluster")
	if err == nil {
		doc, err = doc.With(scenario.Set("load", 2), scenario.Set("simulation.jobs", 2000))
	}
	if err != nil {
		t.Fatal(err)
	}
	given, err := subject.Open(t.Context(), doc, 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []scenario.Policy{{Name: "hol"}, {Name: "fcfs", Options: map[string]string{"backfill": "true"}}} {
		chosen, err := subject.NewPolicy(nil, p.Name, p.Options)
		if err != nil {
			t.Fatal(err)
		}
		o := replicated(t, &lab.Experiment{Workload: given.Workload, Policy: chosen,
			Admission: lab.Gate{Admit: []float64{1, 1, 0.5, 0}}, Seed: 7}, 4)
		f := lab.Frame{Level: 0.9}
		for _, column := range []string{lab.ColumnRevenue, lab.ColumnMeanWait} {
			for class := -1; class < 3; class++ {
				got, group := value(t, a, "policies", i, column), lab.All
				if class >= 0 {
					got, group = value(t, a, "customers", 4*i+class, column), lab.Customer(given.Names()[class])
				}
				want := f.Estimate(o.Series(group, column))
				if low, high := want.Bounds(); !near(got.Number, want.Mean) || !near(got.Low, low) || !near(got.High, high) {
					t.Errorf("%s of row %d, class %d: %+v, want %+v", column, i, class, got, want)
				}
			}
		}
	}
	if a.Seed != 7 || a.Level != 0.9 || a.Replications != 4 {
		t.Errorf("seed %d, level %g, %d replications", a.Seed, a.Level, a.Replications)
	}
}
