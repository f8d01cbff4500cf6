package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study"
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

// wantEstimate checks an estimate of a JSON object against one computed
// without the command line.
func wantEstimate(t *testing.T, object any, key string, want metric.Interval) {
	t.Helper()
	got, ok := object.(map[string]any)[key].(map[string]any)
	if !ok {
		t.Errorf("no %s", key)
		return
	}
	same := func(got any, want float64) bool {
		x, ok := got.(float64)
		if math.IsNaN(want) || math.IsInf(want, 0) {
			return got == nil
		}
		return ok && math.Abs(x-want) <= 1e-12*math.Abs(want)
	}
	if !same(got["mean"], want.Mean) || !same(got["half_width"], want.HalfWidth) || got["level"] != want.Level ||
		got["n"] != float64(want.N) {
		t.Errorf("%s: got %v, want %+v", key, got, want)
	}
}

// experiment runs the experiment of short4 without the command line.
func experiment(t *testing.T, policy string, options map[string]string, admit []float64, seed uint64,
	overrides ...scenario.Override) study.Outcome {
	t.Helper()
	doc, err := scenario.Builtin("nist-cluster")
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = doc.With(append(overrides, scenario.Set("simulation.jobs", 2000))...); err != nil {
		t.Fatal(err)
	}
	subject, err := study.Open(context.Background(), doc, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := study.NewPolicy(nil, policy, options)
	if err != nil {
		t.Fatal(err)
	}
	o, err := study.Replicate(context.Background(), &study.Experiment{Workload: subject.Workload, Policy: chosen,
		Admission: study.Admission{Admit: admit}, Seed: seed}, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSimulateJSON(t *testing.T) {
	v := fetch(t, short4("--load", "2", "--seed", "7", "--level", "90%", "--policy", "hol,fcfs:backfill=true", "--admission",
		"1,1,0.5,0")...)
	if v["scenario"] != "nist-cluster" || v["seed"] != 7.0 || v["replications"] != 4.0 || v["jobs"] != 2000.0 ||
		v["horizon"] != nil || v["interrupted"] != false {
		t.Errorf("got %v", v)
	}
	if cleaning, there := v["cleaning"]; !there || cleaning != nil {
		t.Errorf("cleaning %v", cleaning)
	}
	policies := v["policies"].([]any)
	var outcomes []study.Outcome
	for i, e := range []scenario.Policy{{Name: "hol"}, {Name: "fcfs", Options: map[string]string{"backfill": "true"}}} {
		o := experiment(t, e.Name, e.Options, []float64{1, 1, 0.5, 0}, 7, scenario.Set("load", 2))
		o.Level = 0.9
		outcomes = append(outcomes, o)
		checkPolicyJSON(t, policies[i].(map[string]any), e, o)
	}
	differences := v["differences"].([]any)
	if len(policies) != 2 || len(differences) != 1 || differences[0].(map[string]any)["versus"] != "hol" {
		t.Fatalf("%d policies, differences %v", len(policies), differences)
	}
	for _, f := range metric.Measures() {
		if strings.HasPrefix(f.Name, "wait_") || f.Name == "promise_kept" {
			continue // elsewhere in JSON
		}
		wantEstimate(t, differences[0], f.Name, metric.Difference(outcomes[1].Values(f, -1), outcomes[0].Values(f, -1), 0.9))
	}
}

func checkPolicyJSON(t *testing.T, got map[string]any, e scenario.Policy, o study.Outcome) {
	t.Helper()
	backfill := got["options"].(map[string]any)["backfill"]
	if got["name"] != e.Name || backfill != (e.Options["backfill"] == "true") {
		t.Errorf("got policy %v %v, want %+v", got["name"], got["options"], e)
	}
	admission := got["admission"].(map[string]any)
	if admission["name"] != "1,1,0.5,0" || fmt.Sprint(admission["admit"]) != "[1 1 0.5 0]" {
		t.Errorf("admission %v", admission)
	}
	classes := got["classes"].([]any)
	for _, name := range contract {
		f, ok := metric.Lookup(name)
		if !ok {
			t.Fatalf("no figure %s", name)
		}
		wantEstimate(t, got, name, o.Interval(f, -1))
		for i, class := range classes {
			wantEstimate(t, class, name, o.Interval(f, i))
		}
	}
	for i, name := range []string{"0.5", "0.9", "0.99"} {
		m, _ := metric.Lookup(metric.QuantileNames()[i])
		wantEstimate(t, got["wait_quantiles"], name, o.Interval(m, -1))
	}
	if len(classes) != 4 || classes[3].(map[string]any)["name"] != "HvHu" {
		t.Errorf("classes %v", classes)
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
		{"nist-one --jobs 50 --load 1.5 --warmup mser", "the pilot runs are too short to tell the warm-up"},
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
