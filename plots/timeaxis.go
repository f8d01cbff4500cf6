package plots

import (
	"cmp"
	"math"
	"slices"
)

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
