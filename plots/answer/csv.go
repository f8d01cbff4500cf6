package answer

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// NoTableError is an answer without the table that was asked for.
type NoTableError struct {
	Table string
	Known []string
}

func (e *NoTableError) Error() string {
	return fmt.Sprintf("the answer has no table %q, expected one of %s", e.Table, strings.Join(e.Known, ", "))
}

// Made says what made the answer.
func (a Answer) Made() text.Provenance {
	return text.Provenance{Version: strings.TrimSpace(a.Version + " " + a.Commit), Scenario: a.Scenario, Seed: &a.Seed,
		Command: a.Line, Extra: []text.Pair{text.TraceSum(a.TraceSum())}}
}

// TraceSum returns the SHA-256 of the trace, "" where there is none.
func (a Answer) TraceSum() string { return Fact{Values: a.Values}.Value(text.TraceSum("").Key).Word }

// WriteCSV writes one table below comments that say what made it; "" is the first. Column X with intervals has columns X_low and X_high beside it. A value
// that does not exist is an empty field.
func (a Answer) WriteCSV(w io.Writer, table string) error {
	if table == "" && len(a.Tables) > 0 {
		table = a.Tables[0].Name
	}
	t, known := a.Table(table)
	if !known {
		return &NoTableError{table, a.Names()}
	}
	made := a.Made().Pairs()
	if a.Replications > 0 {
		made = append(made, text.Pair{Key: "replications", Value: strconv.Itoa(a.Replications)})
	}
	for _, pair := range made {
		if _, err := fmt.Fprintf(w, "# %s: %s\n", pair.Key, pair.Value); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	var head []string
	for c, column := range t.Columns {
		head = append(head, column.Name)
		if t.uncertain(c) {
			head = append(head, column.Name+"_low", column.Name+"_high")
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, row := range t.Rows {
		var line []string
		for c, v := range row {
			line = append(line, v.field())
			if t.uncertain(c) {
				line = append(line, v.end(v.Low), v.end(v.High))
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// field returns a value for a program.
func (v Value) field() string {
	switch v.Unit {
	case "":
		return ""
	case Text:
		return text.CSVText(v.Word)
	case Truth:
		return strconv.FormatBool(v.True)
	}
	return text.Field(v.Number)
}

// end returns an end of the interval, "" where there is none.
func (v Value) end(x float64) string {
	if !v.Random {
		return ""
	}
	return text.Field(x)
}
