package cli

import (
	"context"
	"fmt"
	"slices"
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

// contract are the metrics that scripts read.
var contract = []string{
	"revenue_per_second", "revenue_per_job", "utilization", "mean_delay", "acceptance", "job_qos_satisfaction", "cluster_profitability",
	"utility", "value_per_second", "mean_response_time", "mean_slowdown", "jobs_submitted", "jobs_completed", "jobs_rejected", "jobs_expired", "mean_wait", "mean_bounded_slowdown",
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
	v := fetch(t, short4("--load", "2", "--seed", "7", "--level", "90%", "--policy", "hol,fcfs:backfill=true", "--admission",
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
		row := members(t, v["policies"])[i]
		for _, m := range []metric.Measure{metric.RevenuePerSecond(), metric.MeanWait()} {
			for class, object := range append([]map[string]any{row}, members(t, row["classes"])[:3]...) {
				got, want := object[m.Name].(map[string]any), o.Interval(m, class-1)
				wantNumber(t, got, "mean", want.Mean)
				wantNumber(t, got, "half_width", want.HalfWidth)
				wantNumber(t, got, "level", 0.9)
			}
		}
	}
	if d := members(t, v["differences"]); len(d) != 1 || d[0]["versus"] != "hol" || v["seed"] != 7.0 || v["interrupted"] != false {
		t.Errorf("differences %v of seed %v", d, v["seed"])
	}
}

// Probabilities may be given by place, by name and as percentages.
func TestSimulateAdmissionForms(t *testing.T) {
	rows := fetch(t, short4("--load", "2", "--admission", "0.2,1,1,0.5", "--admission",
		"HvHu=50%, LvLu=0.2")...)["policies"].([]any)
	a, b := rows[0].(map[string]any), rows[1].(map[string]any)
	if len(rows) != 2 || fmt.Sprint(a["revenue_per_second"], a["classes"]) != fmt.Sprint(b["revenue_per_second"],
		b["classes"]) {
		t.Errorf("got %v and %v", a, b)
	}
}

func TestSimulateCSV(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, short4("--admission", "all", "--admission", "LvLu=0.5", "--csv", "a.csv")...)
	comments, rows := readTable(t, "a.csv")
	if !strings.Contains(comments, "# seed: 1\n") || !strings.Contains(comments, "# admission LvLu=0.5: 0.5,1,1,1\n") {
		t.Errorf("comments %s", comments)
	}
	// Two rows of all jobs and four classes, and one difference.
	if got, want := len(rows), 1+(2*5+1)*len(metric.Measures()); got != want {
		t.Errorf("got %d rows, want %d", got, want)
	}
	i := slices.IndexFunc(rows, func(row []string) bool { return row[3] == "all" && row[5] == "revenue_per_second" })
	if i < 0 || rows[i][2] != "LvLu=0.5" || rows[i][9] != "4" {
		t.Errorf("differences %v", rows[max(i, 0)])
	}
}

func TestSimulateWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	wide := "server: {parallel: 2}\nload: 0.5\nclasses: [{name: a, length: {mean: 9, sd: 1}, price: 1, width: {values: [1, 9], weights: [0.9, 0.1]}}]\n"
	writeText(t, "wide.yaml", wide)
	for _, tt := range []struct{ line, want string }{
		{"nist-one --jobs 500 --replications 1", "one replication has no confidence interval"},
		{"nist-one --jobs 500 --load 1.5", "hol: more is admitted than the cluster can serve"},
		{"nist-one --jobs 500 --set server.parallel=2.5 --load 0.6",
			"2.5 jobs at a time are no whole number of nodes: the load of the simulated 3 nodes is 0.5"},
		{"wide.yaml --jobs 500", "jobs of class a that need 9 nodes are rejected, the cluster has 4"},
		{"nist-cluster --jobs 500 --admission analytic", "analytic admission: the analytic model ignores expiry"},
	} {
		args := append([]string{"simulate"}, strings.Fields(tt.line)...)
		if o := try(args...); o.code != exitDone || !strings.Contains(o.stderr, "revopt: warning: "+tt.want) {
			t.Errorf("%s: %+v", tt.line, o)
		}
		if o := try(append(args, "--quiet")...); o.stderr != "" {
			t.Errorf("%s --quiet: %+v", tt.line, o)
		}
	}
}
