package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/subject"
)

// short4 is a command line whose four replications are short.
func short4(args ...string) []string {
	return append([]string{"simulate", "nist-cluster", "--jobs", "2000", "--replications", "4"}, args...)
}

// replicated runs replications of an experiment.
func replicated(t *testing.T, e *experiment.Experiment, n int) plan.Outcome {
	t.Helper()
	samples, err := metric.Replicate(t.Context(), 0, n, 0, func(ctx context.Context, k int) (experiment.Sample, error) {
		return e.Run(ctx, k)
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan.NewOutcome(e, samples)
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
		o := replicated(t, &experiment.Experiment{Workload: given.Workload, Policy: chosen,
			Admission: experiment.Admission{Admit: []float64{1, 1, 0.5, 0}}, Seed: 7}, 4)
		o.Level = 0.9
		for column, m := range map[string]metric.Measure{"revenue": metric.RevenuePerSecond(), "mean_wait": metric.MeanWait()} {
			for class := -1; class < 3; class++ {
				got, want := value(t, a, "policies", i, column), o.Interval(m, class)
				if class >= 0 {
					got = value(t, a, "customers", 4*i+class, column)
				}
				if column == "revenue" {
					want = want.Times(3600)
				}
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

// TestSimulateCSV: the tables of CSV are those of JSON, below comments that say what made them.
func TestSimulateCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	for table, rows := range map[string]int{"policies": 2, "customers": 8, "admissions": 4} {
		a := told(t, short4("--admission", "all", "--admission", "LvLu=0.5", "--csv", "a.csv", "--table", table)...)
		comments, lines := readTable(t, "a.csv")
		if !strings.Contains(comments, "# seed: 1\n") || len(lines) != 1+rows {
			t.Errorf("%s: comments %s, %d lines", table, comments, len(lines))
		}
		for column, name := range lines[0] {
			if strings.HasSuffix(name, "_low") || strings.HasSuffix(name, "_high") {
				continue
			}
			for row, line := range lines[1:] {
				v := value(t, a, table, row, name)
				if x, err := strconv.ParseFloat(line[column], 64); v.Numeric() && (err != nil || x != v.Number) || v.Word != "" && v.Word != line[column] {
					t.Errorf("%s: %s of row %d is %s, want %+v", table, name, row, line[column], v)
				}
			}
		}
	}
}

func TestSimulateWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	wide := "server: {parallel: 2}\nload: 0.5\nclasses: [{name: a, length: {mean: 9, sd: 1}, price: 1, width: {values: [1, 9], weights: [0.9, 0.1]}}]\n"
	writeText(t, "wide.yaml", wide)
	for _, tt := range []struct{ line, code, says string }{
		{"nist-one --jobs 500 --replications 1", "ONE_REPLICATION", "one replication"},
		{"nist-one --jobs 500 --load 1.5", "OVERLOAD", "hol: more is admitted than the cluster can serve"},
		{"nist-one --jobs 500 --set server.parallel=2.5 --load 0.6", "WHOLE_NODES", "the load of the simulated 3 nodes is 0.5"},
		{"wide.yaml --jobs 500", "TOO_WIDE", "jobs of class a that need 9 nodes are rejected, the cluster has 4"},
		{"nist-cluster --jobs 500 --admission analytic", "IGNORED", "the formulas ignore max_penalty of"},
	} {
		args := append([]string{"simulate"}, strings.Fields(tt.line)...)
		a := told(t, args...)
		i := slices.Index(codes(a), tt.code)
		if i < 0 || !strings.Contains(a.Warnings[i].String(), tt.says) {
			t.Errorf("%s: %v: %v", tt.line, codes(a), a.Warnings)
		}
		if o := try(append(args, "--quiet")...); strings.Contains(o.stdout+o.stderr, "warning") {
			t.Errorf("%s --quiet: %+v", tt.line, o)
		}
	}
}
