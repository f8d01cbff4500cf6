package text

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// Rows yields the rows of a long table, the header first. A cell is a string, a
// number, an int or a bool; a slice of strings fills several cells.
type Rows func(add func(cells ...any))

// WriteCSV writes a table as CSV, below comments that say what made it. It is the
// one writer of long tables, and keeps no row.
func WriteCSV(w io.Writer, prov Provenance, rows Rows) error {
	for _, pair := range prov.Pairs() {
		if _, err := fmt.Fprintf(w, "# %s: %s\n", pair.Key, pair.Value); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	var row []string
	rows(func(cells ...any) {
		row = appendCells(row[:0], cells)
		for i, cell := range row {
			row[i] = CSVText(cell)
		}
		out.Write(row)
	})
	out.Flush()
	return out.Error()
}

// appendCells appends cells as text to a list.
func appendCells(list []string, cells []any) []string {
	for _, cell := range cells {
		switch x := cell.(type) {
		case string:
			list = append(list, x)
		case []string:
			list = append(list, x...)
		case float64:
			list = append(list, Field(x))
		case int:
			list = append(list, strconv.Itoa(x))
		case bool:
			list = append(list, strconv.FormatBool(x))
		default:
			panic(fmt.Sprintf("text: a cell is a %T", cell))
		}
	}
	return list
}
