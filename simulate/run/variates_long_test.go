//go:build long

package run

import (
	"context"
	"fmt"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// Intervals with control variates cover in 91 to 99 % of 300 runs, of 5 and of 20
// replications, and their means are those without, within chance.
func TestControlledCoverage(t *testing.T) {
	const runs = 300
	for _, load := range []float64{0.9, 3} {
		w := fixture.Builtin(t, "nist-cluster", scenario.Set("load", load), scenario.Set("simulation.jobs", 1500)).Workload
		e := under(t, w, "hol", nil, nil, 1)
		type run struct{ controlled, plain [2]metric.Interval }
		sizes := [2]int{5, 20}
		found, err := metric.Replicate(context.Background(), 0, runs, 0, func(ctx context.Context, k int) (run, error) {
			var r run
			samples, err := metric.Replicate(ctx, sizes[1]*k, sizes[1]*(k+1), 1, func(ctx context.Context, k int) (Sample, error) { return e.Run(ctx, k) })
			if err != nil {
				return r, err
			}
			for i, n := range sizes {
				s := NewRuns(e, samples[:n]).Series(All, ColumnRevenue)
				r.controlled[i], r.plain[i] = new(Frame).Estimate(s), metric.Estimate(s.plain, metric.DefaultLevel)
			}
			return r, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var controlled, plain []float64
		for _, r := range found {
			controlled, plain = append(controlled, r.controlled[1].Mean), append(plain, r.plain[1].Mean)
		}
		truth := metric.Estimate(controlled, 0.999)
		if d := metric.Difference(controlled, plain, 0.999); !d.Contains(0) {
			t.Errorf("load %g: control variates move the mean by %+v", load, d)
		}
		for i, n := range sizes {
			var cover, plainly int
			var means, plains []float64
			for _, r := range found {
				if r.controlled[i].Contains(truth.Mean) {
					cover++
				}
				if r.plain[i].Contains(truth.Mean) {
					plainly++
				}
				means, plains = append(means, r.controlled[i].Mean), append(plains, r.plain[i].Mean)
			}
			reduced := math.Pow(metric.Estimate(plains, 0.95).HalfWidth/metric.Estimate(means, 0.95).HalfWidth, 2)
			t.Log(fmt.Sprintf("load %g, %d replications: %.1f %% cover, %.1f %% plain; variance reduced %.1f times", load, n, 100*float64(cover)/runs, 100*float64(plainly)/runs, reduced))
			if cover < 91*runs/100 || cover > 99*runs/100 { // chance is 1.3 %
				t.Errorf("load %g, %d replications: %d of %d intervals cover", load, n, cover, runs)
			}
		}
	}
}

// Intervals at which --precision stops cover as well. Replications of 2,000 jobs are
// looked at after 4, 8, 16, ...; the precisions need several looks.
func TestStoppedCoverage(t *testing.T) {
	const runs = 300
	for _, test := range []struct{ load, precision float64 }{{0.9, 0.003}, {1.5, 0.01}} {
		s := fixture.Builtin(t, "nist-cluster", scenario.Set("load", test.load))
		w := s.Workload
		truth := interval(replicated(t, under(t, w, "hol", nil, nil, 99999), 1000, 0), ColumnRevenue)
		var cover, replications int
		for seed := range uint64(runs) {
			l := labOf(t, s, Options{Seed: seed})
			row := beside(l, "hol", nil)
			f, err := l.Until(t.Context(), []Case{row}, nil, Stop{Column: ColumnRevenue, Relative: test.precision})
			if err != nil {
				t.Fatal(err)
			}
			replications += f.N(row)
			if f.Estimate(f.Series(row, All, ColumnRevenue)).Contains(truth.Mean) {
				cover++
			}
		}
		t.Logf("load %g to %g %%: %.1f %% cover %.4g ± %.2g, %.1f replications", test.load, 100*test.precision, 100*float64(cover)/runs, truth.Mean, truth.HalfWidth, float64(replications)/runs)
		if cover < 91*runs/100 || cover > 295 { // chance is 1.3 %, and few replications have wider intervals
			t.Errorf("load %g to %g: %d of %d intervals cover", test.load, test.precision, cover, runs)
		}
	}
}
