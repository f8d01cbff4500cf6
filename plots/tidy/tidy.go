//go:build !js

package tidy

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/answer"
)

// Table is a long table of the estimates of an answer: columns that name the case, then metric, mean and half_width.
type Table struct {
	Columns []string
	Rows    [][]string
	Trace   string                 // SHA-256 of the trace; "" if there is none
	Units   map[string]answer.Unit // of measures, as far as they are known
}

// OfAnswer returns the table of the policies or changes of an answer, of their customers, and of points along an axis.
func OfAnswer(a answer.Answer) (*Table, error) {
	columns := []string{"policy", "admission", "customer", "pool"}
	if _, changes := a.Table("changes"); changes {
		columns = []string{"change", "customer", "pool"}
	}
	points, _ := a.Table("points")
	for _, c := range points.Columns {
		if c.Axis {
			columns = append(columns, c.Name)
		}
	}
	rows := [][]string{append(slices.Clone(columns), "metric", "mean", "half_width")}
	rows[0][slices.Index(columns, "customer")] = "class"
	units := map[string]answer.Unit{}
	for _, name := range []string{"policies", "changes", "customers", "points"} {
		t, _ := a.Table(name)
		for _, row := range t.Rows {
			rows = append(rows, estimates(t, row, columns, units)...)
		}
	}
	if len(rows) == 1 {
		return nil, &Error{"expected an answer with policies or changes, got that of " + a.Command}
	}
	return &Table{Columns: rows[0], Rows: rows[1:], Trace: a.TraceSum(), Units: units}, nil
}

// estimates returns the numbers of a row of an answer, each with the values of some columns before it, and notes units.
func estimates(t answer.Table, row []answer.Value, columns []string, units map[string]answer.Unit) (rows [][]string) {
	key := make([]string, len(columns))
	for i, column := range t.Columns {
		k := slices.Index(columns, column.Name)
		v := row[i]
		switch {
		case k >= 0 && v.Numeric():
			key[k] = text.Field(v.Number)
		case k >= 0:
			key[k] = v.Word
		case v.Numeric():
			units[column.Name] = column.Unit
			half := ""
			if v.Random {
				half = text.Field((v.High - v.Low) / 2)
			}
			rows = append(rows, append(slices.Clone(key), column.Name, text.Field(v.Number), half))
		}
	}
	return rows
}

// Error is a table that cannot be drawn, or a request that it cannot fulfill.
type Error struct{ Why string }

func (e *Error) Error() string { return e.Why }

func (t *Table) column(name string) int { return slices.Index(t.Columns, name) }

// cases returns the columns that say what a row is of.
func (t *Table) cases() []string { return t.Columns[:t.column("metric")] }

// values returns the different values of a column, in order.
func values(rows [][]string, column int) []string {
	var list []string
	seen := map[string]bool{}
	for _, row := range rows {
		if x := row[column]; !seen[x] {
			seen[x] = true
			list = append(list, x)
		}
	}
	return list
}

// parameters are the columns of a sweep or of a validation that hold numbers.
func (t *Table) parameters() []string {
	known := []string{"policy", "change", "admission", "class", "pool"}
	return slices.DeleteFunc(slices.Clone(t.cases()), func(name string) bool { return slices.Contains(known, name) })
}

// Options say what to draw of a table.
type Options struct {
	X     string            // column; "" is the first parameter that varies, else the policy
	Y     string            // measure; "" is the share of the bound, the value or the mean wait, whichever there is first
	Where map[string]string // columns that must have a value
}

// maxSeries is how many lines or kinds of bars a figure may have.
const maxSeries = 12

// Plotted is what a figure of a table shows.
type Plotted struct {
	plots.Figure
	X, Y  string      // column and measure
	Unit  string      // of the rows
	Table *text.Table // of the same numbers
}

// Plot is some measures of a table, drawn and listed.
type Plot struct {
	Trace string // SHA-256 of the trace; "" if there is none
	List  []*Plotted
}

// Plot draws measures, each in a figure.
func (t *Table) Plot(o Options, measures []string) (*Plot, error) {
	p := &Plot{Trace: t.Trace}
	for _, o.Y = range measures {
		fig, err := t.Figure(o)
		if err != nil {
			return nil, err
		}
		p.List = append(p.List, fig)
	}
	return p, nil
}

// Table writes the numbers that are drawn.
func (p *Plot) Table(w io.Writer) {
	for i, fig := range p.List {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, strings.TrimSuffix(fig.Y+", "+fig.Unit, ", "))
		fig.Table.Print(w)
	}
}

func (p *Plot) Pictures() (sheet plots.Picture, each []plots.Picture) {
	all := plots.Sheet{ID: "plot"}
	for _, fig := range p.List {
		all.Panels, each = append(all.Panels, fig.Figure), append(each, fig.Figure)
	}
	if len(each) == 1 {
		return each[0], each
	}
	return all, each
}

// Figure draws a measure against a column: lines with bands along numbers, bars
// with intervals of names. Every other column that tells rows apart tells lines apart. The
// rows are those of all jobs unless X or Where names the class or the pool.
func (t *Table) Figure(o Options) (*Plotted, error) {
	for _, name := range append(slices.Sorted(maps.Keys(o.Where)), o.X) {
		if name != "" && !slices.Contains(t.cases(), name) {
			return nil, &Error{fmt.Sprintf("no column %q, expected one of %s", name,
				strings.Join(t.cases(), ", "))}
		}
	}
	y, err := t.measure(o.Y)
	if err != nil {
		return nil, err
	}
	rows, x := t.choose(o, y)
	if len(rows) == 0 {
		return nil, &Error{fmt.Sprintf("nothing to draw: no row has %s with these values", y)}
	}
	xs := values(rows, t.column(x))
	keys := t.keys(rows, x)
	names, lines := t.lines(rows, keys, y)
	if len(names) > maxSeries {
		return nil, &Error{fmt.Sprintf("expected at most %d lines, got %d: choose some by %s",
			maxSeries, len(names), strings.Join(keys, ", "))}
	}
	p := &Plotted{X: x, Y: y, Figure: plots.Figure{ID: fileName(y, "by", x), X: plots.Axis{Categories: xs}}}
	numeric := !slices.ContainsFunc(xs, func(x string) bool { _, err := strconv.ParseFloat(x, 64); return err != nil })
	if numeric {
		p.Figure.X = pathAxis(x)
	}
	u := unitsOf(y, t.Units[y], t.largest(rows))
	p.Figure.Y, p.Unit = u.Axis, u.name
	if slices.ContainsFunc(rows, func(row []string) bool { return t.number(row, "mean") < 0 }) {
		p.Figure.Y.Min = math.NaN()
	}
	for _, name := range names {
		s := plots.Series{Name: name, Kind: plots.Bars}
		place := func(row []string) float64 { return float64(slices.Index(xs, row[t.column(x)])) }
		if numeric {
			s.Kind = plots.Line
			place = func(row []string) float64 { return t.number(row, x) }
		}
		for _, row := range lines[name] {
			mean, half := u.draw*t.number(row, "mean"), u.draw*t.number(row, "half_width")
			addBand(&s, place(row), mean, mean-half, mean+half)
		}
		if len(keys) == 0 {
			s.Name, s.Look = "", 1 // the axis has it
		}
		p.Series = append(p.Series, s)
	}
	p.Table = t.listed(xs, x, names, lines, u.list)
	return p, nil
}

// lines divides rows by the line that they belong to, and names the lines in their order.
func (t *Table) lines(rows [][]string, keys []string, y string) (names []string, lines map[string][][]string) {
	lines = map[string][][]string{}
	for _, row := range rows {
		name := t.label(row, keys, y)
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], row)
	}
	return names, lines
}

// measure returns the measure that is wanted.
func (t *Table) measure(name string) (string, error) {
	known := values(t.Rows, t.column("metric"))
	switch {
	case slices.Contains(known, name):
		return name, nil
	case name != "":
		return "", &Error{fmt.Sprintf("no measure %q, expected one of %s", name, strings.Join(known, ", "))}
	}
	for _, m := range []string{"share", "value", "mean_wait"} {
		for _, row := range t.Rows {
			if row[t.column("metric")] == m && t.number(row, "mean") != 0 && !math.IsNaN(t.number(row, "mean")) {
				return m, nil
			}
		}
	}
	return known[0], nil
}

// choose returns the rows of a measure to draw, and the column that they run along.
func (t *Table) choose(o Options, y string) (rows [][]string, x string) {
	where := maps.Clone(o.Where)
	if where == nil {
		where = map[string]string{}
	}
	x = o.X
	for _, name := range t.parameters() {
		if _, fixed := where[name]; x == "" && !fixed && len(values(t.Rows, t.column(name))) > 1 {
			x = name
		}
	}
	if x == "" {
		x = t.cases()[0] // policy or change
	}
	for _, name := range []string{"class", "pool"} { // without a wish, all jobs
		if _, fixed := where[name]; !fixed && x != name && t.column(name) >= 0 {
			where[name] = ""
		}
	}
	for _, row := range t.Rows {
		keep := row[t.column("metric")] == y && row[t.column(x)] != ""
		for name, value := range where {
			keep = keep && row[t.column(name)] == value
		}
		if keep {
			rows = append(rows, row)
		}
	}
	return rows, x
}

// keys returns the columns that tell rows of one x apart.
func (t *Table) keys(rows [][]string, x string) []string {
	return slices.DeleteFunc(slices.Clone(t.cases()), func(name string) bool {
		return name == x || len(values(rows, t.column(name))) == 1
	})
}

// label names a line by some columns, or as the only one.
func (t *Table) label(row []string, keys []string, alone string) string {
	var words []string
	for _, name := range keys {
		value := row[t.column(name)]
		if slices.Contains(t.parameters(), name) {
			value = name + " " + value
		}
		if value != "" {
			words = append(words, text.OneLine(value))
		}
	}
	if words == nil {
		return alone
	}
	return strings.Join(words, ", ")
}

// number returns a cell, NaN where it holds none.
func (t *Table) number(row []string, column string) float64 {
	x, err := strconv.ParseFloat(row[t.column(column)], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

func (t *Table) largest(rows [][]string) float64 {
	var most float64
	for _, row := range rows {
		if x := math.Abs(t.number(row, "mean")); x > most && !math.IsInf(x, 0) {
			most = x
		}
	}
	return most
}

// units says how a measure is drawn and listed.
type units struct {
	plots.Axis
	draw, list float64 // what to multiply values by
	name       string  // of the unit of the list
}

// unitsOf returns those of a measure whose largest value is given.
func unitsOf(measure string, unit answer.Unit, most float64) units {
	label := strings.ReplaceAll(measure, "_", " ")
	u := units{Axis: plots.Axis{Label: strings.ToUpper(label[:1]) + label[1:], Max: math.NaN()}, draw: 1, list: 1}
	dollars := func(scale float64, per string) {
		factor, prefix := text.MoneyUnit(scale * most)
		u.draw = scale * factor
		u.list = u.draw
		u.name = prefix + "$" + per
		u.Unit = u.name
	}
	switch {
	case unit == answer.Money:
		dollars(1, "/h")
	case unit == answer.Amount:
		dollars(1, "")
	case unit == answer.Share:
		u.Percent, u.list, u.name = true, 100, "%"
	case unit == answer.Time:
		size, name := text.TimeUnit(most)
		u.Time, u.list, u.name = true, 1/size, name
	}
	return u
}

// listed returns the numbers as a table with a column for each line.
func (t *Table) listed(
	xs []string, x string, names []string, lines map[string][][]string, scale float64,
) *text.Table {
	table := text.NewTable()
	table.Column(x, xs)
	for _, name := range names {
		table.Column(name, text.Each(xs, func(at string) string {
			cell := "-"
			for _, row := range lines[name] {
				if row[t.column(x)] == at {
					mean := scale * t.number(row, "mean")
					cell = text.Estimate(mean, scale*t.number(row, "half_width"), text.Digits(mean, 6))
				}
			}
			return cell
		}))
	}
	return table
}

// fileName makes a name for files of words.
func fileName(words ...string) string {
	keep := func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}
	return strings.Map(keep, strings.TrimLeft(strings.Join(words, "-"), "."))
}
