package report

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// FewestShown is how many replications intervals on pages need.
const FewestShown = 5

// ForPage returns what words become on a page of so many replications: below FewestShown they have no half widths.
func ForPage(replications int, level float64) func(words string) string {
	if replications >= FewestShown {
		return func(words string) string { return words }
	}
	suffix := levelWords(level, replications, false)
	return func(words string) string { return text.Means(strings.TrimSuffix(words, suffix)) }
}

// money formats an amount with its interval. Where there is none, the amount has three digits.
func money(e study.Estimate, once bool) string {
	if once || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return text.Short(float64(e.Mean))
	}
	return wording.Amount(e.Interval(), 1)
}

// hourly formats an estimate per second as an amount per hour.
func hourly(e study.Estimate) string {
	return money(study.NewEstimate(e.Interval().Times(3600)), false)
}

// signedShort formats a gain with three digits and its sign.
func signedShort(x float64) string { return text.Signed(x, text.Short(x)) }

// monthly formats a gain in $/h, and the same in a month.
func monthly(mean float64) string {
	month := threeDigits(study.HoursPerMonth * mean)
	return fmt.Sprintf("%s $/h, %s $/month", signedShort(mean), text.Signed(mean, month))
}

// threeDigits formats an amount other than 0 with three digits, and zeros below them. text.Short shows all digits
// before the point.
func threeDigits(x float64) string {
	digits := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	return text.Fixed(math.Round(x*math.Pow10(digits))/math.Pow10(digits), max(0, digits))
}

// meanJobs formats a mean number of jobs to the whole job. A mean below 1 has a decimal, so that it is not shown as 0.
func meanJobs(x metric.Number) string {
	if x > 0 && x < 1 {
		return text.Fixed(float64(x), 1)
	}
	return text.Fixed(float64(x), 0)
}
