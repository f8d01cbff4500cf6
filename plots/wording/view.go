package wording

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// View is a result in the forms in which the program writes it.
type View interface {
	Facts() (facts any, warnings []warn.Warning) // facts are the JSON output
	Table(w io.Writer)                           // text for a terminal
	Records(add func(cells ...any))              // the rows of the CSV file, see Rows
	Provenance() text.Provenance                 // says where the numbers come from
}

// Paged is a view with a page: one HTML file that loads nothing.
type Paged interface {
	Page(w io.Writer) error
}

// JSON writes facts as one indented object.
func JSON(w io.Writer, facts any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(facts)
}

// Marks are the warnings that say which part of the work a result covers, or which
// builds made it. Tables and files carry them.
func Marks(warnings []warn.Warning) []text.Pair {
	list := text.Where(warnings, func(w warn.Warning) bool {
		return w.Kind == warn.Interrupted || w.Kind == warn.Builds
	})
	return text.Each(list, func(w warn.Warning) text.Pair { return text.Pair{Key: w.Kind, Value: Sentence(w)} })
}

// Warnings are the lines of the warnings for a terminal, without the marks. Of many
// doubts about fitted classes it gives the first, which is the most important.
func Warnings(warnings []warn.Warning) []string {
	var list []string
	doubts := 0
	for _, w := range warnings {
		if w.Kind == warn.Fit {
			doubts++
		}
		if w.Kind == warn.Fit && doubts > 1 || len(Marks([]warn.Warning{w})) > 0 {
			continue
		}
		list = append(list, text.OneLine(Sentence(w)))
	}
	if doubts > 1 {
		list = append(list, fmt.Sprintf("why the fitted classes may be far off: --json has %d more", doubts-1))
	}
	return list
}

// Provenance returns that of a result, with more keys and values, and the marks.
func Provenance(version, scenario, command string, overrides []string, trace *subject.TraceFile,
	warnings []warn.Warning, more ...string) text.Provenance {
	extra := []text.Pair{{Key: "overrides", Value: strings.Join(overrides, ", ")}, TraceSum(trace.Sum())}
	for pair := range slices.Chunk(more, 2) {
		extra = append(extra, text.Pair{Key: pair[0], Value: pair[1]})
	}
	return text.Provenance{Version: version, Scenario: scenario, Command: command,
		Extra: append(extra, Marks(warnings)...)}
}

// TraceSum is the remark on the SHA-256 of a trace.
func TraceSum(sum string) text.Pair { return text.Pair{Key: "trace_sha256", Value: sum} }

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
	var row []string
	rows(func(cells ...any) {
		row = appendCells(row[:0], cells)
		for i, cell := range row {
			row[i] = text.CSVText(cell)
		}
		out.Write(row)
	})
	out.Flush()
	return out.Error()
}

// FormatCells returns cells as text, numbers with all digits, "" if not finite.
func FormatCells(cells []any) []string { return appendCells(make([]string, 0, len(cells)), cells) }

// appendCells appends cells as text to a list.
func appendCells(list []string, cells []any) []string {
	for _, cell := range cells {
		switch x := cell.(type) {
		case string:
			list = append(list, x)
		case []string:
			list = append(list, x...)
		case float64:
			list = append(list, text.Field(x))
		case metric.Number:
			list = append(list, text.Field(float64(x)))
		case []metric.Number:
			for _, number := range x {
				list = append(list, text.Field(float64(number)))
			}
		case int:
			list = append(list, strconv.Itoa(x))
		case bool:
			list = append(list, strconv.FormatBool(x))
		default:
			panic(fmt.Sprintf("wording: a cell is a %T", cell))
		}
	}
	return list
}

// EstimateColumns are the headings of an estimate, two more if results are ranges.
func EstimateColumns(ranged bool) []string {
	list := []string{"mean", "half_width", "level", "n", "variance_reduced"}
	if ranged {
		list = append(list, "low", "high")
	}
	return list
}

func EstimateCells(e study.Estimate, ranged bool) []string {
	list := FormatCells([]any{e.Mean, e.HalfWidth, e.Level, e.N, e.Reduced})
	if e.Reduced == 0 { // no control variates
		list[4] = ""
	}
	switch {
	case !ranged:
		return list
	case e.Low == nil:
		return append(list, "", "")
	}
	return append(list, FormatCells([]any{*e.Low, *e.High})...)
}
