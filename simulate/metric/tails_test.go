package metric_test

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/metric"
)

func TestTails(t *testing.T) {
	tails := metric.NewTails(2, []float64{0, 3})
	see := func(kind simulate.Kind, class int, wait float64, measured bool) {
		tails.Observe(simulate.Event{Kind: kind, Time: 10 + wait, Job: &simulate.Job{Class: class, Submit: 10, Measured: measured}})
	}
	for _, wait := range []float64{0, 2, 3, 8} {
		see(simulate.Started, 0, wait, true)
	}
	see(simulate.Started, 0, 100, false)  // warm-up
	see(simulate.Completed, 0, 100, true) // not a start
	tails.Observe(simulate.Event{Kind: simulate.Opened})
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"mean", tails.Mean(0), 13.0 / 4},
		{"P(W > 0)", tails.Tail(0, 0), 0.75},
		{"P(W > 3)", tails.Tail(0, 1), 0.25},
		{"E[(W-0)+]", tails.Excess(0, 0), 13.0 / 4},
		{"E[(W-3)+]", tails.Excess(0, 1), 5.0 / 4},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %g, want %g", c.name, c.got, c.want)
		}
	}
	if got := tails.Tail(1, 0); !math.IsNaN(got) {
		t.Errorf("a class without jobs: %g", got)
	}
}
