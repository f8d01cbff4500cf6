package answer

import (
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Answer is what a question comes to. Every question has one.
type Answer struct {
	Version, Commit string // of the program
	Command         string // the question
	Line            string // the command as it was typed
	Scenario        string
	Seed            uint64
	Replications    int     // that ran
	Level           float64 // of the intervals
	Ranges          bool    // intervals are ranges of the histories of a log

	Headline Fact
	Values   []Named // what is not a table; the first line of a text is made of them
	Tables   []Table // the first is the answer; a text has the others if they are to be explained
	Warnings []Fact

	Source string // the text of the scenario, for pages
}

// Table is rows of values. The first column names the rows.
type Table struct {
	Name    string
	Columns []Column
	Rows    [][]Value // as long as Columns
	Whole   bool      // a text has all rows: the list was asked for
	Shown   bool      // a short text has the table though it is not the first: it was asked for

	bounded bool // the first row is that of the bounds
}

// Column says what its values are.
type Column struct {
	Name   string // in JSON and CSV
	Title  string // on a terminal and on a page; "" is the name with spaces
	Unit   Unit
	Means  string
	Signed bool // a difference: positive numbers have a sign
	Quiet  bool // a text does not have it
	Mark   bool // of yes or no: a text has its title behind the names of the rows where it is yes
	Less   bool // less of it is better: bounds are from below

	Drawn  bool   // a figure shows it, see [Answer.Figures]
	Axis   bool   // figures run along it
	Bound  Value  // what no row exceeds, or goes below; a text has it in a row of its own
	Gap    Value  // by how much Bound may be off the optimum of its own problem, at most; a text has it beside it
	Limits string // name of the column in whose figure it stands as a limit of all rows at a place of the axis
	Proven bool   // nothing passes this limit; else it is a prediction
}

// Unit says how a value is written.
type Unit string

const (
	Text   Unit = "text"
	Truth  Unit = "yes or no"
	Money  Unit = "$/h"
	Amount Unit = "$"
	Time   Unit = "s"
	Rate   Unit = "1/s"
	Share  Unit = "1"
	Ratio  Unit = "ratio"
	Count  Unit = "count"
	Own    Unit = "own" // of a column: each value has its own unit
)

// Value is a word, a yes or no, or a number. The zero value is one that does not exist.
type Value struct {
	Unit   Unit
	Word   string
	True   bool
	Number float64
	// Low and High are the ends of the interval of a number, if Random is true.
	Low, High float64
	Random    bool
	Range     bool // the interval is a range of histories
}

// Named is a value with a name.
type Named struct {
	Name string
	Value
}

// Fact is a code with named values.
type Fact struct {
	Code   string
	Values []Named
}

// Word returns a text.
func Word(s string) Value { return Value{Unit: Text, Word: s} }

// Yes returns a yes or no.
func Yes(is bool) Value { return Value{Unit: Truth, True: is} }

// Exactly returns a number that nothing random touches. A number that is not finite does not exist.
func Exactly(unit Unit, x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Value{}
	}
	return Value{Unit: unit, Number: x}
}

// Estimated returns a number with its interval, if it has one. A number that is not finite does not exist.
func Estimated(unit Unit, i metric.Interval) Value {
	v := Exactly(unit, i.Mean)
	if v.Unit == "" || i.N < 2 || math.IsInf(i.HalfWidth, 0) || math.IsNaN(i.HalfWidth) {
		return v
	}
	v.Random, v.Range = true, i.Range
	v.Low, v.High = i.Bounds()
	return v
}

// full is the share from which an interval may as well reach 1, see AtMostOne.
const full = 0.9999

// AtMostOne returns the estimate of a share that cannot exceed 1. Near 1 most replications are at 1 exactly, since what is
// missing is rare: they do not tell by how much the share is below it. So the interval of a mean above 99.99 % is from there, or
// from its lower end, to 1.
func (v Value) AtMostOne() Value {
	v.Number = min(v.Number, 1) // but for errors of rounding
	if v.Random && v.Number > full {
		v.Low, v.High = min(v.Low, full), 1
	}
	return v
}

// isFull reports whether an estimated share is at least 99.99 %.
func (v Value) isFull() bool { return v.Unit == Share && v.Random && v.Low >= full && v.High <= 1 }

// Known reports whether the value exists.
func (v Value) Known() bool { return v.Unit != "" }

// Numeric reports whether the value is a number.
func (v Value) Numeric() bool { return v.Known() && v.Unit != Text && v.Unit != Truth }

// New returns a fact.
func New(code string, values ...Named) Fact { return Fact{Code: code, Values: values} }

// Equal reports whether two facts say the same.
func (f Fact) Equal(other Fact) bool {
	return f.Code == other.Code && slices.Equal(f.Values, other.Values)
}

// Value returns a value of a fact, or one that does not exist.
func (f Fact) Value(name string) Value {
	for _, v := range f.Values {
		if v.Name == name {
			return v.Value
		}
	}
	return Value{}
}

// Table returns the table of a name and whether there is one.
func (a Answer) Table(name string) (Table, bool) {
	i := slices.IndexFunc(a.Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return a.Tables[i], true
}

// Names returns the names of the tables.
func (a Answer) Names() []string {
	var list []string
	for _, t := range a.Tables {
		list = append(list, t.Name)
	}
	return list
}

// BoundRow is the name of the row that has the bounds of columns.
const BoundRow = "bound"

// whole returns the table as people read it: with the bounds of its columns as the first row, and with marks behind the
// names of rows.
func (t Table) whole() Table {
	var bounds []Value
	bounded := false
	name := BoundRow
	for _, c := range t.Columns {
		bounds = append(bounds, c.Bound)
		bounded = bounded || c.Bound.Known()
		if c.Gap.Known() {
			name = BoundRow + " (gap " + text.Gap(c.Gap.Number) + ")"
		}
	}
	var rows [][]Value
	t.bounded = bounded && t.Columns[0].Unit == Text
	if t.bounded {
		bounds[0] = Word(name)
		rows = append(rows, bounds)
	}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for i, c := range t.Columns {
			if c.Mark && row[i].True && row[0].Unit == Text {
				row[0].Word += " (" + c.title() + ")"
			}
		}
		rows = append(rows, row)
	}
	t.Rows = rows
	return t
}

// title returns the title of a column for people.
func (c Column) title() string {
	if c.Title != "" {
		return c.Title
	}
	return strings.ReplaceAll(c.Name, "_", " ")
}

// column returns the place of a column, -1 if there is none.
func (t Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// along reports whether the table runs along an axis.
func (t Table) along() bool {
	return len(t.Rows) > 0 && slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Axis })
}

// uncertain reports whether a number of a column has an interval.
func (t Table) uncertain(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []Value) bool { return row[column].Random })
}

// zero reports whether a column counts nothing.
func (t Table) zero(column int) bool {
	return t.Columns[column].Unit == Count &&
		!slices.ContainsFunc(t.Rows, func(row []Value) bool { return row[column].Number != 0 })
}

// says reports whether a column has a value.
func (t Table) says(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []Value) bool { return row[column].Known() && row[column] != Word("") })
}
