package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// View is a result in the forms in which the program writes it.
type View interface {
	Facts() (facts any, warnings []study.Warning) // facts are the JSON output
	Table(w io.Writer)                            // text for a terminal
	Records(add func(cells ...any))               // the rows of the CSV file, see Rows
	Provenance() text.Provenance                  // says where the numbers come from
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

// Text writes a table below the marks of its result.
func Text(w io.Writer, table func(io.Writer), warnings []study.Warning) {
	for _, m := range Marks(warnings) {
		fmt.Fprintf(w, "%s\n\n", strings.ToUpper(m.Value[:1])+text.OneLine(m.Value[1:]))
	}
	table(w)
}

// Marks are the warnings that say which part of the work a result covers, or which
// builds made it. Tables and files carry them.
func Marks(warnings []study.Warning) []text.Pair {
	var list []text.Pair
	for _, w := range warnings {
		if w.Kind == study.WarnInterrupted || w.Kind == study.WarnBuilds {
			list = append(list, text.Pair{Key: w.Kind, Value: Sentence(w)})
		}
	}
	return list
}

// Warnings are the lines of the warnings for a terminal, without the marks. Of many
// doubts about fitted classes it gives the first, which is the most important.
func Warnings(warnings []study.Warning) []string {
	var list []string
	doubts := 0
	for _, w := range warnings {
		if w.Kind == study.WarnFit {
			doubts++
		}
		if w.Kind == study.WarnFit && doubts > 1 || len(Marks([]study.Warning{w})) > 0 {
			continue
		}
		list = append(list, text.OneLine(Sentence(w)))
	}
	if doubts > 1 {
		list = append(list, fmt.Sprintf("why the fitted classes may be far off: --json has %d more", doubts-1))
	}
	return list
}

// provenance begins that of a result.
func provenance(version, scenario, command string, overrides []string, extra ...text.Pair) text.Provenance {
	return text.Provenance{
		Version: version, Scenario: scenario, Command: command,
		Extra: append([]text.Pair{{Key: "overrides", Value: strings.Join(overrides, ", ")}}, extra...),
	}
}
