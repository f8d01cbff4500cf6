package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// TestBestRun: the best start of a run earns what a search of all starts at which its earnings
// may bend finds, with the price of its time summed cell by cell.
func TestBestRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	late := 0
	for trial := range 400 {
		grid := []float64{0}
		for range 1 + rng.IntN(6) {
			grid = append(grid, grid[len(grid)-1]+0.5+3*rng.Float64())
		}
		end := grid[len(grid)-1]
		level := make([]float64, len(grid)-1)
		for k := range level {
			level[k] = rng.Float64()
		}
		width := float64(1 + rng.IntN(3))
		job := Job{
			Release: end / 2 * rng.Float64(), End: end, Width: width,
			Parts: []Part{{width * (0.2 + 2*rng.Float64()), 1 + 5*rng.Float64()}},
			Late:  Lateness{end * rng.Float64(), rng.Float64(), 4 * rng.Float64()},
		}
		r := newRuns(context.Background(), []Job{job}, Machine{Nodes: 4, Capacity: 4, Speed: 1}, grid)
		if len(r.list) == 0 {
			continue
		}
		earned := r.take(level, make([]float64, len(level)))
		n := &r.list[0]
		earns := func(s float64) float64 {
			sum := n.worth(s)
			for k, l := range level {
				sum -= width * l * max(0, min(s+n.length, grid[k+1])-max(s, grid[k]))
			}
			return sum
		}
		starts := []float64{n.release, n.last, n.late.After - n.length, n.late.After + n.late.Most/n.late.Rate - n.length}
		for _, at := range grid {
			starts = append(starts, at, at-n.length)
		}
		want, first := 0.0, n.release
		for _, s := range starts {
			if s >= n.release && s <= n.last && earns(s) > want {
				want, first = earns(s), s
			}
		}
		if n.late.At(first+n.length) > 0 {
			late++
		}
		gain, start := r.best(n)
		if math.Abs(gain-want) > 1e-9 || math.Abs(earned-want) > 1e-9 || gain > 0 && math.Abs(earns(start)-gain) > 1e-9 {
			t.Errorf("trial %d: %g from %g, all runs %g, want %g from %g", trial, gain, start, earned, want, first)
		}
	}
	if late < 20 {
		t.Errorf("only %d best runs are late", late)
	}
}
