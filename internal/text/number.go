package text

import (
	"math"
	"strconv"
	"strings"
)

// significant is the number of digits that are shown at least.
const significant = 4

// Digits returns the digits after the point that show n significant ones.
func Digits(x float64, n int) int {
	x = math.Abs(x)
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return min(max(n-1-int(math.Floor(math.Log10(x))), 0), 9)
}

// Decimals returns the digits after the point that show a number.
func Decimals(x float64) int { return Digits(x, significant) }

// Fixed formats a number with the given decimals and separated thousands, "-" for NaN.
func Fixed(x float64, decimals int) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case math.IsInf(x, 0):
		return "infinite"
	case math.Abs(x) >= 1e15:
		return strconv.FormatFloat(x, 'e', 3, 64)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'f', decimals, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if x < 0 && strings.Trim(whole, "0.,") != "" {
		return "-" + whole
	}
	return whole
}

// Grouped formats a number with separated thousands and the decimals that it needs.
func Grouped(x float64) string { return Fixed(x, Decimals(x)) }

// Short formats a number with three digits.
func Short(x float64) string { return Fixed(x, max(Decimals(x)-1, 0)) }

// Plain formats a number of the user, without trailing zeros.
func Plain(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// Rounded formats a number with at most four digits and without trailing zeros.
func Rounded(x float64) string {
	if math.Abs(x) >= 1000 {
		return Fixed(x, 0)
	}
	return strconv.FormatFloat(x, 'g', significant, 64)
}

// Gap formats how far a proof is from closed, a fraction.
func Gap(x float64) string {
	x *= 100
	switch {
	case x < 0.001:
		return "< 0.001 %"
	case x < 10:
		return strconv.FormatFloat(x, 'g', 2, 64) + " %"
	}
	return Fixed(x, 0) + " %"
}

// Percent formats a fraction.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return Fixed(100*x, 1) + " %"
}

// Uniform formats the numbers of a column, with as many decimals as the largest needs.
func Uniform(values []float64) []string {
	var largest float64
	for _, x := range values {
		if !math.IsInf(x, 0) {
			largest = math.Max(largest, math.Abs(x))
		}
	}
	return Each(values, func(x float64) string { return Fixed(x, Decimals(largest)) })
}

// Estimate formats a mean with the half width of its interval. The half width has two
// digits, but at most the given decimals. It is left out if it is not a finite number
// or too small to be seen beside the mean.
func Estimate(mean, half float64, most int) string {
	if math.IsNaN(mean) || math.IsNaN(half) || math.IsInf(half, 0) || half == 0 {
		return Grouped(mean)
	}
	n := min(Digits(half, 2), most)
	if shown := Fixed(half, n); strings.Trim(shown, "0.") != "" {
		return Fixed(mean, n) + " ± " + shown
	}
	return Grouped(mean)
}

// Range formats a mean with the range about it, which is shown like a half width. A
// range of one number is left out.
func Range(mean, low, high float64, most int) string {
	n := min(Digits((high-low)/2, 2), most)
	if math.IsNaN(mean) || !(low < high) || Fixed(low, n) == Fixed(high, n) {
		return Grouped(mean)
	}
	return Fixed(mean, n) + " (" + Fixed(low, n) + " to " + Fixed(high, n) + ")"
}

// Duration formats seconds in a readable unit.
func Duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "-"
	case math.IsInf(seconds, 0):
		return "infinite"
	case seconds == 0:
		return "0 s"
	case seconds < 0.001:
		return "< 1 ms"
	}
	size, unit := TimeUnit(seconds)
	return Short(seconds/size) + " " + unit
}

// TimeUnit returns a readable unit for a time: its size in seconds and its name.
func TimeUnit(seconds float64) (size float64, name string) {
	const minute, hour, day, year = 60, 3600, 86400, 365.25 * 86400
	switch {
	case seconds < 2*minute:
		return 1, "s"
	case seconds < 2*hour:
		return minute, "min"
	case seconds < 2*day:
		return hour, "h"
	case seconds < 2*year:
		return day, "d"
	}
	return year, "y"
}

// MoneyUnit returns the unit in which amounts up to the largest are shown: the
// factor to it, and the prefix of its name, such as "k" of k$.
func MoneyUnit(largest float64) (factor float64, prefix string) {
	switch {
	case largest >= 1e13:
		return 1e-12, "T"
	case largest >= 1e10:
		return 1e-9, "G"
	case largest >= 1e7:
		return 1e-6, "M"
	case largest >= 1e6:
		return 1e-3, "k"
	}
	return 1, ""
}

// Field formats a number for a file that programs read, such that it is read
// back as it was: empty if it is not finite.
func Field(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
