package solve_test

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
)

// The admission that earns most in the queueing model, and its proof.
func ExampleSolve() {
	doc, err := scenario.Builtin("nist-four")
	if err != nil {
		panic(err)
	}
	subject, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		panic(err)
	}
	analysis, err := analytic.Analyze(context.Background(), subject, 1, 0)
	if err != nil {
		panic(err)
	}
	answer, err := solve.Solve(context.Background(), analysis, solve.Options{})
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
