package simulate_test

import (
	"context"
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

// replications returns a figure of ten replications.
func replications(t *testing.T, classes []model.Class, backfill bool, figure string) []float64 {
	t.Helper()
	f, ok := metric.Lookup(figure)
	if !ok {
		t.Fatalf("no figure %s", figure)
	}
	got, err := metric.Replicate(context.Background(), 0, 10, 0, func(ctx context.Context, replication int) (float64, error) {
		sum, err := audited(ctx, classes, replication, backfill)
		return f.Of(sum), err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSectionVI compares admit-all on the cluster of Table 2 with what is
// known of it: $1800 per admitted job up to a load of 0.9 (Fig. 17), and an
// independent simulation's revenue per second beyond.
func TestSectionVI(t *testing.T) {
	for _, test := range []struct {
		load   float64
		figure string
		want   float64
		within float64 // of the reference
	}{
		{0.5, "revenue_per_job", 1800, 10},
		{0.9, "revenue_per_job", 1800, 10},
		{0.5, "utilization", 0.5, 0.005},
		{0.9, "utilization", 0.9, 0.01},
		{1.25, "revenue_per_second", 2.53, 0.02},
		{3, "revenue_per_second", 3.62, 0.02},
		{3, "utilization", 1, 0.005},
	} {
		got := metric.Estimate(replications(t, table2(test.load), false, test.figure), 0.999)
		if d := got.Mean - test.want; d > got.HalfWidth+test.within || -d > got.HalfWidth+test.within {
			t.Errorf("load %g: %s is %.4g +- %.2g, want %g", test.load, test.figure, got.Mean, got.HalfWidth, test.want)
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
	plain := replications(t, classes, false, "utilization")
	filled := replications(t, classes, true, "utilization")
	if got := metric.Estimate(plain, 0.95).Mean; got < 0.85 || got > 0.95 {
		t.Errorf("utilization %g without backfilling, want about 0.9", got)
	}
	if gain := metric.Difference(filled, plain, 0.999); gain.Mean-gain.HalfWidth <= 0 {
		t.Errorf("backfilling gains %g +- %g of utilization", gain.Mean, gain.HalfWidth)
	}
}
