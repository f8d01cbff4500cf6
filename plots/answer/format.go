package answer

import (
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// words returns a value by itself, with its unit, as a sentence has it.
func (v Value) words(signed bool) string {
	switch v.Unit {
	case "":
		return "-"
	case Text:
		return v.Word
	case Truth:
		return yesOrNo(v.True)
	case Time:
		return sign(signed, v.Number, text.Duration(v.Number))
	case Share:
		return sign(signed, v.Number, strings.Replace(text.Percent(v.Number), ".0 %", " %", 1))
	case Count:
		return text.Whole(v.Number)
	case Ratio:
		return text.Rounded(v.Number)
	case Rate:
		return text.Rounded(v.Number*metric.Hour) + " / h"
	}
	size, prefix := text.MoneyUnit(math.Abs(v.Number))
	return sign(signed, v.Number, v.scaled(size, 4)) + " " + prefix + string(v.Unit)
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func sign(signed bool, x float64, words string) string {
	if signed {
		return text.Signed(x, words)
	}
	return words
}

// scaled returns a number in another unit with its interval, with so many decimals of the interval at most.
func (v Value) scaled(scale float64, most int) string {
	if v.isFull() {
		return "≥ " + text.Fixed(scale*full, 2)
	}
	x, low, high := scale*v.Number, scale*v.Low, scale*v.High
	switch {
	case v.Random && v.Range:
		return text.Range(x, low, high, most)
	case v.Random:
		return text.Estimate(x, (high-low)/2, most)
	}
	return text.Short(x)
}

// alone returns a value with its interval and its unit.
func (v Value) alone(signed bool) string {
	scale, unit := 1.0, ""
	switch v.Unit {
	case Time:
		size, name := text.TimeUnit(math.Abs(v.Number))
		scale, unit = 1/size, name
	case Share:
		scale, unit = 100, "%"
	case Money, Amount:
		factor, prefix := text.MoneyUnit(math.Abs(v.Number))
		scale, unit = factor, prefix+string(v.Unit)
	case Text, Truth:
		return v.words(signed)
	case Count:
		if v.Number == math.Trunc(v.Number) && !v.Random {
			return sign(signed, v.Number, text.Whole(v.Number))
		}
	}
	return strings.TrimSpace(sign(signed, v.Number, v.scaled(scale, 4)) + " " + unit)
}

// Words returns a value with its interval and its unit.
func (v Value) Words() string { return v.alone(false) }

// Words returns a table as words, the titles first.
func (t Table) Words() [][]string { return t.cells() }

// Told returns the table as a short text has it, as words, the titles first: its bounds are a row, and columns that say
// nothing are left out.
func (t Table) Told() [][]string {
	return t.whole().brief()
}

// brief returns the columns of a table that a short text has, as words, the titles first.
func (t Table) brief() [][]string {
	said := text.Where(text.Numbers(len(t.Columns)), func(c int) bool {
		return c == 0 || t.says(c) && !t.Columns[c].Quiet
	})
	return text.Each(t.cells(), func(row []string) []string {
		return text.Each(said, func(c int) string { return row[c] })
	})
}

// Short returns the table with the columns that a text has, and with some others.
func (t Table) Short(others ...string) Table {
	return t.Only(func(c Column) bool { return !c.Quiet || slices.Contains(others, c.Name) })
}

// Exact returns the table without intervals.
func (t Table) Exact() Table {
	plain := func(v Value) Value {
		v.Random = false
		return v
	}
	t.Rows = text.Each(t.Rows, func(row []Value) []Value { return text.Each(row, plain) })
	t.Columns = text.Each(t.Columns, func(c Column) Column {
		c.Bound = plain(c.Bound)
		return c
	})
	return t
}

// cells returns a table as words, the titles first. Columns have one unit each.
func (t Table) cells() [][]string {
	rows := make([][]string, 1+len(t.Rows))
	for c, column := range t.Columns {
		scale, title := t.scale(c)
		rows[0] = append(rows[0], title)
		decimals := t.decimals(c, scale)
		for r, row := range t.Rows {
			cell := row[c].cell(column, scale, decimals)
			if words, other := read[column.Name][cell]; other && !(t.bounded && r == 0) {
				cell = words
			}
			rows[r+1] = append(rows[r+1], cell)
		}
	}
	return rows
}

// read is what people read in place of some values of JSON, by column. The present harms nobody: nothing is counted.
var read = map[string]map[string]string{
	"runs_on": {"slurm": "Slurm", "plugin": "plug-in"},
	"harms":   {"": "-"},
}

// scale returns by what the numbers of a column are multiplied, and its title with the unit.
func (t Table) scale(c int) (scale float64, title string) {
	column := t.Columns[c]
	title = column.title()
	largest := 0.0
	for _, row := range t.Rows {
		if row[c].Numeric() {
			largest = math.Max(largest, math.Abs(row[c].Number))
		}
	}
	switch column.Unit {
	case Time:
		size, unit := text.TimeUnit(largest)
		return 1 / size, title + " " + unit
	case Money, Amount:
		factor, prefix := text.MoneyUnit(largest)
		if !strings.Contains(title, "$") {
			title += " " + string(column.Unit)
		}
		return factor, strings.Replace(title, "$", prefix+"$", 1)
	case Share:
		return 100, title
	case Rate:
		return metric.Hour, title + " / h"
	}
	return 1, title
}

// decimals returns how many decimals the numbers of a column have that have no interval.
func (t Table) decimals(c int, scale float64) int {
	largest := 0.0
	for _, row := range t.Rows {
		if row[c].Numeric() {
			largest = math.Max(largest, math.Abs(scale*row[c].Number))
		}
	}
	switch t.Columns[c].Unit {
	case Count:
		return 0
	case Share:
		return 1
	}
	return text.Digits(largest, 3)
}

// cell returns a value in a column.
func (v Value) cell(column Column, scale float64, decimals int) string {
	switch {
	case !v.Known():
		return ""
	case column.Unit == Own:
		return v.alone(column.Signed)
	case v.Unit == Text:
		return v.Word
	case v.Unit == Truth:
		return yesOrNo(v.True)
	}
	words := text.Fixed(scale*v.Number, decimals)
	if v.Unit == Count && v.Number != math.Trunc(v.Number) {
		words = text.Short(v.Number)
	}
	if v.Random && v.High > v.Low {
		words = v.scaled(scale, 4)
	}
	if v.Unit == Share {
		words += " %"
	}
	return sign(column.Signed, v.Number, words)
}

// FewestReplications is the least number of replications whose intervals a page of a running engine shows.
const FewestReplications = 5

// Rows returns the columns of a table that a short text has, as words, the titles first; nil where there is no such
// table. Intervals of few replications are left out.
func (a Answer) Rows(table string) [][]string {
	t, _ := a.Table(table)
	if len(t.Rows) == 0 {
		return nil
	}
	if a.Replications < FewestReplications {
		t = t.Exact()
	}
	return t.brief()
}
