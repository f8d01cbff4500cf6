//go:build !js

package report

import (
	"bufio"
	"io"

	"revopt/internal/text"
	"revopt/plots/report/tidy"
	"revopt/plots/wording"
	"revopt/simulate/study"
)

// LoadEstimates reads a table or a saved result; see tidy.Read and LoadAny.
func LoadEstimates(r io.Reader) (any, error) {
	in := bufio.NewReader(r)
	if start, _ := in.Peek(1); string(start) == "{" {
		return LoadAny(in)
	}
	return tidy.Read(in)
}

// TidyResult returns the table of a simulation or a validation.
func TidyResult(r *study.Result) (*tidy.Table, error) {
	var view wording.View = Simulation{r}
	if r.Validated != nil {
		view = &Report{Result: r}
	}
	var rows [][]string
	view.Records(func(cells ...any) { rows = append(rows, wording.FormatCells(cells)) })
	t, err := tidy.New(rows)
	if err != nil {
		return nil, err
	}
	t.Marks, t.Covers, t.Trace = wording.Marks(r.Warnings), text.OneLine(r.Covers), r.TraceFile.Sum()
	if v := r.Validated; v != nil {
		t.Axis = v.Vary
		if v.ByLoad {
			t.Axis = "load"
			loads := map[string]string{} // by the value of a point, in four digits
			for _, p := range v.Points {
				loads[text.Field(float64(p.Value))] = text.Rounded(float64(p.Load))
			}
			for _, row := range t.Rows {
				row[0] = loads[row[0]]
			}
		}
	}
	return t, nil
}
