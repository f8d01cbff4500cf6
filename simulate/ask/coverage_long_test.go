//go:build long

package ask

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// TestLoadCovers: intervals of generated jobs at a stated load cover the mean over seeds as often as they say: of 60
// intervals at 95 %, fewer than 53 do with a probability of 0.5 %.
func TestLoadCovers(t *testing.T) {
	const seeds, least = 60, 53
	measures := []string{run.ColumnValue, run.ColumnMeanWait, run.ColumnUtilization}
	list := make([][]metric.Interval, len(measures))
	var loads []float64
	for seed := range uint64(seeds) {
		doc, err := scenario.Builtin("site")
		if err == nil {
			doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"})
		}
		if err != nil {
			t.Fatal(err)
		}
		c := covering(t, doc, seed+1, Request{Policies: []string{"easy"}, Replications: "30"})
		loads = append(loads, answer.Fact{Values: c.Answer.Values}.Value("load").Number)
		for i, name := range measures {
			list[i] = append(list[i], of(c, run.All, name))
		}
	}
	mean, sd := stat.MeanStdDev(loads, nil)
	if math.Abs(mean-0.8) > 0.008+3*sd/math.Sqrt(seeds) {
		t.Errorf("the mean load is %.4f", mean)
	}
	for i, name := range measures {
		sum := 0.0
		for _, e := range list[i] {
			sum += e.Mean
		}
		covered := 0
		for _, e := range list[i] {
			if e.Contains(sum / seeds) {
				covered++
			}
		}
		if t.Logf("%s: %d of %d", name, covered, seeds); covered < least {
			t.Errorf("%s: %d of %d intervals cover the mean", name, covered, seeds)
		}
	}
}

// covering simulates a scenario with a seed.
func covering(t *testing.T, doc *scenario.Document, seed uint64, q Request) *Comparison {
	t.Helper()
	l, err := run.NewLab(context.Background(), doc, run.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Simulate(context.Background(), l, q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
