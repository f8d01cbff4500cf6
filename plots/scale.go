package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// largest is the greatest magnitude drawn; beyond it the arithmetic of ranges
// would overflow.
const largest = 1e300

// A scale maps the values of an axis to lengths on paper.
type scale struct {
	min, max float64
	log      bool
	lo, hi   vg.Length // where min and max lie
}

// drawable reports whether v has a place on the axis's line.
func (s scale) drawable(v float64) bool { return finite(v) && (!s.log || v > 0) }

func finite(v float64) bool { return math.Abs(v) <= largest } // false for NaN

// at returns the place of a drawable value. Values far outside of the axis are
// brought nearer, so that clipping works with ordinary numbers.
func (s scale) at(v float64) vg.Length {
	var t float64
	if s.log {
		t = math.Log(v/s.min) / math.Log(s.max/s.min)
	} else {
		t = (v - s.min) / (s.max - s.min)
	}
	t = math.Max(-1e4, math.Min(1e4, t))
	return s.lo + vg.Length(t)*(s.hi-s.lo)
}

// An extent is the range of values seen.
type extent struct {
	lo, hi   float64
	positive float64 // the least positive value
}

func newExtent() extent {
	return extent{lo: math.Inf(1), hi: math.Inf(-1), positive: math.Inf(1)}
}

// add takes the finite values of vs into the extent.
func (e *extent) add(vs ...float64) {
	for _, v := range vs {
		if !finite(v) {
			continue
		}
		e.lo, e.hi = math.Min(e.lo, v), math.Max(e.hi, v)
		if v > 0 {
			e.positive = math.Min(e.positive, v)
		}
	}
}

// padding is how far beyond the data an automatic end goes, as a fraction of
// the span. Zero is how near the data must come to zero, as a fraction of their
// magnitude, for the axis to start there.
type padding struct{ lo, hi, zero float64 }

// ends returns the ends of an axis over the values seen: the fixed ones unless data lie
// beyond them, else the data with padding, from zero if the data come near it.
func (e extent) ends(a Axis, pad padding) (lo, hi float64) {
	fixLo, fixHi := a.Ends()
	least := e.lo
	if a.Log {
		lo, hi = e.logEnds(pad)
		least = e.positive
	} else {
		lo, hi = e.linearEnds(pad)
	}
	if !a.Clip && beyond(fixLo, least) {
		fixLo = math.NaN()
	}
	if !a.Clip && beyond(e.hi, fixHi) {
		fixHi = math.NaN()
	}
	if !math.IsNaN(fixLo) {
		lo = fixLo
	}
	if !math.IsNaN(fixHi) {
		hi = fixHi
	}
	// A fixed end may lie beyond all data.
	if lo >= hi {
		switch {
		case math.IsNaN(fixHi) && a.Log:
			hi = lo * 10
		case math.IsNaN(fixHi):
			hi = lo + math.Max(1, math.Abs(lo)*0.1)
		case a.Log:
			lo = hi / 10
		default:
			lo = hi - math.Max(1, math.Abs(hi)*0.1)
		}
	}
	return lo, hi
}

// beyond reports whether a is above b by more than rounding; false if one is not finite.
func beyond(a, b float64) bool {
	return finite(a) && finite(b) && a-b > 1e-6*math.Max(math.Abs(a), math.Abs(b))
}

func (e extent) linearEnds(pad padding) (lo, hi float64) {
	lo, hi = e.lo, e.hi
	if lo > hi { // nothing seen
		return 0, 1
	}
	if hi-lo <= 1e-9*math.Max(math.Abs(lo), math.Abs(hi)) { // constant
		d := 0.1 * math.Abs(lo)
		if d == 0 {
			d = 1
		}
		return lo - d, hi + d
	}
	span := hi - lo
	lo, hi = lo-pad.lo*span, hi+pad.hi*span
	if e.lo >= 0 && e.lo < pad.zero*e.hi {
		lo = 0
	}
	if e.hi <= 0 && e.hi > pad.zero*e.lo {
		hi = 0
	}
	return lo, hi
}

func (e extent) logEnds(pad padding) (lo, hi float64) {
	if math.IsInf(e.positive, 1) {
		return 1, 10
	}
	lo, hi = e.positive, e.hi
	if hi/lo < 1+1e-9 {
		return lo / 2, hi * 2
	}
	decades := math.Log10(hi / lo)
	return lo * math.Pow(10, -pad.lo*decades), hi * math.Pow(10, pad.hi*decades)
}

// extents returns what the axes of f must show. Bars reach down to zero.
func (f Figure) extents() (x, y extent) {
	x, y = newExtent(), newExtent()
	seen := func(xs []float64, yss ...[]float64) {
		for i := range xs {
			if !finite(xs[i]) || f.X.Log && xs[i] <= 0 {
				continue
			}
			for _, ys := range yss {
				if i < len(ys) && finite(ys[i]) {
					x.add(xs[i])
					y.add(ys[i])
				}
			}
		}
	}
	for _, s := range f.Series {
		if s.Behind {
			continue
		}
		seen(s.X, s.Y, s.Low, s.High)
		if s.Kind == Bars && len(s.X) > 0 && !f.Y.Log {
			y.add(0)
		}
	}
	for _, r := range f.Regions {
		seen(r.X, r.Y, r.Y2)
	}
	for _, l := range f.Labels {
		if finite(l.X) && finite(l.Y) {
			x.add(l.X)
			y.add(l.Y)
		}
	}
	for _, r := range f.VLines {
		x.add(r.At)
	}
	for _, r := range f.HLines {
		y.add(r.At)
	}
	return x, y
}

// scales returns the ends of both axes; the places on paper come later.
func (f Figure) scales() (x, y scale) {
	ex, ey := f.extents()
	padX, padY := padding{zero: 0.12}, padding{lo: 0.05, hi: 0.05, zero: 0.35}
	for _, s := range f.Series {
		if s.Kind == Points {
			padX = padding{lo: 0.04, hi: 0.04, zero: 0.12}
		}
	}
	for _, r := range f.Regions {
		if r.Side == Above && r.Hatch {
			padY.hi = 0.12 // room to see the hatching
		}
	}
	if slot := f.slot(); slot > 0 {
		ex.add(ex.lo-slot/2, ex.hi+slot/2)
		if ey.lo == 0 && !f.Y.Log {
			padY.lo = 0
		}
		if ey.hi == 0 {
			padY.hi = 0
		}
	}
	if n := len(f.X.Categories); n > 0 {
		ex.add(-0.5, float64(n)-0.5)
	}
	if n := len(f.Y.Categories); n > 0 {
		ey.add(-0.5, float64(n)-0.5)
		padY.lo, padY.hi = 0, 0
	}
	x, y = scale{log: f.X.Log}, scale{log: f.Y.Log}
	x.min, x.max = ex.ends(f.X, padX)
	y.min, y.max = ey.ends(f.Y, padY)
	return x, y
}
