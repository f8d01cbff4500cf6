package report

import (
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// amount formats an interval in another unit: two digits of the half width, at
// most six of the mean. Without an interval it is the mean alone.
func amount(i metric.Interval, scale float64) string {
	mean := i.Mean * scale
	return text.Estimate(mean, i.HalfWidth*scale, text.Digits(mean, 6))
}

// percent formats an interval of a fraction, with at most two decimals.
func percent(i metric.Interval) string {
	if half := 100 * i.HalfWidth; !math.IsNaN(i.Mean) && half >= 0.005 && !math.IsInf(half, 0) {
		return text.Estimate(100*i.Mean, half, 2) + " %"
	}
	return text.Percent(i.Mean)
}

// points formats a difference of fractions, in percentage points. Only a
// difference of nothing is shown as nothing.
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
