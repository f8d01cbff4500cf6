package ask

import (
	"context"
	"fmt"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
)

// TestBestPricesSimulated holds the simulated revenue at the best prices against
// the formula and that at the stated prices, and that at another price against
// what the model makes of the demand there.
func TestBestPricesSimulated(t *testing.T) {
	ctx := context.Background()
	stated := fixture.Opened(t, shop)
	priced, err := analytic.Priced(ctx, stated)
	if err != nil {
		t.Fatal(err)
	}
	run := func(s *subject.Subject, admit []float64) (mean, half float64) {
		t.Helper()
		r, err := Replicate(ctx, under(t, s.Workload, "hol", nil, admit, 5), 12, 1)
		if err != nil {
			t.Fatal(err)
		}
		x := perSecond(r.Series(lab.All, lab.ColumnRevenue), metric.DefaultLevel)
		return x.Mean, 2 * x.HalfWidth // of 99.9 % and more
	}
	formula := func(s *subject.Subject, o solveOptions) *solved {
		t.Helper()
		a, err := analytic.Analyze(ctx, s, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := best(ctx, a, o)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	best := formula(stated, solveOptions{Prices: true})
	got, half := run(priced, priced.Shares)
	if want := float64(best.RevenuePerSecond); math.Abs(got-want) > half {
		t.Errorf("the best prices earn %g ± %g $/s, by the formula %g", got, half, want)
	}
	plain := formula(stated, solveOptions{})
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

// TestPricesOfPoints checks that the prices of a validation along an axis are those
// of each point.
func TestPricesOfPoints(t *testing.T) {
	ctx := context.Background()
	loads := []float64{0.6, 1.2, 1.8}
	bench, err := lab.NewLab(ctx, fixture.Opened(t, shop).Document, lab.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range loads {
		a, err := analytic.Analyze(ctx, fixture.Opened(t, shop, scenario.Set("load", load)), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		best, err := best(ctx, a, solveOptions{Prices: true})
		if err != nil {
			t.Fatal(err)
		}
		priced := bench.Base().With(false, fmt.Sprintf("load=%g", load))
		priced.Do.Policy, priced.Admission.Name = "hol", scenario.AdmitPrices
		priced.Jobs = lab.Jobs{Drained: true, Count: 100}
		e, err := bench.Experiment(ctx, priced)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range e.Workload.Customers() {
			want, admit := best.Classes[i], e.Admission.Admit[i]
			if math.Abs(c.MeanPrice()-float64(want.Price)) > 1e-9*c.MeanPrice() || admit != float64(want.Admit) {
				t.Errorf("load %g: %s at %g $, %g let in, want %g and %g", load, c.Name, c.MeanPrice(), admit, want.Price, want.Admit)
			}
		}
	}
}
