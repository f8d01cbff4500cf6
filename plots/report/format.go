package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"revopt/simulate/metric"
)

// amount formats an interval in another unit: two digits of the half width, at
// most six of the mean. Without an interval it is the mean alone.
func amount(i metric.Interval, scale float64) string {
	mean, half := i.Mean*scale, i.HalfWidth*scale
	switch {
	case math.IsNaN(mean):
		return "-"
	case !(half > 0) || math.IsInf(half, 0):
		return Grouped(mean, digits(mean, 4))
	}
	n := min(digits(half, 2), digits(mean, 6))
	if shown := Grouped(half, n); strings.Trim(shown, "0.") != "" {
		return Grouped(mean, n) + " ± " + shown
	}
	return Grouped(mean, digits(mean, 4))
}

// percent formats an interval of a fraction, with at most two decimals.
func percent(i metric.Interval) string {
	if math.IsNaN(i.Mean) {
		return "-"
	}
	if half := 100 * i.HalfWidth; half >= 0.005 && !math.IsInf(half, 0) {
		n := min(digits(half, 2), 2)
		return Grouped(100*i.Mean, n) + " ± " + Grouped(half, n) + " %"
	}
	return Grouped(100*i.Mean, 1) + " %"
}

// points formats a difference of fractions, in percentage points. Only what is
// nothing is shown as nothing.
func points(i metric.Interval) string {
	s := strings.TrimSuffix(percent(i), " %")
	if d := 100 * math.Abs(i.Mean); strings.Trim(s, "0.") == "" && d >= 100*rounding {
		if s = "< 0.01"; d >= 0.005 {
			s = Grouped(100*i.Mean, 2)
		}
	}
	return s + " points"
}

// share formats a fraction.
func share(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case x > 0 && x < 0.0005:
		return "< 0.1 %"
	}
	return Grouped(100*x, 1) + " %"
}

// parameter formats a number that somebody chose.
func parameter(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// digits returns how many digits after the point show n significant ones.
func digits(x float64, n int) int {
	x = math.Abs(x)
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return min(max(n-1-int(math.Floor(math.Log10(x))), 0), 9)
}

// Grouped formats a number with its thousands separated and so many decimals, "-"
// where there is none.
func Grouped(x float64, decimals int) string {
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

// Plural counts things.
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%s %s", Grouped(float64(n), 0), thing)
}

// wrapped breaks a text at spaces into lines of at most the given number of
// characters, where words allow.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// oneLine replaces what would not print on one line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}
