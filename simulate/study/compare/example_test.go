package compare_test

import (
	"bytes"
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/study/compare"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
)

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
		given, err := subject.Open(context.Background(), doc, 1, nil)
		if err != nil {
			panic(err)
		}
		p, err := subject.NewPolicy(nil, name, nil)
		if err != nil {
			panic(err)
		}
		result, err := (&simulation.Simulation{Subject: given, Policies: []subject.Policy{p}, Replications: 5, Seed: 1}).Run(context.Background())
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
	found := compare.Compare(easy, libra)
	row := found.Rows[0]
	for i, m := range metric.Measures() {
		if d := row.Total[i].Difference; m.Name == "utility" {
			fmt.Printf("%s less %s: %+.2f ± %.2f million $ (paired: %t)\n", row.B, row.A, d.Mean/1e6, d.HalfWidth/1e6, found.Paired)
		}
	}
	// Output:
	// libra less easy: +0.97 ± 0.47 million $ (paired: true)
}
