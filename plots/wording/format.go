package wording

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Numbers with intervals have two families of formats. Tables of simulations have many columns: their estimates are
// formatted by Scaled (an amount), Count, Ratio, Duration and Percentage. Answers about bounds compare numbers that
// are close to each other: their intervals have a digit more, by Amount, Percent and Points.

// formatInterval formats an interval with at most so many decimals: as 12.3 ± 0.4, and a
// range as 12.3 (11.8 to 13.1).
func formatInterval(i metric.Interval, most int) string {
	if i.Range {
		return text.Range(i.Mean, i.Low, i.High, most)
	}
	return text.Estimate(i.Mean, i.HalfWidth, most)
}

// Enumerate lists words: "a", "a and b", "a, b and c".
func Enumerate(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// FittedWords counts job classes that are fitted to a trace.
func FittedWords(n int) string {
	if n == 1 {
		return "1 job class fitted to the trace"
	}
	return fmt.Sprintf("%d job classes fitted to the trace", n)
}

// Scaled returns a format of estimates in another unit: two digits of the half width,
// at most five of the mean, and no half width that is too small to see beside it.
func Scaled(scale float64) func(study.Estimate) string {
	return func(e study.Estimate) string {
		i := e.Interval().Times(scale)
		return formatInterval(i, min(text.Digits(i.Mean, 4)+1, 7))
	}
}

// Count formats an estimate of a number of jobs: whole where nothing varies.
func Count(e study.Estimate) string {
	if x := float64(e.Mean); x == math.Trunc(x) && (e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0)) {
		return text.Whole(x)
	}
	return Scaled(1)(e)
}

// Ratio formats an estimate of a ratio, with about three digits.
func Ratio(e study.Estimate) string { return inUnit(e, 1) }

// inUnit formats an estimate as a multiple of a unit, with about three digits.
func inUnit(e study.Estimate, size float64) string {
	i := e.Interval().Times(1 / size)
	return formatInterval(i, max(text.Digits(i.Mean, 4)-1, 0))
}

// Duration formats an estimate of a time in seconds, in a readable unit.
func Duration(e study.Estimate) string {
	x := float64(e.Mean)
	if !(x >= 0.001) || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return text.Duration(x)
	}
	size, unit := text.TimeUnit(x)
	return inUnit(e, size) + " " + unit
}

// Percentage formats an estimate of a fraction, with one decimal.
func Percentage(e study.Estimate) string { return percentWith(e.Interval(), 1) }

// Percent formats an interval of a fraction, with at most two decimals.
func Percent(i metric.Interval) string { return percentWith(i, 2) }

// percentWith formats an interval of a fraction, without a half width that shows as 0.
func percentWith(i metric.Interval, decimals int) string {
	least := 0.5 * math.Pow10(-decimals)
	if half := 100 * i.HalfWidth; !math.IsNaN(i.Mean) && half >= least && !math.IsInf(half, 0) {
		return formatInterval(i.Times(100), decimals) + " %"
	}
	return text.Percent(i.Mean)
}

// Points formats a difference of fractions in percentage points; only 0 is shown as 0.
func Points(i metric.Interval) string {
	s := strings.TrimSuffix(Percent(i), " %")
	if d := 100 * math.Abs(i.Mean); strings.Trim(s, "0.") == "" && d >= 100*Rounding {
		s = "< 0.01"
		if d >= 0.005 {
			s = text.Fixed(100*i.Mean, 2)
		}
	}
	return s + " points"
}

// Share formats a fraction that may be tiny or unknown. Unlike text.Percent it does not show a positive one as 0.
func Share(x float64) string {
	switch {
	case math.IsInf(x, 0):
		return "-"
	case x > 0 && x < 0.0005:
		return "< 0.1 %"
	}
	return text.Percent(x)
}

// Amount formats an interval in another unit: two digits of the half width, six of the mean.
func Amount(i metric.Interval, scale float64) string {
	return formatInterval(i.Times(scale), text.Digits(i.Mean*scale, 6))
}

// PerHour formats an amount per second as an amount per hour.
func PerHour(x metric.Number) string { return text.Grouped(float64(x) * 3600) }

// CoverWords says what intervals cover, by what is drawn at random.
func CoverWords(drawn string) string {
	switch drawn {
	case "nothing":
		return "nothing is random: one replication is all there is, and it has no interval"
	case "classes":
		return "intervals cover the jobs that are drawn from the classes"
	case "spans":
		return "intervals are the range of spans drawn from the weeks and users of the trace: they cover other " +
			"jobs like these, but no trend, and do not shrink with replications; on the SDSC SP2 such ranges held " +
			"the revenue of the next 13 weeks about half of the time, and the mean wait always"
	case "lots":
		return "intervals cover the lots drawn for the jobs of the trace, not other jobs"
	case "windows":
		return "intervals cover the windows that are drawn from the trace, not other jobs"
	case "jobs":
		return "intervals cover the jobs that are drawn"
	}
	return ""
}

// DelayWords returns the delays that a convention computes, in words.
func DelayWords(residual string) string {
	switch residual {
	case model.Printed.String():
		return "delays as printed in the paper (they overstate)"
	case model.Pooled.String():
		return "delays of one pooled server"
	case model.Multiserver.String():
		return "delays of real servers (approximate)"
	}
	return residual
}

// Rounding is the share below which two sums of the same amounts may differ.
const Rounding = 1e-9

// ClassCells are the cells that name a class and, if there are pools, a pool.
func ClassCells(pools bool, class, pool string) []string {
	if pools {
		return []string{class, pool}
	}
	return []string{class}
}

// FileName makes a name for files of words.
func FileName(words ...string) string {
	keep := func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}
	return strings.Map(keep, strings.TrimLeft(strings.Join(words, "-"), "."))
}
