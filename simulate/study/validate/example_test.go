package validate_test

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate/study/validate"
	"revopt/simulate/subject"
)

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
	subject, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		panic(err)
	}
	v := validate.Validation{Subject: subject, All: true, Replications: 5, Seed: 1}
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
