package bound

import (
	"math"
	"slices"
)

const (
	mostFine   = 1000    // cells of a linear program that is solved
	mostPlaces = 1 << 18 // cells, of all its jobs together
	mostWork   = 3e8     // multiplications, about half a second
	closest    = 1e-3    // gap at which it is solved
)

// evenGrid returns, where releases and lengths are multiples of a step, all multiples of it up to a time and a
// length beyond: nothing is lost by this grid. It is nil where there are too many.
func evenGrid(last float64, releases, lengths []float64) (grid []float64) {
	first := slices.Min(releases)
	last += slices.Max(lengths)
	step := commonStep(releases, lengths, (last-first)/mostFine)
	for k := 0.0; step > 0 && first+(k-1)*step < last; k++ {
		grid = append(grid, first+k*step)
	}
	if len(grid)*len(releases) > mostPlaces {
		return nil
	}
	return grid
}

// commonStep returns the largest time of which all lengths and all differences of releases are multiples, or nearly,
// if it is no shorter than least, and otherwise 0.
func commonStep(releases, lengths []float64, least float64) float64 {
	step := 0.0
	for i, l := range lengths {
		for _, x := range [2]float64{l, releases[i] - releases[0]} {
			a, b := math.Max(step, math.Abs(x)), math.Min(step, math.Abs(x))
			for b > 1e-6*least {
				a, b = b, math.Abs(math.Remainder(a, b))
			}
			step = a
			if step < least {
				return 0
			}
		}
	}
	return step
}
