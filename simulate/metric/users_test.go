package metric_test

import (
	"context"
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// TestFairness: of equal numbers, of one that has nearly all, and of 1, 2, 3, 4 by the
// definition, Σ|x - y| / (2 n² mean) = 20/80.
func TestFairness(t *testing.T) {
	for _, c := range []struct {
		list       []float64
		gini, jain float64
	}{
		{[]float64{3, 3, 3}, 0, 1}, {[]float64{0, 0, 0, 8}, 0.75, 0.25}, {[]float64{1, 2, 3, 4}, 0.25, 100.0 / 120},
		{[]float64{7}, 0, 1},
	} {
		if gini, jain := metric.Fairness(c.list); math.Abs(gini-c.gini) > 1e-15 || math.Abs(jain-c.jain) > 1e-15 {
			t.Errorf("%v: %g and %g, want %g and %g", c.list, gini, jain, c.gini, c.jain)
		}
	}
	if gini, jain := metric.Fairness(nil); !math.IsNaN(gini) || !math.IsNaN(jain) {
		t.Errorf("%g and %g of nothing", gini, jain)
	}
}

// TestUsers works a run by hand: jobs of 20 s on one processor. User 1 has slowdowns 1 and 3,
// on average 2, user 2 has 2; the job without a user has 4 and does not count. Of customer 1,
// user 1 has 3 and user 2 has 2. User 1 waits 0 s and 40 s for jobs of $1 and $3, user 2 waits 20 s.
func TestUsers(t *testing.T) {
	jobs := make([]simulate.Job, 4)
	for i := range jobs {
		jobs[i] = simulate.Job{Submit: 5, Work: 20, Width: 1, Class: min(i, 1)}
		jobs[i].Spec.Details.User = []int{1, 2, 1, 0}[i]
		jobs[i].Value.Price = float64(1 + i)
	}
	users := metric.ByUser{}
	tally := metric.NewTally(3)
	tally.UntilEnd = true
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source: simulate.Slice(jobs), Observers: []simulate.Observer{tally, users},
		Sites: []simulate.Site{{Processors: 1, Policy: policy.NewFCFS(false)}},
	}); err != nil {
		t.Fatal(err)
	}
	if len(users) != 2 {
		t.Errorf("%d users, want 2", len(users))
	}
	for user, want := range map[int][5]float64{1: {2, 20, 2, 4, 40}, 2: {1, 20, 2, 2, 20}} {
		s, got := users[user], [5]float64{4: users[user].Delivered}
		for k, name := range []string{"jobs_submitted", "mean_wait", "slowdown", "value_total"} {
			m, _ := metric.Lookup(name)
			got[k] = m.Of(*s)
		}
		if got != want {
			t.Errorf("user %d has %v, want %v", user, got, want)
		}
	}
	for i, c := range []struct {
		sum  metric.Sum
		want [3]float64
	}{
		{tally.Total(), [3]float64{80, 0, 1}}, {tally.Class(0), [3]float64{20, 0, 1}},
		{tally.Class(1), [3]float64{80, 0.1, 25.0 / 26}},
		{tally.Class(2), [3]float64{math.NaN(), math.NaN(), math.NaN()}},
	} {
		for k, name := range []string{"makespan", "user_gini", "user_jain"} {
			m, _ := metric.Lookup(name)
			if got := m.Of(c.sum); math.Abs(got-c.want[k]) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want[k]) {
				t.Errorf("%d: %s is %g, want %g", i, name, got, c.want[k])
			}
		}
	}
}
