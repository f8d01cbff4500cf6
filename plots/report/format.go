package report

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// formatInterval formats an interval with at most so many decimals: as 12.3 ± 0.4, and a
// range as 12.3 (11.8 to 13.1).
func formatInterval(i metric.Interval, most int) string {
	if i.Range {
		return text.Range(i.Mean, i.Low, i.High, most)
	}
	return text.Estimate(i.Mean, i.HalfWidth, most)
}

// plainPercent formats a fraction without needless decimals.
func plainPercent(x float64) string { return text.Plain(100*x) + " %" }

func enumerate(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// fittedWords counts job classes that are fitted to a trace.
func fittedWords(n int) string {
	if n == 1 {
		return "1 job class fitted to the trace"
	}
	return fmt.Sprintf("%d job classes fitted to the trace", n)
}

// lineWidth is the largest width of a table or a line of prose, in characters.
const lineWidth = 100

// times returns a format of estimates in another unit: two digits of the half width,
// at most five of the mean, and no half width that is too small to see beside it.
func times(scale float64) func(study.Estimate) string {
	return func(e study.Estimate) string {
		i := e.Interval().Times(scale)
		return formatInterval(i, min(text.Decimals(i.Mean)+1, 7))
	}
}

// jobCount formats an estimate of a number of jobs: whole where nothing varies.
func jobCount(e study.Estimate) string {
	if x := float64(e.Mean); x == math.Trunc(x) && (e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0)) {
		return text.Fixed(x, 0)
	}
	return times(1)(e)
}

// ratio formats an estimate of a ratio, with about three digits.
func ratio(e study.Estimate) string { return inUnit(e, 1) }

// inUnit formats an estimate as a multiple of a unit, with about three digits.
func inUnit(e study.Estimate, size float64) string {
	i := e.Interval().Times(1 / size)
	return formatInterval(i, max(text.Decimals(i.Mean)-1, 0))
}

func seconds(e study.Estimate) string {
	x := float64(e.Mean)
	if !(x >= 0.001) || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return text.Duration(x)
	}
	size, unit := text.TimeUnit(x)
	return inUnit(e, size) + " " + unit
}

// percentage formats an estimate of a fraction, with one decimal.
func percentage(e study.Estimate) string { return percentWith(e.Interval(), 1) }

// percent formats an interval of a fraction, with at most two decimals.
func percent(i metric.Interval) string { return percentWith(i, 2) }

// percentWith formats an interval of a fraction, without a half width that shows as 0.
func percentWith(i metric.Interval, decimals int) string {
	least := 0.5 * math.Pow10(-decimals)
	if half := 100 * i.HalfWidth; !math.IsNaN(i.Mean) && half >= least && !math.IsInf(half, 0) {
		return formatInterval(i.Times(100), decimals) + " %"
	}
	return text.Percent(i.Mean)
}

// points formats a difference of fractions in percentage points; only 0 is shown as 0.
func points(i metric.Interval) string {
	s := strings.TrimSuffix(percent(i), " %")
	if d := 100 * math.Abs(i.Mean); strings.Trim(s, "0.") == "" && d >= 100*rounding {
		if s = "< 0.01"; d >= 0.005 {
			s = text.Fixed(100*i.Mean, 2)
		}
	}
	return s + " points"
}

// share formats a fraction.
func share(x float64) string {
	switch {
	case math.IsInf(x, 0):
		return "-"
	case x > 0 && x < 0.0005:
		return "< 0.1 %"
	}
	return text.Percent(x)
}

// amount formats an interval in another unit: two digits of the half width, six of the mean.
func amount(i metric.Interval, scale float64) string {
	return formatInterval(i.Times(scale), text.Digits(i.Mean*scale, 6))
}

// perHour formats an amount per second as an amount per hour.
func perHour(x metric.Number) string { return text.Grouped(float64(x) * 3600) }

func wrapped(sentence string) string {
	return strings.Join(text.Wrapped(sentence, lineWidth), "\n")
}
