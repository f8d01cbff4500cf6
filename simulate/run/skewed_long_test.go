//go:build long

package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/metric"
)

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
