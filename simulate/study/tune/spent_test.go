package tune

import (
	"context"
	"testing"
)

// A search that stops at any of its steps because its runs are used up says so; one that ends
// by itself does not, even with its very last run.
func TestTuneSpent(t *testing.T) {
	tuned := func(limit int) *Result {
		u := tuneLate(t, 1)
		u.Vary, u.Runs = []string{"y", "z"}, limit
		r, err := u.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := tuned(0).Runs
	cut := 0
	for _, limit := range []int{1, 80, 100, 200, all} {
		r := tuned(limit)
		if r.Spent && r.Runs > all || !r.Spent && r.Runs != all || r.Spent && limit >= all {
			t.Errorf("%d of %d runs, at most %d: spent %t", r.Runs, all, limit, r.Spent)
		}
		if r.Spent {
			cut++
		}
	}
	if cut < 4 {
		t.Errorf("%d searches of %d runs ended early", cut, all)
	}
}
