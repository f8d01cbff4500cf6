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
	priced, err := stated.Priced(ctx)
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
		a, err := s.Analyze(ctx, 1, 0)
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
	if _, err := none.Priced(context.Background()); !errors.As(err, &missing) {
		t.Errorf("got %v, want a NoDemandError", err)
	}
}

// TestPricesOfPoints checks that the prices of a validation along an axis are those
// of each point.
func TestPricesOfPoints(t *testing.T) {
	ctx := context.Background()
	loads := []float64{0.6, 1.2, 1.8}
	v := Validation{Scenario: opened(t, shop).Document, Vary: scenario.Axis{Path: "load", Values: loads}, Contenders: []Contender{{Policy: "hol", Admission: scenario.AdmitPrices}}}
	w, err := v.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for k, load := range loads {
		a, err := opened(t, shop, scenario.Set("load", load)).Analyze(ctx, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		best, err := Solve(ctx, a, SolveOptions{Prices: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range w.Subject(k).Scenario.Classes {
			want, admit := best.Classes[i], w.experiments(k)[0].Admission.Admit[i]
			if math.Abs(c.MeanPrice()-float64(want.Price)) > 1e-9*c.MeanPrice() || admit != float64(want.Admit) {
				t.Errorf("load %g: %s at %g $, %g let in, want %g and %g", load, c.Name, c.MeanPrice(), admit, want.Price, want.Admit)
			}
		}
	}
	v.Contenders = append(v.Contenders, Contender{Policy: "hol", Admission: scenario.AdmitAll})
	if _, err := v.Open(ctx); err == nil {
		t.Error("contenders with jobs that differ are compared")
	}
}
