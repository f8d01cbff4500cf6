package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"revopt/plots/report"
)

// table is a table in columns, the first flush left and the others flush right.
type table struct {
	rows   [][]string
	widths []int
}

// maxCell is how many characters of a cell are shown.
const maxCell = 24

func newTable(header ...string) *table {
	t := &table{widths: make([]int, len(header))}
	t.row(header...)
	return t
}

func (t *table) row(cells ...string) {
	for i, cell := range cells {
		cell = oneLine(cell)
		if runes := []rune(cell); len(runes) > maxCell {
			cell = string(runes[:maxCell-3]) + "..."
		}
		cells[i] = cell
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(w io.Writer) {
	for _, cells := range t.rows {
		var line strings.Builder
		for i, cell := range cells {
			pad := strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// significant is how many digits of a number are shown at least.
const significant = 4

// decimals returns how many digits to show after the point of a number.
func decimals(x float64) int {
	x = math.Abs(x)
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	return min(max(significant-1-int(math.Floor(math.Log10(x))), 0), 9)
}

// column formats numbers that stand below each other, with as many decimals as
// the largest needs.
func column(values []float64) []string {
	var largest float64
	for _, x := range values {
		if !math.IsInf(x, 0) {
			largest = math.Max(largest, math.Abs(x))
		}
	}
	cells := make([]string, len(values))
	for i, x := range values {
		cells[i] = separated(x, decimals(largest))
	}
	return cells
}

// grouped formats a number with its thousands separated.
func grouped(x float64) string { return separated(x, decimals(x)) }

// separated is grouped with so many decimals.
func separated(x float64, decimals int) string { return report.Grouped(x, decimals) }

// plain formats a parameter without trailing zeros.
func plain(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// percent formats a fraction.
func percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return separated(100*x, 1) + " %"
}

// ratio formats a part of a whole as per cent.
func ratio(part, whole float64) string { return percent(part / whole) }

// duration formats seconds in the unit that a person would choose.
func duration(seconds float64) string {
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
	size, unit := timeUnit(seconds)
	return short(seconds/size) + " " + unit
}

// timeUnit returns the unit that a person would choose for a time: how many
// seconds it is and its name.
func timeUnit(seconds float64) (size float64, name string) {
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

// short formats a number with three digits.
func short(x float64) string { return separated(x, max(decimals(x)-1, 0)) }

// field formats a number for a file that programs read: empty where it is not
// finite.
func field(x number) string {
	if v := float64(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return ""
}

func fields(values ...number) []string {
	list := make([]string, len(values))
	for i, x := range values {
		list[i] = field(x)
	}
	return list
}
