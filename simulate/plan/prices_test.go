package plan

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// TestSearchPrices holds prices searched on the simulator against those of the
// formula where that is exact, and against the stated ones on a trace.
func TestSearchPrices(t *testing.T) {
	ctx := context.Background()
	earns := func(s *subject.Subject, policy string, m metric.Measure) []float64 {
		t.Helper()
		r, err := Replicate(ctx, under(t, s.Workload, policy, nil, s.Shares, 5), 12, 1)
		if err != nil {
			t.Fatal(err)
		}
		return r.Values(m, -1)
	}
	searched := func(s *subject.Subject, policy string, effort scenario.SearchEffort) *subject.Subject {
		t.Helper()
		search := experiment.Search{Experiment: under(t, s.Workload, policy, nil, nil, 5), Effort: effort, Workers: 1, Progress: nil}
		shares, err := search.Prices(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		found, err := experiment.Selling(ctx, s, shares)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	s := fixture.Opened(t, fixture.Shop)
	model, err := analytic.Priced(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	effort := scenario.SearchEffort{Jobs: 5000, Replications: 4, Step: 1. / 16}
	less := metric.Difference(earns(searched(s, "hol", effort), "hol", metric.RevenuePerSecond()), earns(model, "hol", metric.RevenuePerSecond()), 0.95)
	best := metric.Estimate(earns(model, "hol", metric.RevenuePerSecond()), 0.95).Mean
	if less.Mean+2*less.HalfWidth < -0.01*best || less.Mean-2*less.HalfWidth > 0.01*best {
		t.Errorf("searched prices earn %g ± %g $/s more than the %g of the best", less.Mean, less.HalfWidth, best)
	}
	site := fixture.Opened(t, `trace: {file: sp2-like, jobs: last:300, cleaning: drop}
load: 1.5
classes:
  - {name: a, of: {share: 30%}, price: {per_unit_hour: 2}, demand: {curve: linear, elasticity: 1}, decay: {per_hour: 20%}, grace: 10m, max_penalty: 0, expire: never}
  - {name: b, price: {per_unit_hour: 1}, demand: {curve: exponential, elasticity: 1.3}, price_max: {per_unit_hour: 1.2}, decay: {per_hour: 5%}, grace: 1h, max_penalty: 0, expire: never}
`)
	found := searched(site, "easy", scenario.SearchEffort{Replications: 4, Step: 1. / 8})
	gain := metric.Difference(earns(found, "easy", metric.Utility()), earns(site, "easy", metric.Utility()), 0.95)
	if !(gain.Mean > gain.HalfWidth) {
		t.Errorf("searched prices earn %g ± %g $ more than the stated ones", gain.Mean, gain.HalfWidth)
	}
	for i, c := range found.Scenario.Classes {
		old := site.Scenario.Classes[i]
		if most := c.Demand.Max; c.Price.PerNodeSecond < old.Price.PerNodeSecond*(1-1e-9) || most > 0 && c.Price.PerNodeSecond > most*(1+1e-9) {
			t.Errorf("class %s asks %g $/node-hour, stated are %g, at most %g", c.Name, 3600*c.Price.PerNodeSecond, 3600*old.Price.PerNodeSecond, 3600*most)
		}
	}
}
