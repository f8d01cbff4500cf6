package study_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// A policy of one's own: EASY backfilling whose queue is ordered by what a job
// pays for a node-second, the most first. It is compared with EASY and Libra on
// the same generated jobs, so that the differences are not luck.
func ExampleSimulation() {
	dense := policy.Spec{
		Name: "value-density", Title: "Value density", Needs: policy.Needs{Alike: true},
		New: func(policy.Settings) simulate.Policy {
			return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
				return -j.Value.Price / (estimate * float64(j.Width)) // the least comes first
			}}
		},
	}
	doc, err := scenario.Builtin("sp2-like")
	if err != nil {
		panic(err)
	}
	if doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"}); err != nil {
		panic(err)
	}
	specs := append(study.Standard(), dense)
	subject, err := study.Open(context.Background(), doc, 1, specs)
	if err != nil {
		panic(err)
	}
	var policies []study.Policy
	for _, name := range []string{"easy", "libra", "value-density"} {
		p, err := study.NewPolicy(specs, name, nil)
		if err != nil {
			panic(err)
		}
		policies = append(policies, p)
	}
	s := study.Simulation{Subject: subject, Policies: policies, Replications: 5, Seed: 1}
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

// The admission that earns most in the queueing model, and its proof.
func ExampleSolve() {
	doc, err := scenario.Builtin("nist-four")
	if err != nil {
		panic(err)
	}
	subject, err := study.Open(context.Background(), doc, 1, nil)
	if err != nil {
		panic(err)
	}
	analysis, err := study.Analyze(context.Background(), subject, 1, 0)
	if err != nil {
		panic(err)
	}
	answer, err := study.Solve(context.Background(), analysis, study.SolveOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f $/s, and no admission earns more than %.2f\n", answer.RevenuePerSecond, answer.UpperBoundPerSecond)
	for _, c := range answer.Classes {
		fmt.Printf("%s: %.0f %% of the jobs are admitted\n", c.Name, 100*c.Admit)
	}
	// Output:
	// 20.90 $/s, and no admission earns more than 20.90
	// HvHu: 87 % of the jobs are admitted
	// HvLu: 100 % of the jobs are admitted
	// LvHu: 0 % of the jobs are admitted
	// LvLu: 0 % of the jobs are admitted
}

// How much of the possible do policies earn? A validation sets them against
// bounds that no policy can exceed on the same jobs.
func ExampleValidation() {
	doc, err := scenario.Builtin("sp2-sla")
	if err != nil {
		panic(err)
	}
	if doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:150"}); err != nil {
		panic(err)
	}
	subject, err := study.Open(context.Background(), doc, 1, nil)
	if err != nil {
		panic(err)
	}
	v := study.Validation{Subject: subject, Replications: 5, Seed: 1} // all policies whose needs are met
	r, err := v.Run(context.Background())
	if err != nil {
		panic(err)
	}
	for _, row := range r.Policies[:3] {
		e := row.Validated.Efficiency
		fmt.Printf("%-24s delivers %.0f ± %.0f %% of the possible\n", row.Label, 100*e.Mean, 100*e.HalfWidth)
	}
	fmt.Println("left out:", r.Validated.LeftOut[0].Policy, r.Validated.LeftOut[0].Reason)
	// Output:
	// value-bf:preempt=suspend delivers 96 ± 7 % of the possible
	// d-over                   delivers 96 ± 7 % of the possible
	// value-bf                 delivers 89 ± 9 % of the possible
	// left out: mf-edf needs optional parts: the jobs are whole (give ic)
}

// A sweep: does it pay to keep the class that pays least out, at a high load?
// With a directory in the runner an interrupted sweep goes on where it stopped.
func ExamplePlan() {
	doc, err := scenario.Builtin("nist-cluster")
	if err != nil {
		panic(err)
	}
	plan, err := study.NewSweep(scenario.Sweep{
		Scenario:     doc,
		Set:          []scenario.Override{scenario.Set("simulation.jobs", 2000)},
		Vary:         []scenario.Axis{{Path: "load", Values: []float64{0.5, 1.5}}},
		Admissions:   []scenario.Admission{{Name: scenario.AdmitAll}, {Admit: []float64{1, 0, 1, 1}}},
		Seed:         1,
		Replications: 5,
		Metrics:      []string{"revenue_per_second"},
	}, nil)
	if err != nil {
		panic(err)
	}
	work, err := plan.Open(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	results, err := new(study.Runner).Run(context.Background(), work, "sweep")
	if err != nil {
		panic(err)
	}
	for point := range plan.Points() {
		all := results.Interval(study.Case{Point: point}, "revenue_per_second", "")
		some := results.Interval(study.Case{Point: point, Admission: 1}, "revenue_per_second", "")
		fmt.Println("load", plan.At(point)[0], "pays:", some.Mean > all.Mean)
	}
	if err := plan.WriteYAML(os.Stdout); err != nil { // the file that revopt sweep reads
		panic(err)
	}
	// Output:
	// load 0.5 pays: false
	// load 1.5 pays: true
	// scenario: nist-cluster
	// set:
	//   simulation.jobs: 2000
	// vary:
	//   load: [0.5, 1.5]
	// policies: [{hol: {backfill: false}}]
	// admissions: [all, [1, 0, 1, 1]]
	// seed: 1
	// seeds: 5
	// metrics: [revenue_per_second]
}

// Two results, kept in files and compared later: replication k has the same jobs
// in both, so that their luck cancels.
func ExampleCompare() {
	doc, err := scenario.Builtin("sp2-like")
	if err != nil {
		panic(err)
	}
	if doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"}); err != nil {
		panic(err)
	}
	var files [2]bytes.Buffer
	for i, name := range []string{"easy", "libra"} {
		subject, err := study.Open(context.Background(), doc, 1, nil)
		if err != nil {
			panic(err)
		}
		p, err := study.NewPolicy(nil, name, nil)
		if err != nil {
			panic(err)
		}
		result, err := (&study.Simulation{Subject: subject, Policies: []study.Policy{p}, Replications: 5, Seed: 1}).Run(context.Background())
		if err != nil {
			panic(err)
		}
		if err := report.Save(&files[i], result); err != nil {
			panic(err)
		}
	}
	easy, err := report.Load(&files[0])
	if err != nil {
		panic(err)
	}
	libra, err := report.Load(&files[1])
	if err != nil {
		panic(err)
	}
	found := study.Compare(easy, libra)
	row := found.Rows[0]
	for i, m := range metric.Measures() {
		if d := row.Total[i].Difference; m.Name == "utility" {
			fmt.Printf("%s less %s: %+.2f ± %.2f million $ (paired: %t)\n", row.B, row.A, d.Mean/1e6, d.HalfWidth/1e6, found.Paired)
		}
	}
	// Output:
	// libra less easy: +0.97 ± 0.47 million $ (paired: true)
}
