package plots

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// A tick is a mark on an axis, major if it has a label.
type tick struct {
	value float64
	label string
}

// ticks returns about n major ticks, and minor ones between, from lo to hi.
func (a Axis) ticks(lo, hi float64, n int) []tick {
	switch {
	case len(a.Categories) > 0:
		return categoryTicks(a.Categories, lo, hi)
	case a.Log && a.Time && hi > 10*lo && lo >= 1e-3 && hi < 1e10:
		return logTimeTicks(lo, hi, n)
	case a.Log:
		return a.logTicks(lo, hi, n)
	default:
		return a.linearTicks(lo, hi, n)
	}
}

func categoryTicks(names []string, lo, hi float64) []tick {
	var ts []tick
	for i, name := range names {
		if v := float64(i); v >= lo && v <= hi {
			ts = append(ts, tick{value: v, label: printable(name)})
		}
	}
	return ts
}

// linearTicks places ticks at multiples of 1, 2 or 5 times a power of ten.
func (a Axis) linearTicks(lo, hi float64, n int) []tick {
	unit, nice := 1.0, niceStep
	switch {
	case a.Percent:
		unit = 100
	case a.Time:
		size, name := a.timeUnit(lo, hi)
		unit, nice = 1/size, func(step float64) (float64, int) { return niceTime(name, step) }
	}
	lo, hi = lo*unit, hi*unit
	step, parts := nice((hi - lo) / float64(max(1, n)))
	if a.Whole {
		step = math.Max(1, step)
		for ; step/float64(parts) != math.Floor(step/float64(parts)); parts-- {
		}
	}
	minor := step / float64(parts)
	first, last := math.Ceil(lo/minor-1e-6), math.Floor(hi/minor+1e-6)
	if last-first > 500 || math.Abs(first) > 1e12 || math.Abs(last) > 1e12 {
		// Too narrow about a large number for multiples to be exact.
		return []tick{{lo / unit, number(lo)}, {hi / unit, number(hi)}}
	}
	format := tickFormat(math.Max(math.Abs(lo), math.Abs(hi)), step)
	var ts []tick
	for k := first; k <= last; k++ {
		t := tick{value: k * minor / unit}
		if math.Mod(k, float64(parts)) == 0 {
			t.label = format(k / float64(parts) * step)
		}
		ts = append(ts, t)
	}
	return ts
}

// niceStep returns the nice number nearest to step by ratio, and into how many
// parts minor ticks divide it.
func niceStep(step float64) (nice float64, parts int) {
	exp := math.Floor(math.Log10(step))
	base := math.Pow(10, exp)
	for _, c := range []struct {
		m     float64
		parts int
	}{{1, 5}, {2, 4}, {5, 5}} {
		// The limits are about the geometric means of 1, 2, 5 and 10.
		if step <= c.m*base*math.Sqrt2 {
			return c.m * base, c.parts
		}
	}
	return 10 * base, 5
}

// tickFormat returns the format of multiples of step up to largest: 250k for 250000,
// and a power of ten for very large and small numbers.
func tickFormat(largest, step float64) func(float64) string {
	unit, suffix := 1.0, ""
	switch {
	case largest >= 1e9 || largest < 1e-3:
		exp := int(math.Floor(math.Log10(largest) + 1e-9))
		unit, suffix = math.Pow(10, float64(exp)), "×10"+superscript(exp)
	case largest >= 1e6:
		unit, suffix = 1e6, "M"
	case largest >= 1e4:
		unit, suffix = 1e3, "k"
	}
	return func(v float64) string {
		// Division gives shorter digits than multiplication by the inverse.
		if label := fixed(v/unit, decimals(step/unit)); label != "0" {
			return label + suffix
		}
		return "0"
	}
}

// decimals is how many digits after the point multiples of step need.
func decimals(step float64) int {
	for d := range 15 {
		s := step * math.Pow(10, float64(d))
		if math.Abs(s-math.Round(s)) < 1e-6*s && s > 0.5 {
			return d
		}
	}
	return 15
}

func fixed(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return strings.Replace(s, "-", "−", 1)
}

func superscript(n int) string {
	raise := func(r rune) rune { return []rune(raised)[strings.IndexRune("0123456789-", r)] }
	return strings.Map(raise, strconv.Itoa(n))
}

// logTicks labels powers of ten, every few of them on a long axis; on a short
// one 2 and 5 as well, and within less than a decade it is as a linear axis.
func (a Axis) logTicks(lo, hi float64, n int) []tick {
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	decades := math.Log10(hi / lo)
	if decades < 0.8 {
		return a.linearTicks(lo, hi, n)
	}
	stride := max(1, int(math.Ceil(decades/float64(max(1, n)))))
	format := a.logFormat(lo, hi)
	var ts []tick
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := tick{value: v}
			switch {
			case m == 1 && e%stride == 0, decades < 2 && (m == 2 || m == 5):
				t.label = format(m, e)
			case m > 1 && stride > 1:
				continue
			}
			ts = append(ts, t)
		}
	}
	return ts
}

// logFormat prints m times ten to e: plainly if the whole axis is of ordinary
// size, else as a power.
func (a Axis) logFormat(lo, hi float64) func(m, e int) string {
	shift := 0
	if a.Percent {
		shift = 2
		lo, hi = lo*100, hi*100
	}
	if lo >= 0.9e-3 && hi < 2e4 {
		return func(m, e int) string {
			e += shift
			return fixed(float64(m)*math.Pow(10, float64(e)), max(0, -e))
		}
	}
	return func(m, e int) string {
		power := "10" + superscript(e+shift)
		if m == 1 {
			return power
		}
		return strconv.Itoa(m) + "×" + power
	}
}

// text is the label of the axis with its unit.
func (a Axis) text() string {
	unit := oneLine(a.Unit)
	switch {
	case a.Percent && unit == "":
		unit = "%"
	case a.Time:
		unit = "s"
	}
	label := oneLine(a.Label)
	if unit == "" {
		return label
	}
	return strings.TrimSpace(label + " (" + unit + ")")
}

// textAt is the label of the axis from lo to hi as it is drawn: of seconds, with
// the unit of the ticks.
func (a Axis) textAt(lo, hi float64) string {
	if a.Time {
		a.Time = false
		_, a.Unit = a.timeUnit(lo, hi)
	}
	return a.text()
}

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
		if some := a.ticks(sc.min, sc.max, n); fits(some, sc) {
			return some, false
		}
	}
	return a.ticks(sc.min, sc.max, 1), false
}

// fitCategories makes room for names: it leaves out numbers at intervals, breaks words
// into lines, and slants labels that still do not fit.
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

// breakLabels breaks labels at spaces if neighbors leave no room.
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

// shortened cuts long labels, because slanted ones need height.
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
	return !slices.ContainsFunc(ts, func(t tick) bool { _, err := strconv.ParseFloat(t.label, 64); return err != nil })
}

// timeUnit returns the unit in which an axis of seconds is printed: how many
// seconds it has and its name. A logarithmic axis names the unit at every tick.
func (a Axis) timeUnit(lo, hi float64) (size float64, name string) {
	const minute, hour, day = 60, 3600, 86400
	switch end := math.Max(math.Abs(lo), math.Abs(hi)); {
	case a.Log:
		return 1, ""
	case end < 3*minute:
		return 1, "s"
	case end < 3*hour:
		return minute, "min"
	case end < 4*day:
		return hour, "h"
	}
	return day, "d"
}

// niceTime returns the step nearest by ratio that divides the next unit, such as 15
// minutes or 6 hours, and into how many parts minor ticks divide it. Other units, and
// smaller or larger steps, are as niceStep has them.
func niceTime(unit string, step float64) (nice float64, parts int) {
	steps := map[string][]float64{"min": {1, 2, 5, 10, 15, 30}, "h": {1, 2, 3, 6, 12, 24}}[unit]
	if steps == nil || step < steps[0]/math.Sqrt2 || step > steps[5]*math.Sqrt2 {
		return niceStep(step)
	}
	apart := func(s float64) float64 { return math.Abs(math.Log(step / s)) }
	nice = slices.MinFunc(steps, func(a, b float64) int { return cmp.Compare(apart(a), apart(b)) })
	for _, parts = range []int{5, 3, 4} {
		if math.Mod(nice, float64(parts)) == 0 {
			break
		}
	}
	return nice, parts
}

// logTimes are the labeled times of a logarithmic axis of seconds.
func logTimes() []tick {
	const minute, hour, day, year = 60, 3600, 86400, 365.25 * 86400
	return []tick{
		{0.001, "1 ms"}, {0.01, "10 ms"}, {0.1, "0.1 s"}, {1, "1 s"}, {10, "10 s"},
		{minute, "1 min"}, {10 * minute, "10 min"},
		{hour, "1 h"}, {10 * hour, "10 h"}, {day, "1 d"}, {10 * day, "10 d"}, {100 * day, "100 d"},
		{year, "1 y"}, {10 * year, "10 y"}, {100 * year, "100 y"},
	}
}

// logTimeTicks returns the times within the axis, as many of them labeled as there
// is room for.
func logTimeTicks(lo, hi float64, n int) []tick {
	ts := slices.DeleteFunc(logTimes(), func(t tick) bool { return t.value < lo*(1-1e-9) || t.value > hi*(1+1e-9) })
	return everyLabel(ts, max(1, (len(ts)+n-1)/max(1, n)))
}
