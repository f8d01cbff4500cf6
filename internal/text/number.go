package text

import (
	"math"
	"strconv"
	"strings"
)

// Numbers for people have these formats:
//
//	Fixed         with given decimals; the others use it
//	Grouped       an amount, with four digits
//	Short         an amount in a sentence or a narrow column, with three digits
//	Whole         a count, or a mean of counts
//	Rounded       a number of a model, such as a load: four digits, no trailing zeros
//	Plain         a number that the user gave, as the user would write it
//	Percent       a share
//	PlainPercent  a share that the user gave, as the user would write it
//	Gap           a share that may be tiny, such as the gap of a proof
//	Duration      a time, in a readable unit
//	Uniform       the numbers of a column, with the same decimals
//	Estimate      a mean with the half width of its interval
//	Range         a mean with the range about it
//
// Field is the format for programs.

// Digits returns the digits after the point that show n significant ones.
func Digits(x float64, n int) int {
	x = math.Abs(x)
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return min(max(n-1-int(math.Floor(math.Log10(x))), 0), 9)
}

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

// Grouped formats an amount with at least four digits.
func Grouped(x float64) string { return Fixed(x, Digits(x, 4)) }

// Short formats an amount with at least three digits.
func Short(x float64) string { return Fixed(x, max(Digits(x, 4)-1, 0)) }

// Whole formats a count or a mean of counts. Whole numbers have no decimals, others at least four digits.
func Whole(x float64) string {
	if x == math.Trunc(x) {
		return Fixed(x, 0)
	}
	return Grouped(x)
}

// Signed puts a plus before the words of a positive number. The words of others have their sign.
func Signed(x float64, words string) string {
	if x > 0 {
		return "+" + words
	}
	return words
}

// Plain formats a number of the user, without trailing zeros.
func Plain(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// PlainPercent formats a fraction of the user in per cent, without trailing zeros.
func PlainPercent(x float64) string { return Plain(100*x) + " %" }

// Rounded formats a number with at most four digits and without trailing zeros.
func Rounded(x float64) string {
	if math.Abs(x) >= 1000 {
		return Fixed(x, 0)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
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

// Percent formats a fraction in per cent, with one decimal.
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return Fixed(100*x, 1) + " %"
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
		return Fixed(mean, n) + halfMark + shown
	}
	return Grouped(mean)
}

// halfMark stands before a half width.
const halfMark = " ± "

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
