package study

import (
	"context"
	"errors"
	"math"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// shop is one fast server with demands, one of them with a largest price that
// binds.
const shop = `server: {parallel: 1}
load: 1.2
simulation: {jobs: 20000, warmup: 10%, replications: 12}
classes:
  - {name: urgent, share: 30%, length: {dist: exponential, mean: 6m}, price: 50, decay: 0.01, demand: {curve: exponential, elasticity: 0.8}, price_max: 52}
  - {name: batch, share: 60%, length: {dist: exponential, mean: 6m}, price: 20, decay: 0.001, demand: {curve: linear, elasticity: 1.2}}
  - {name: other, share: 10%, length: {dist: exponential, mean: 6m}, price: {per_hour: 200}, decay: 0.002, demand: {curve: isoelastic, elasticity: 2}}
`

// TestBestPricesSimulated holds the simulated revenue at the best prices against
// the formula and that at the stated prices, and that at another price against
// what the model makes of the demand there.
func TestBestPricesSimulated(t *testing.T) {
	ctx := context.Background()
	stated := opened(t, shop)
	priced, err := Priced(ctx, stated)
	if err != nil {
		t.Fatal(err)
	}
	run := func(s *Subject, admit []float64) (mean, half float64) {
		t.Helper()
		r, err := Replicate(ctx, under(t, s.Workload, "hol", nil, admit, 5), 12, 1)
		if err != nil {
			t.Fatal(err)
		}
		x := r.Interval(metric.RevenuePerSecond(), -1)
		return x.Mean, 2 * x.HalfWidth // of 99.9 % and more
	}
	formula := func(s *Subject, o SolveOptions) *Answer {
		t.Helper()
		a, err := Analyze(ctx, s, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := Solve(ctx, a, o)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	best := formula(stated, SolveOptions{Prices: true})
	got, half := run(priced, priced.Shares)
	if want := float64(best.RevenuePerSecond); math.Abs(got-want) > half {
		t.Errorf("the best prices earn %g ± %g $/s, by the formula %g", got, half, want)
	}
	plain := formula(stated, SolveOptions{})
	var q []float64
	for _, c := range plain.Classes {
		q = append(q, float64(c.Admit))
	}
	if old, oldHalf := run(stated, q); old+oldHalf > got-half {
		t.Errorf("the best prices earn %g ± %g $/s, the stated ones %g ± %g", got, half, old, oldHalf)
	}
	for i, c := range best.Classes {
		if p := priced.Scenario.Classes[i]; math.Abs(p.MeanPrice()-float64(c.Price)) > 1e-9*p.MeanPrice() || math.Abs(p.Rate-float64(c.Rate)) > 1e-9*p.Rate {
			t.Errorf("%s: price %g, rate %g, want %g and %g", c.Name, p.MeanPrice(), p.Rate, c.Price, c.Rate)
		}
	}
}

// TestNoDemand checks that there must be a price to choose.
func TestNoDemand(t *testing.T) {
	none := opened(t, "server: {parallel: 1}\nload: 0.5\nclasses:\n  - {name: a, length: {mean: 60, sd: 20}, price: 1}\n")
	var missing *NoDemandError
	if _, err := Priced(context.Background(), none); !errors.As(err, &missing) {
		t.Errorf("got %v, want a NoDemandError", err)
	}
}

// TestPricesOfPoints checks that the prices of a validation along an axis are those
// of each point.
func TestPricesOfPoints(t *testing.T) {
	ctx := context.Background()
	loads := []float64{0.6, 1.2, 1.8}
	priced, all := beside(t, "hol", nil, nil), beside(t, "hol", nil, nil)
	priced.Admission.Name, all.Admission.Name = scenario.AdmitPrices, scenario.AdmitAll
	v := against{scenario: opened(t, shop).Document, vary: scenario.Axis{Path: "load", Values: loads}, rows: []PlanRow{priced}, jobs: 100, replications: 1}
	x, err := v.open()
	if err != nil {
		t.Fatal(err)
	}
	for k, load := range loads {
		a, err := Analyze(ctx, opened(t, shop, scenario.Set("load", load)), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		best, err := Solve(ctx, a, SolveOptions{Prices: true})
		if err != nil {
			t.Fatal(err)
		}
		at, err := x.ready(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range at.subject.Scenario.Classes {
			want, admit := best.Classes[i], at.experiment(0, priced.Admission).Admission.Admit[i]
			if math.Abs(c.MeanPrice()-float64(want.Price)) > 1e-9*c.MeanPrice() || admit != float64(want.Admit) {
				t.Errorf("load %g: %s at %g $, %g let in, want %g and %g", load, c.Name, c.MeanPrice(), admit, want.Price, want.Admit)
			}
		}
	}
	v.rows = append(v.rows, all)
	if _, err := v.open(); err == nil {
		t.Error("rows with jobs that differ are compared")
	}
}

// TestSearchPrices holds prices searched on the simulator against those of the
// formula where that is exact, and against the stated ones on a trace.
func TestSearchPrices(t *testing.T) {
	ctx := context.Background()
	earns := func(s *Subject, policy string, m metric.Measure) []float64 {
		t.Helper()
		r, err := Replicate(ctx, under(t, s.Workload, policy, nil, s.Shares, 5), 12, 1)
		if err != nil {
			t.Fatal(err)
		}
		return r.Values(m, -1)
	}
	searched := func(s *Subject, policy string, effort scenario.SearchEffort) *Subject {
		t.Helper()
		search := Search{under(t, s.Workload, policy, nil, nil, 5), effort, 1, nil}
		shares, err := search.prices(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		found, err := (&vendor{subject: s, known: map[string]*Subject{}}).selling(ctx, shares)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	s := opened(t, shop)
	model, err := Priced(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	effort := scenario.SearchEffort{Jobs: 5000, Replications: 4, Step: 1. / 16}
	less := metric.Difference(earns(searched(s, "hol", effort), "hol", metric.RevenuePerSecond()), earns(model, "hol", metric.RevenuePerSecond()), 0.95)
	best := metric.Estimate(earns(model, "hol", metric.RevenuePerSecond()), 0.95).Mean
	if less.Mean+2*less.HalfWidth < -0.01*best || less.Mean-2*less.HalfWidth > 0.01*best {
		t.Errorf("searched prices earn %g ± %g $/s more than the %g of the best", less.Mean, less.HalfWidth, best)
	}
	site := opened(t, `trace: {file: sp2-like, jobs: last:300, cleaning: drop}
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
