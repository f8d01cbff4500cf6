package report

import (
	"math"

	"revopt/plots"
)

// frame returns the ends of the axis of money. All bounds and means above zero
// fit, and bands up to half as much again. Of losses no more is shown than there
// is to earn: far below it no longer matters how far, and everything else would
// be flat.
func frame(fig plots.Figure) (low, high float64) {
	var top, least, band float64
	note := func(ys []float64) {
		for _, y := range ys { // comparisons leave out what is not a number
			if y > top {
				top = y
			}
			if y < least {
				least = y
			}
		}
	}
	for _, s := range fig.Series {
		note(s.Y)
		for i, y := range s.Y {
			if s.High != nil && y > 0 && s.High[i] > band {
				band = s.High[i]
			}
		}
	}
	for _, region := range fig.Regions {
		note(region.Y)
	}
	if top == 0 && least < 0 { // nothing to earn, much to lose
		return 1.05 * least, -0.1 * least
	}
	if top == 0 {
		return 0, math.NaN()
	}
	return math.Max(1.05*least, -top), 1.05 * math.Max(top, math.Min(band, 1.5*top))
}

// below reports whether some curve leaves a figure at the bottom.
func below(fig plots.Figure) bool {
	for _, s := range fig.Series {
		for _, y := range s.Y {
			if y < fig.Y.Min {
				return true
			}
		}
	}
	return false
}
