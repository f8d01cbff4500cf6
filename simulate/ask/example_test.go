package ask_test

import (
	"context"
	"fmt"

	"revopt/simulate/ask"
)

// The admission that earns most in the queueing model, and its proof.
func ExampleSolve() {
	ctx := context.Background()
	r := ask.Request{Command: "solve", Scenario: "nist-four", NoCheck: true}
	q, err := ask.Open(ctx, r.WithDefaults(), ask.Options{})
	if err != nil {
		panic(err)
	}
	best, err := ask.Solve(ctx, q)
	if err != nil {
		panic(err)
	}
	fmt.Println(best.Headline)
	for _, row := range best.Tables[0].Rows {
		fmt.Printf("%s: %.0f %% of the jobs are admitted\n", row[0].Word, 100*row[3].Number)
	}
	// Output:
	// The formula alone, unchecked, says 75,249 $/h for this admission, of at most 75,249 $/h.
	// HvHu: 87 % of the jobs are admitted
	// HvLu: 100 % of the jobs are admitted
	// LvHu: 0 % of the jobs are admitted
	// LvLu: 0 % of the jobs are admitted
}
