package plan

import (
	"context"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
)

// TestRentSimulated compares a simulated lottery on one server, whose refused jobs are sent to
// rented units, with the formula. All jobs are worth more than their rent, and waiting costs less,
// so that all refused jobs and no others are sent.
func TestRentSimulated(t *testing.T) {
	s := fixture.Opened(t, `server: {nodes: 1, residual: pooled}
machine: {rent: {price: 14.4}}
simulation: {jobs: 20000}
classes:
  - {name: a, rate: 0.0006, length: {dist: exponential, mean: 15m}, price: {per_hour: 36}, decay: 1e-6}
  - {name: b, rate: 0.0005, length: {dist: exponential, mean: 25m}, price: {per_hour: 24}, decay: 1e-7}
`)
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	admit := []float64{0.8, 0.3}
	hol, err := model.NewHOL(a.System)
	if err != nil {
		t.Fatal(err)
	}
	want := hol.Revenue(admit) + a.System.Outside()
	got := sampled(t, s, func(p *Plan) { p.Replications = 6 }, beside(t, "hol", nil, admit)).Row(0, 0)
	if earned := got.Interval(metric.RevenuePerSecond(), -1); math.Abs(earned.Mean-want) > 0.01*want {
		t.Errorf("simulated %+v, by formula %g", earned, want)
	}
}
