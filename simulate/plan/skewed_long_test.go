//go:build long

package plan

import (
	"context"
	"fmt"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
)

// Of 400 experiments at most 10 % (6.5 % and three standard errors) have an interval
// that misses the mean without a warning, and at most 10 % of those of a queue that behaves
// have a warning. The deterministic lengths are a known false alarm: their intervals
// cover, yet about 23 % of the runs warn.
func TestSkewedCoverage(t *testing.T) {
	const runs, most = 400, 10
	classes := func(servers int, a, b string) string {
		return fmt.Sprintf("name: mix\nload: 0.5\nserver: {parallel: %d}\nclasses:\n  - {name: a, %s, decay: 0.002}\n"+
			"  - {name: b, %s, decay: 0.001}\nsimulation: {jobs: 2000}\n", servers, a, b)
	}
	exponential := "share: 0.5, length: {dist: exponential, mean: 100}, price: 5"
	deterministic := classes(4, "share: 0.5, length: {dist: deterministic, mean: 100}, price: 5",
		"share: 0.5, length: {dist: deterministic, mean: 200}, price: 5")
	hyperexponential := classes(2, "share: 0.7, length: {dist: exponential, mean: 100}, price: 5",
		"share: 0.3, length: {dist: hyperexponential, mean: 200, sd: 400}, price: 10")
	rare := classes(4, "share: 0.98, length: {dist: exponential, mean: 100}, price: 5",
		"share: 0.02, length: {dist: lognormal, mean: 1000, sd: 4000}, price: 200")
	for _, test := range []struct {
		name   string
		text   string
		load   float64
		behave bool
	}{
		{"exponential", classes(1, exponential, exponential), 0.5, true},
		{"exponential", classes(1, exponential, exponential), 0.9, false},
		{"deterministic, a known false alarm", deterministic, 0.5, false},
		{"hyperexponential", hyperexponential, 0.5, false},
		{"rare lognormal", rare, 0.5, false},
		{"rare lognormal", rare, 0.9, false},
	} {
		e := under(t, fixture.Opened(t, test.text, scenario.Set("load", test.load)).Workload, "hol", nil, nil, 1)
		run := func(ctx context.Context, k int) (experiment.Sample, error) { return e.Run(ctx, k) }
		samples, err := metric.Replicate(context.Background(), 0, most*runs, 0, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []metric.Measure{metric.MeanWait(), metric.RevenuePerSecond()} {
			truth := NewOutcome(e, samples).Interval(m, -1).Mean
			for _, n := range []int{5, most} {
				var missed, warned, silent int
				for k := range runs {
					o := NewOutcome(e, samples[most*k:][:n])
					miss, warn := !o.Interval(m, -1).Contains(truth), skewness(e, o) > tooSkewed(n)
					missed, warned = missed+int(metric.Indicator(miss)), warned+int(metric.Indicator(warn))
					silent += int(metric.Indicator(miss && !warn))
				}
				t.Logf("%s at %g, %s, %d replications: %.1f %% miss, %.1f %% without a warning, %.1f %% warned",
					test.name, test.load, m.Name, n, 100*float64(missed)/runs, 100*float64(silent)/runs, 100*float64(warned)/runs)
				if silent > runs/10 || test.behave && warned > runs/10 {
					t.Errorf("%s at %g, %s, %d replications: %d misses without a warning, %d warnings",
						test.name, test.load, m.Name, n, silent, warned)
				}
			}
		}
	}
}
