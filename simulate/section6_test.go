package simulate_test

import (
	"context"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// audited simulates classes on 5000 processors under HOL, and under audit.
func audited(ctx context.Context, classes []model.Class, replication int, backfill bool) (metric.Sum, error) {
	source, err := drawn(classes, 6, replication)
	if err != nil {
		return metric.Sum{}, err
	}
	audit, tally := new(simulate.Audit), metric.NewTally(len(classes))
	_, err = simulate.Run(ctx, simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{{Processors: 5000, Policy: policy.NewHOL(backfill)}},
		Window:    simulate.Window{WarmupJobs: 2000, Jobs: 20_000},
		Charging:  simulate.ByValue,
		Observers: []simulate.Observer{audit, tally},
	})
	if err == nil {
		err = audit.Err()
	}
	return tally.Total(), err
}

// replications returns the sums of ten replications.
func replications(t *testing.T, classes []model.Class, backfill bool) []metric.Sum {
	t.Helper()
	sums := must(metric.Replicate(context.Background(), 0, 10, 0, func(ctx context.Context, replication int) (metric.Sum, error) {
		return audited(ctx, classes, replication, backfill)
	}))
	return sums
}

// column returns a figure of replications.
func column(t *testing.T, sums []metric.Sum, figure string) (x []float64) {
	t.Helper()
	f, ok := metric.Lookup(figure)
	if !ok {
		t.Fatalf("no figure %s", figure)
	}
	for _, sum := range sums {
		x = append(x, f.Of(sum))
	}
	return x
}

// TestSectionVI compares admit-all on the cluster of Table 2 with known results:
// $1800 per admitted job up to a load of 0.9 (Fig. 17), and the revenue per second
// of an independent simulation beyond.
func TestSectionVI(t *testing.T) {
	type result struct{ want, within float64 } // within: of the reference
	for load, results := range map[float64]map[string]result{
		0.5:  {"revenue_per_job": {1800, 10}, "utilization": {0.5, 0.005}},
		0.9:  {"revenue_per_job": {1800, 10}, "utilization": {0.9, 0.01}},
		1.25: {"revenue_per_second": {2.53, 0.02}},
		3:    {"revenue_per_second": {3.62, 0.02}, "utilization": {1, 0.005}},
	} {
		sums := replications(t, table2(load), false)
		for figure, r := range results {
			got := metric.Estimate(column(t, sums, figure), 0.999)
			if math.Abs(got.Mean-r.want) > got.HalfWidth+r.within {
				t.Errorf("load %g: %s is %.4g +- %.2g, want %g", load, figure, got.Mean, got.HalfWidth, r.want)
			}
		}
	}
}

// TestWidths: with the paper's mix of widths jobs that do not fit leave
// processors idle, "90 % average when all jobs were admitted"; backfilling
// uses them.
func TestWidths(t *testing.T) {
	classes := table2(3)
	width := model.Width{Values: []float64{250, 750, 1500}, Weights: []float64{0.5, 0.3, 0.2}}
	for i := range classes {
		classes[i].Width = width
		classes[i].Rate *= 500 / width.Mean()
	}
	plain := column(t, replications(t, classes, false), "utilization")
	filled := column(t, replications(t, classes, true), "utilization")
	if got := metric.Estimate(plain, 0.95).Mean; got < 0.85 || got > 0.95 {
		t.Errorf("utilization %g without backfilling, want about 0.9", got)
	}
	if gain := metric.Difference(filled, plain, 0.999); gain.Mean-gain.HalfWidth <= 0 {
		t.Errorf("backfilling gains %g +- %g of utilization", gain.Mean, gain.HalfWidth)
	}
}
