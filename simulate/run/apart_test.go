package run

import (
	"testing"

	"revopt/internal/fixture"
)

// TestApartRanges: the difference of two unpaired rows of resampled logs is the range of all differences, as wide for ten
// copies of the histories as for one; that of independent replications is an interval of the mean, which shrinks.
func TestApartRanges(t *testing.T) {
	series := func(spread bool, copies int, values ...float64) Series {
		s := Series{spread: spread}
		for range copies {
			s.values = append(s.values, values...)
		}
		return s
	}
	f := &Frame{Level: 0.5}
	width := func(spread bool, copies int) float64 {
		i := f.Apart(series(spread, copies, 10, 20, 30), series(spread, copies, 1, 2, 3))
		if !fixture.Near(i.Mean, 18, 1e-12) || i.Range != spread {
			t.Errorf("%+v, want a mean of 18 and range %v", i, spread)
		}
		low, high := i.Bounds()
		return high - low
	}
	// The nine differences are 7, 8, 9, 17, 18, 19, 27, 28, 29; places 2.5 and 7.5 of ten are 8.5 and 27.5.
	if got := width(true, 1); !fixture.Near(got, 19, 1e-12) {
		t.Errorf("range is %g wide, want 19", got)
	}
	if once, ten := width(true, 1), width(true, 10); ten < 0.9*once {
		t.Errorf("the range shrinks from %g to %g", once, ten)
	}
	if once, ten := width(false, 1), width(false, 10); ten > 0.5*once {
		t.Errorf("the interval stays at %g, was %g", ten, once)
	}
}
