package answer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
)

// TextOptions say how much of an answer a terminal shows. The zero value is the short answer.
type TextOptions struct {
	Explain bool // all tables, all rows, all columns and all warnings
	Wide    int  // characters of a line; 0 is text.MaxColumns
}

// A short answer has at most so many lines and rows of a table.
const (
	mostLines = 25
	mostRows  = 12
)

const explain = "--explain"

// WriteText writes the answer for a terminal: what was asked, the headline, a table, warnings.
func (a Answer) WriteText(w io.Writer, o TextOptions) error {
	if o.Wide == 0 {
		o.Wide = text.MaxColumns
	}
	a, labels := a.shortened()
	var lines []string
	if asked := a.asked(); asked != "" {
		lines = append(lines, text.Wrapped(text.OneLine(asked), o.Wide)...)
	}
	lines = append(lines, text.Wrapped(text.OneLine(a.Headline.String()), o.Wide)...)
	for i, t := range a.Tables {
		if i > 0 && !o.Explain && !t.Shown || len(t.Rows) == 0 {
			continue
		}
		lines = append(lines, "")
		if i > 0 {
			lines = append(lines, strings.ReplaceAll(t.Name, "_", " ")+":")
		}
		t = t.whole()
		room := max(1, min(mostRows, mostLines-len(lines)-3))
		if o.Explain || t.Whole {
			room = len(t.Rows)
		}
		lines = append(lines, t.lines(o, room)...)
	}
	for i, l := range labels {
		if i == 0 {
			lines = append(lines, "")
		}
		lines = append(lines, text.Wrapped(text.OneLine(l.String()), o.Wide)...)
	}
	warnings := a.warnings(o)
	whole := o.Explain || len(a.Tables) > 0 && a.Tables[0].Whole
	if len(warnings) > 0 {
		lines = append(lines, "")
	}
	lines = append(lines, fitting(warnings, mostLines-len(lines), whole)...)
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// asked says in a line what was asked: jobs, machine and load, and how often it ran.
func (a Answer) asked() string {
	value := Fact{Values: a.Values}.Value
	var parts []string
	if v := value("points"); v.Known() {
		parts = append(parts, text.Plural(int(v.Number), "point"))
	}
	if v := value("jobs"); v.Known() {
		parts = append(parts, text.Fixed(v.Number, 0)+" jobs")
	}
	if v := value("span"); v.Known() {
		parts = append(parts, text.Duration(v.Number))
	}
	if v := value("units"); v.Known() {
		parts = append(parts, text.Plural(int(v.Number), value("unit").Word))
	}
	if v := value("load"); v.Known() {
		parts = append(parts, "load "+text.Fixed(v.Number, 2))
	}
	if v := value("estimates"); v.Known() {
		parts = append(parts, v.Word+" estimates")
	}
	if v := value("residual"); v.Known() {
		parts = append(parts, v.Word+" delays")
	}
	if len(parts) == 0 {
		return a.Scenario
	}
	return a.Scenario + ": " + strings.Join(parts, ", ") + a.ran()
}

// ran says how often the jobs ran.
func (a Answer) ran() string {
	level := text.PlainPercent(a.Level)
	switch {
	case a.Replications == 0:
		return ""
	case a.Replications == 1:
		return "; one history, no interval"
	case a.Ranges:
		return fmt.Sprintf("; %d histories, ranges of %s", a.Replications, level)
	}
	return fmt.Sprintf("; %d replications, ± %s", a.Replications, level)
}

// warnings returns the lines of each warning.
func (a Answer) warnings(o TextOptions) [][]string {
	var list [][]string
	for _, f := range a.Warnings {
		words := text.Wrapped(text.OneLine("warning "+f.Code+": "+f.String()), o.Wide-2)
		for i := range words[1:] {
			words[i+1] = "  " + words[i+1]
		}
		list = append(list, words)
	}
	return list
}

// fitting returns as many warnings as fit into some lines, and how many more there are.
func fitting(warnings [][]string, room int, whole bool) []string {
	all := slices.Concat(warnings...)
	if whole || len(all) <= room {
		return all
	}
	var lines []string
	for i, words := range warnings {
		if len(lines)+len(words)+1 > room {
			return append(lines, fmt.Sprintf("%s more: %s", text.Plural(len(warnings)-i, "warning"), explain))
		}
		lines = append(lines, words...)
	}
	return lines
}

// lines returns the table in columns that fit into a line, with so many rows at most.
func (t Table) lines(o TextOptions, rows int) []string {
	cells := t.cells()
	shown := min(rows, len(t.Rows))
	var columns []int
	for c, column := range t.Columns {
		if c == 0 || t.says(c) && (o.Explain && !t.zero(c) || !column.Quiet) {
			columns = append(columns, c)
		}
	}
	keys := t.heads(columns)
	var list []string
	for len(columns) > 0 {
		part := t.fit(cells[:1+shown], columns, 1+len(keys), o.Wide)
		list = append(list, t.print(cells[:1+shown], part)...)
		columns = columns[len(part):]
		switch {
		case len(columns) > 0 && o.Explain:
			list = append(list, "")
			columns = slices.Concat(keys, columns)
		case len(columns) > 0:
			list = append(list, fmt.Sprintf("%s more: %s", text.Plural(len(columns), "column"), explain))
			columns = nil
		}
	}
	if more := len(t.Rows) - shown; more > 0 {
		list = append(list, fmt.Sprintf("%d more: %s", more, explain))
	}
	return list
}

// heads returns the columns of words with which rows begin: they tell the rows apart in every part of a wide table.
func (t Table) heads(columns []int) []int {
	for i, c := range columns {
		if t.Columns[c].Unit != Text {
			return columns[:max(i, 1)]
		}
	}
	return columns[:1]
}

// fit returns the first columns that fit into a line, at least so many where there are so many.
func (t Table) fit(cells [][]string, columns []int, least, wide int) []int {
	sum := -2
	for i, c := range columns {
		sum += 2 + width(cells, c)
		if sum > wide && i >= least {
			return columns[:i]
		}
	}
	return columns
}

func width(cells [][]string, c int) int {
	most := 0
	for _, row := range cells {
		most = max(most, utf8.RuneCountInString(text.Cut(text.OneLine(row[c]))))
	}
	return most
}

// print returns the lines of some columns. Words are flush left, numbers flush right.
func (t Table) print(cells [][]string, columns []int) []string {
	var list []string
	for _, row := range cells {
		var line strings.Builder
		for i, c := range columns {
			if i > 0 {
				line.WriteString("  ")
			}
			cell := text.Cut(text.OneLine(row[c]))
			space := strings.Repeat(" ", width(cells, c)-utf8.RuneCountInString(cell))
			if t.Columns[c].Unit == Text || t.Columns[c].Unit == Truth {
				line.WriteString(cell + space)
			} else {
				line.WriteString(space + cell)
			}
		}
		list = append(list, strings.TrimRight(line.String(), " "))
	}
	return list
}
