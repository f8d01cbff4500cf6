package ask

import (
	"context"
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Solve gives the optimum, its prices and what the model does not look at, for
// classes and for traces, and the exact utility its own.
func TestSolve(t *testing.T) {
	s := fixture.Opened(t, machine, scenario.Set("load", 1.4))
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := best(context.Background(), a, solveOptions{})
	if err != nil || !got.Proven() || !got.Certified || got.RevenuePerSecond > got.UpperBoundPerSecond || got.RelativeGap > 1e-6 {
		t.Fatalf("%+v, %v", got, err)
	}
	var sum float64
	for _, c := range got.Classes {
		sum += c.RevenuePerSecond
	}
	if math.Abs(float64(sum-got.RevenuePerSecond)) > 1e-9*float64(sum) || !(got.Prices.Capacity > 0) {
		t.Errorf("the classes earn %g of %g, a slot is worth %g", sum, got.RevenuePerSecond, got.Prices.Capacity)
	}
	for _, field := range []string{"max_penalty", "expire"} {
		if !slices.ContainsFunc(got.Warnings, func(w warn.Warning) bool { return w.Ignores(field) }) {
			t.Errorf("no warning about %s", field)
		}
	}
	local, err := best(context.Background(), a, solveOptions{Method: optimize.MethodCG})
	if err != nil || local.RevenuePerSecond > got.UpperBoundPerSecond || local.Certified || !slices.ContainsFunc(local.Warnings, func(w warn.Warning) bool { return w.Value("why").Word == "conjugate gradients are a local search" }) {
		t.Errorf("%+v, %v", local, err)
	}
	exact, err := best(context.Background(), a, solveOptions{Exact: true})
	if err != nil || !exact.Exact || exact.System.Residual != model.Pooled || !slices.ContainsFunc(exact.Warnings, func(w warn.Warning) bool { return w.Ignores("residual") }) ||
		slices.ContainsFunc(exact.Warnings, func(w warn.Warning) bool { return w.Ignores("max_penalty") }) {
		t.Errorf("%+v, %v", exact, err)
	}
	fitted, err := analytic.Analyze(context.Background(), fixture.Opened(t, fixture.MixedTrace), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if of, err := best(context.Background(), fitted, solveOptions{}); err != nil || !(of.RevenuePerSecond > 0) {
		t.Errorf("%+v, %v", of, err)
	}
}

// Along the number of nodes arrivals stay, the revenue never falls, and its slope
// is the shadow price.
func TestSolveCurve(t *testing.T) {
	doc, err := fixture.Parsed(t, machine).With(scenario.Override{Path: "server.residual", Value: "pooled"})
	if err != nil {
		t.Fatal(err)
	}
	c := &curve{Vary: "server.nodes", gap: usualGap}
	c.at = func(x float64) (*analytic.Analysis, *subject.Subject, error) {
		changed, err := doc.With(scenario.Set("server.nodes", x))
		if err != nil {
			return nil, nil, err
		}
		s, err := subject.Open(context.Background(), changed, 1, nil)
		if err != nil {
			return nil, nil, err
		}
		a, err := analytic.Analyze(context.Background(), s, 1, 0)
		return a, s, err
	}
	err = c.solve(context.Background(), []float64{99, 100, 101, 116, 132, 148, 164})
	if err != nil || len(c.Points) != 7 {
		t.Fatal(err)
	}
	for i, p := range c.Points {
		offered, _ := p.Rates()
		if first, _ := c.Points[0].Rates(); math.Abs(offered-first) > 1e-12*first || i > 0 && p.RevenuePerSecond < c.Points[i-1].RevenuePerSecond*(1-1e-6) {
			t.Errorf("at %g nodes %g jobs/s are offered and %g $/s earned", p.Value, offered, p.RevenuePerSecond)
		}
	}
	a, _, err := c.at(100)
	if err != nil {
		t.Fatal(err)
	}
	own, err := best(context.Background(), a, solveOptions{Gap: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	slope := float64(c.Points[2].RevenuePerSecond-c.Points[0].RevenuePerSecond) / 2
	if price := own.Prices.Capacity / 4; !(math.Abs(slope/price-1) < 0.05) { // jobs are 4 nodes wide
		t.Errorf("a node more earns %g $/s, its price is %g", slope, price)
	}
}
