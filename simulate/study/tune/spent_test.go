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
		u.Vary, u.Runs = []string{"z"}, limit
		r, err := u.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := tuned(0).Runs // the last step of the search costs the last eight of them
	for _, limit := range []int{all / 2, all - 8, all} {
		r := tuned(limit)
		if r.Spent != (limit < all) || r.Spent != (r.Runs < all) {
			t.Errorf("%d of %d runs, at most %d: spent %t", r.Runs, all, limit, r.Spent)
		}
	}
}
