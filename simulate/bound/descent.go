package bound

import (
	"context"
	"math"
)

// response is a relaxed problem seen from its prices: what the jobs earn beyond
// the price of the machine's time if each takes what is best for it, and how much
// of every cell they then take.
//
// Levels are prices of goods in cells, in the order of goods. The bound at any
// levels is the value of all that is sold at these prices plus what the jobs
// earn, see Prices.bound; descent looks for levels that make it small.
type response interface {
	// take adds what jobs take at the levels to used and returns what they earn.
	take(level, used []float64) float64
}

// descent lowers a convex bound by steps against its subgradient (Polyak 1969):
// supply of a good less what jobs take of it, averaged over the last steps. The
// step is that to a target below the best bound so far, further with each success,
// nearer and from the best levels again after some rounds without. Goods are measured in units of their supply, so
// that cells of any length move alike. It ends after so many rounds of no success
// as patience says, or so many rounds in all, and returns the best levels and bound.
func descent(ctx context.Context, r response, supply, level []float64, rounds, patience int) ([]float64, float64) {
	at, best := append([]float64(nil), level...), append([]float64(nil), level...)
	used, average := make([]float64, len(level)), make([]float64, len(level))
	least, ahead := math.Inf(1), 0.02
	idle, stale := 0, 0
	for round := 0; round < rounds && stale < patience; round++ {
		clear(used)
		bound := r.take(at, used)
		for k, s := range supply {
			bound += s * at[k]
		}
		if ctx.Err() != nil {
			return best, math.Inf(1)
		}
		idle, stale = idle+1, stale+1
		if bound < least*(1-1e-5) {
			idle, stale = 0, 0
			ahead = math.Min(0.5, 1.5*ahead)
		}
		if bound < least {
			least = bound
			copy(best, at)
		}
		if idle >= 12 {
			ahead, idle = ahead/2, 0
			copy(at, best)
			clear(average)
			continue
		}
		const memory = 0.5
		var norm float64
		for k, s := range supply {
			g := s - used[k]
			if at[k] == 0 && g > 0 {
				g = 0
			}
			if round > 0 {
				g = (1-memory)*g + memory*average[k]
			}
			average[k] = g
			if s > 0 {
				norm += g * g / s
			}
		}
		if norm == 0 {
			break
		}
		step := (bound - (1-ahead)*least) / norm
		for k, s := range supply {
			if s > 0 {
				at[k] = math.Max(0, at[k]-step*average[k]/s)
			}
		}
	}
	return best, least
}

// ascent raises a concave bound, of which r takes the negative, by steps along its slope, supply less what is used,
// and returns the best levels. A level moves by its size, however steep the bound is there: the mean of its last
// slopes over their root mean square (Kingma and Ba 2015). Steps shrink evenly to a hundredth.
func ascent(ctx context.Context, r response, supply, level, size []float64, rounds int) []float64 {
	const recent, before, flat = 0.9, 0.98, 0.01
	at, best := append([]float64(nil), level...), append([]float64(nil), level...)
	used := make([]float64, len(level))
	mean, square := make([]float64, len(level)), make([]float64, len(level))
	least := math.Inf(1)
	for round := 0; round < rounds && ctx.Err() == nil; round++ {
		clear(used)
		bound := r.take(at, used)
		for k, s := range supply {
			bound += s * at[k]
		}
		if bound < least {
			least = bound
			copy(best, at)
		}
		step := math.Pow(0.01, float64(round)/float64(rounds)) / (1 - math.Pow(recent, float64(round+1)))
		known := 1 - math.Pow(before, float64(round+1))
		for k, s := range supply {
			if s == 0 {
				continue
			}
			g := (s - used[k]) / s
			if at[k] == 0 && g > 0 {
				g = 0
			}
			mean[k] = recent*mean[k] + (1-recent)*g
			square[k] = before*square[k] + (1-before)*g*g
			at[k] = math.Max(0, at[k]-step*size[k]*mean[k]/(math.Sqrt(square[k]/known)+flat))
		}
	}
	return best
}
