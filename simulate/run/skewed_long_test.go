//go:build long

package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// Of 200 experiments at most 10 % (5.5 % and three standard errors) have an interval
// that misses the mean without a warning, and at most 10 % of those of a queue that behaves
// have a warning.
func TestSkewedCoverage(t *testing.T) {
	const runs, most = 200, 10
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
		{"deterministic", deterministic, 0.5, true},
		{"hyperexponential", hyperexponential, 0.5, false},
		{"rare lognormal", rare, 0.5, false},
		{"rare lognormal", rare, 0.9, false},
	} {
		e := under(t, fixture.Opened(t, test.text, scenario.Set("load", test.load)).Workload, "hol", nil, nil, 1)
		run := func(ctx context.Context, k int) (Sample, error) { return e.Run(ctx, k) }
		samples, err := metric.Replicate(context.Background(), 0, most*runs, 0, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []string{ColumnMeanWait, ColumnRevenue} {
			truth := interval(NewRuns(e, samples), m).Mean
			for _, n := range []int{5, most} {
				var missed, warned, silent int
				for k := range runs {
					o := NewRuns(e, samples[most*k:][:n])
					miss, warn := !interval(o, m).Contains(truth), o.skewness(e) > tooSkewed(n)
					missed, warned = missed+int(metric.Indicator(miss)), warned+int(metric.Indicator(warn))
					silent += int(metric.Indicator(miss && !warn))
				}
				t.Logf("%s at %g, %s, %d replications: %.1f %% miss, %.1f %% without a warning, %.1f %% warned",
					test.name, test.load, m, n, 100*float64(missed)/runs, 100*float64(silent)/runs, 100*float64(warned)/runs)
				if silent > runs/10 || test.behave && warned > runs/10 {
					t.Errorf("%s at %g, %s, %d replications: %d misses without a warning, %d warnings",
						test.name, test.load, m, n, silent, warned)
				}
			}
		}
	}
}

// drawnMix returns two classes whose lengths, shares, load and servers are drawn.
func drawnMix(r *rand.Rand) string {
	pick := func(list ...float64) float64 { return list[r.IntN(len(list))] }
	text := fmt.Sprintf("name: mix\nload: %g\nserver: {parallel: %g}\nsimulation: {jobs: %g}\nclasses:\n",
		pick(0.4, 0.6, 0.8), pick(1, 3, 6, 12), pick(1000, 4000))
	share := pick(0.5, 0.2, 0.05)
	for i, s := range []float64{1 - share, share} {
		mean, cv := []float64{100, 300}[i], pick(0.5, 1.2, 2, 3)
		length := fmt.Sprintf("{dist: gamma, mean: %g, sd: %g}", mean, cv*mean)
		switch r.IntN(4) {
		case 0:
			length = fmt.Sprintf("{dist: exponential, mean: %g}", mean)
		case 1:
			length = fmt.Sprintf("{dist: deterministic, mean: %g}", mean)
		case 2:
			length = fmt.Sprintf("{dist: lognormal, mean: %g, sd: %g}", mean, cv*mean)
		}
		text += fmt.Sprintf("  - {name: %c, share: %g, length: %s, price: 5, decay: 0.00%d}\n", 'a'+i, s, length, 2-i)
	}
	return text
}

// TestSkewedDrawn: on mixes that are drawn, experiments whose intervals miss the mean wait in more than 14 %
// (10 %, and noise) warn, and those that miss in at most 6 % mostly do not.
func TestSkewedDrawn(t *testing.T) {
	const mixes, runs, n = 5, 200, 10
	r := rand.New(rand.NewPCG(43, 15))
	for k := range mixes {
		text := drawnMix(r)
		e := under(t, fixture.Opened(t, text).Workload, "hol", nil, nil, 1)
		run := func(ctx context.Context, k int) (Sample, error) { return e.Run(ctx, k) }
		samples, err := metric.Replicate(context.Background(), 0, n*runs, 0, run)
		if err != nil {
			t.Fatal(err)
		}
		all, worst, warned := NewRuns(e, samples), 0, 0
		for _, group := range []string{All, Customer("a"), Customer("b")} {
			truth, missed := new(Frame).Estimate(all.Series(group, ColumnMeanWait)).Mean, 0
			warned = 0
			for q := range runs {
				o := NewRuns(e, samples[n*q:][:n])
				if !new(Frame).Estimate(o.Series(group, ColumnMeanWait)).Contains(truth) {
					missed++
				}
				if o.skewness(e) > tooSkewed(n) {
					warned++
				}
			}
			worst = max(worst, missed)
		}
		t.Logf("mix %d: %.1f %% miss, %.0f %% warned\n%s", k, 100*float64(worst)/runs, 100*float64(warned)/runs, text)
		if worst > 14*runs/100 && warned < runs*9/10 || worst <= 6*runs/100 && warned > runs/10 {
			t.Errorf("mix %d: %d of %d miss, %d warned\n%s", k, worst, runs, warned, text)
		}
	}
}
