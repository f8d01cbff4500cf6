package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a table of cells, all in one line each. It is built by rows or by columns. A terminal shows it in
// columns; pages and documents show its rows.
type Table struct {
	Left  int  // columns that are flush left; the others are flush right
	Whole bool // long names and headings are printed whole

	rows [][]string // the headings first
}

// MaxCell is how many characters are printed of a heading or of a name, the first cell of a row. Numbers are
// never cut.
const MaxCell = 40

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

// Column adds a column on the right, with a cell for each row that the table has. The first column of a table
// without headings makes the rows.
func (t *Table) Column(heading string, cells []string) {
	if t.rows[0] == nil {
		t.rows = make([][]string, len(cells)+1)
	}
	t.rows[0] = append(t.rows[0], OneLine(heading))
	for i, cell := range cells {
		t.rows[i+1] = append(t.rows[i+1], OneLine(cell))
	}
}

// Rows returns the rows with whole cells, the headings first. It returns nil for no table.
func (t *Table) Rows() [][]string {
	if t == nil {
		return nil
	}
	return t.rows
}

// Empty reports whether there are no rows below the headings.
func (t *Table) Empty() bool { return len(t.rows) < 2 }

// Width returns the number of characters of the widest line. Of each cell at most MaxCell are counted.
func (t *Table) Width() int {
	sum := -2
	for _, width := range columnWidths(t.rows) {
		sum += 2 + min(width, MaxCell)
	}
	return sum
}

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

// Print writes the table in columns.
func (t *Table) Print(w io.Writer) {
	rows := t.rows
	if !t.Whole {
		rows = EachAt(rows, shortened)
	}
	widths := columnWidths(rows)
	for _, cells := range rows {
		var line strings.Builder
		for i, cell := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
			}
			if i < t.Left {
				line.WriteString(cell + pad)
			} else {
				line.WriteString(pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// String returns the table as Print writes it.
func (t *Table) String() string {
	var b strings.Builder
	t.Print(&b)
	return b.String()
}

// Cut shortens a name to the length of a cell.
func Cut(name string) string {
	if runes := []rune(name); len(runes) > MaxCell {
		return string(runes[:MaxCell-3]) + "..."
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
		fmt.Fprintf(&b, "|%s|\n", strings.Join(Each(cells, MarkdownText), "|"))
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", t.Left) + strings.Repeat("---:|", len(cells)-t.Left) + "\n")
		}
	}
	return b.String()
}

var markdownEscapes = strings.NewReplacer("|", "\\|", "&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "\\`", "[", "\\[",
	"\\", "\\\\")

// MarkdownText returns a text without characters that have a meaning in Markdown.
func MarkdownText(s string) string { return markdownEscapes.Replace(s) }
