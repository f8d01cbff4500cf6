package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

const labelApart vg.Length = 6 // least distance between labels of ticks

// lines returns the lines of the label.
func (t tick) lines() []string { return strings.Split(t.label, "\n") }

// fitTicks returns as many ticks as have room for their labels side by side.
func fitTicks(a Axis, sc scale, width vg.Length) (ts []tick, slanted bool) {
	sc.lo, sc.hi = 0, width
	if len(a.Categories) > 0 {
		return fitCategories(a.ticks(sc.min, sc.max, 0), sc)
	}
	for n := max(2, min(6, int(width/34))); n > 1; n-- {
		if ts = a.ticks(sc.min, sc.max, n); fits(ts, sc) {
			return ts, false
		}
	}
	return a.ticks(sc.min, sc.max, 1), false
}

// fitCategories makes room for names: numbers are left out at intervals, words
// are broken into lines, and what still does not fit is slanted.
func fitCategories(ts []tick, sc scale) (fitted []tick, slanted bool) {
	if fits(ts, sc) {
		return ts, false
	}
	if numeric(ts) {
		for every := 2; every < len(ts); every++ {
			if thin := everyLabel(ts, every); fits(thin, sc) {
				return thin, false
			}
		}
		return everyLabel(ts, len(ts)), false
	}
	if broken := breakLabels(ts, sc); fits(broken, sc) {
		return broken, false
	}
	return shortened(ts), true
}

// breakLabels breaks labels at every space where neighbours leave no room.
func breakLabels(ts []tick, sc scale) []tick {
	f := face(tickSize, false)
	slot := sc.at(1) - sc.at(0)
	broken := slices.Clone(ts)
	for i, t := range ts {
		widestWord := widest(f, strings.Fields(t.label))
		broken[i].label = strings.Join(wrap(f, t.label, max(slot-labelApart, widestWord)), "\n")
	}
	return broken
}

// shortened cuts long labels, because slanted ones take their length in height.
func shortened(ts []tick) []tick {
	const longest = 90 // points
	f := face(tickSize, false)
	short := slices.Clone(ts)
	for i, t := range ts {
		if textWidth(f, t.label) > longest {
			short[i].label = t.label[:fitting(f, t.label, longest)] + "…"
		}
	}
	return short
}

// fits reports whether no two labels touch.
func fits(ts []tick, sc scale) bool {
	f := face(tickSize, false)
	end := vg.Length(math.Inf(-1))
	for _, t := range ts {
		if t.label == "" {
			continue
		}
		half := widest(f, t.lines()) / 2
		if sc.at(t.value)-half < end+labelApart {
			return false
		}
		end = sc.at(t.value) + half
	}
	return true
}

func everyLabel(ts []tick, n int) []tick {
	thin := slices.Clone(ts)
	for i := range thin {
		if i%n != 0 {
			thin[i].label = ""
		}
	}
	return thin
}

func numeric(ts []tick) bool {
	for _, t := range ts {
		if _, err := strconv.ParseFloat(t.label, 64); err != nil {
			return false
		}
	}
	return true
}
