package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Rows yields the rows of a long table, the header first. A cell is a string, a
// number, an int or a bool; a slice of strings or numbers fills several cells.
type Rows func(add func(cells ...any))

// WriteCSV writes a table as CSV, below comments that say what made it. It is the
// one writer of long tables, and keeps no row.
func WriteCSV(w io.Writer, prov text.Provenance, rows Rows) error {
	for _, pair := range prov.Pairs() {
		if _, err := fmt.Fprintf(w, "# %s: %s\n", pair.Key, pair.Value); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	rows(func(cells ...any) { out.Write(text.CSVRow(formatCells(cells))) })
	out.Flush()
	return out.Error()
}

// Strings returns the rows as text, the header first.
func (rows Rows) Strings() [][]string {
	var list [][]string
	rows(func(cells ...any) { list = append(list, formatCells(cells)) })
	return list
}

// formatCells returns cells as text. A number keeps all its digits; one that is not
// finite is empty.
func formatCells(cells []any) []string {
	list := make([]string, 0, len(cells))
	for _, cell := range cells {
		switch x := cell.(type) {
		case string:
			list = append(list, x)
		case []string:
			list = append(list, x...)
		case float64:
			list = append(list, text.Field(x))
		case study.Number:
			list = append(list, text.Field(float64(x)))
		case []study.Number:
			for _, number := range x {
				list = append(list, text.Field(float64(number)))
			}
		case int:
			list = append(list, strconv.Itoa(x))
		case bool:
			list = append(list, strconv.FormatBool(x))
		default:
			panic(fmt.Sprintf("report: a cell is a %T", cell))
		}
	}
	return list
}

// estimateColumns are the headings of the cells of an estimate. A ranged result has
// two more.
func estimateColumns(ranged bool) []string {
	list := []string{"mean", "half_width", "level", "n", "variance_reduced"}
	if ranged {
		list = append(list, "low", "high")
	}
	return list
}

// estimateCells are the cells of an estimate.
func estimateCells(e study.Estimate, ranged bool) []string {
	list := formatCells([]any{e.Mean, e.HalfWidth, e.Level, e.N, e.ReducedField()})
	switch {
	case !ranged:
		return list
	case e.Low == nil:
		return append(list, "", "")
	}
	return append(list, formatCells([]any{*e.Low, *e.High})...)
}
