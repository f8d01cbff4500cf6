//go:build long

package simulation

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/fixture"
	"revopt/simulate/study"
)

// Intervals of generated jobs at a stated load cover the mean over seeds as often as they say: of 60
// intervals at 95 %, fewer than 53 do with a probability of 0.5 %.
func TestLoadCovers(t *testing.T) {
	const seeds, least = 60, 53
	measures := []string{"value_per_second", "mean_wait", "utilization"}
	list := make([][]study.Estimate, len(measures))
	var loads []float64
	for seed := range uint64(seeds) {
		r := run(t, &Simulation{Subject: seeded(t, seed+1), Policies: fixture.Named(t, "easy"), Replications: 30, Seed: seed + 1})
		loads = append(loads, float64(r.Load))
		for i, name := range measures {
			list[i] = append(list[i], r.Policies[0].Total.Get(name))
		}
	}
	mean, sd := stat.MeanStdDev(loads, nil)
	if math.Abs(mean-0.8) > 0.008+3*sd/math.Sqrt(seeds) {
		t.Errorf("the mean load is %.4f", mean)
	}
	for i, name := range measures {
		sum := 0.0
		for _, e := range list[i] {
			sum += float64(e.Mean)
		}
		covered := 0
		for _, e := range list[i] {
			if math.Abs(float64(e.Mean)-sum/seeds) <= float64(e.HalfWidth) {
				covered++
			}
		}
		if t.Logf("%s: %d of %d", name, covered, seeds); covered < least {
			t.Errorf("%s: %d of %d intervals cover the mean", name, covered, seeds)
		}
	}
}
