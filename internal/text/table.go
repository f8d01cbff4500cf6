package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a table of cells, all in one line each. A terminal shows it in columns; pages and documents show its rows.
type Table struct {
	Left  int  // columns that are flush left; the others are flush right
	Whole bool // long names and headings are printed whole

	rows [][]string // the headings first
}

// maxCell is how many characters are printed of a heading or of a name, the first cell of a row. Numbers are
// never cut.
const maxCell = 40

// NewTable returns a table with the given headings. Its first column is flush left.
func NewTable(headings ...string) *Table {
	t := &Table{Left: 1}
	t.Row(headings...)
	return t
}

// NewList returns a table without headings, with all columns flush left.
func NewList(rows [][]string) *Table {
	t := &Table{Whole: true}
	for _, cells := range rows {
		t.Row(cells...)
		t.Left = len(cells)
	}
	return t
}

// Row adds a row with as many cells as there are headings.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, Each(cells, OneLine)) }

// columnWidths returns the number of characters of the widest cell in each column.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// Print writes the table in columns. A table that is wider than a line of the writer is written in parts, one below the
// other, that repeat the first column. A column that does not fit beside the first one is written in several lines.
func (t *Table) Print(w io.Writer) {
	rows := t.rows
	if !t.Whole {
		rows = EachAt(rows, shortened)
	}
	wide := columns(w)
	widths := columnWidths(rows)
	if len(widths) > 1 && widths[0] > wide/2 {
		rows = Each(rows, func(cells []string) []string {
			return append([]string{cutTo(cells[0], wide/2)}, cells[1:]...)
		})
		widths = columnWidths(rows)
	}
	list := t.Left == len(widths) // without headings
	for k, part := range divided(widths, wide, list) {
		if k > 0 {
			fmt.Fprintln(w)
		}
		for _, cells := range rows {
			t.printRow(w, cells, part, widths, wide)
		}
	}
}

// divided returns the columns of the parts of a table, each with column 0. A list is one part.
func divided(widths []int, wide int, list bool) (parts [][]int) {
	part, sum := []int{0}, widths[0]
	for i := 1; i < len(widths); i++ {
		if sum+2+widths[i] > wide && len(part) > 1 && !list {
			parts = append(parts, part)
			part, sum = []int{0}, widths[0]
		}
		part = append(part, i)
		sum += 2 + widths[i]
	}
	return append(parts, part)
}

// printRow writes some columns of a row. The last one is broken into lines if it does not fit.
func (t *Table) printRow(w io.Writer, cells []string, columns, widths []int, wide int) {
	const least = 20 // characters of a column that is broken
	var line strings.Builder
	before := 0
	for k, i := range columns {
		if k > 0 {
			line.WriteString("  ")
			before += 2
		}
		cell := cells[i]
		if last := k == len(columns)-1; last && k > 0 && before+utf8.RuneCountInString(cell) > wide {
			space := "\n" + strings.Repeat(" ", before)
			line.WriteString(strings.Join(Wrapped(cell, max(least, wide-before)), space))
			break
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i < t.Left {
			line.WriteString(cell + pad)
		} else {
			line.WriteString(pad + cell)
		}
		before += widths[i]
	}
	fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
}

// String returns the table as Print writes it.
func (t *Table) String() string {
	var b strings.Builder
	t.Print(&b)
	return b.String()
}

// Cut shortens a name to the length of a cell.
func Cut(name string) string { return cutTo(name, maxCell) }

// cutTo shortens a name to so many characters.
func cutTo(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return name
}

// shortened cuts headings and names, which are in row 0 and in the first column.
func shortened(row int, cells []string) []string {
	return EachAt(cells, func(i int, cell string) string {
		if i == 0 || row == 0 {
			return Cut(cell)
		}
		return cell
	})
}

// Markdown returns the table for a document in Markdown.
func (t *Table) Markdown() string {
	var b strings.Builder
	for i, cells := range t.rows {
		fmt.Fprintf(&b, "|%s|\n", strings.Join(Each(cells, markdownEscapes.Replace), "|"))
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", t.Left) + strings.Repeat("---:|", len(cells)-t.Left) + "\n")
		}
	}
	return b.String()
}

// markdownEscapes writes the characters that have a meaning in Markdown so that they have none.
var markdownEscapes = strings.NewReplacer("|", "\\|", "&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "\\`", "[", "\\[",
	"\\", "\\\\")
