package report

import (
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
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
