package ask

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// WriteCells writes every number of every replication, below comments that say what made them.
func (c *Comparison) WriteCells(w io.Writer) error {
	for _, pair := range c.Answer.Made().Pairs() {
		if _, err := fmt.Fprintf(w, "# %s: %s\n", pair.Key, pair.Value); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	out.Write([]string{"row", "policy", "admission", "set", "replication", "group", "column", "number"})
	bounds := map[string]bool{}
	seen := map[string]bool{}
	for _, r := range slices.Concat(c.Rows, c.Points) {
		if name := r.Case.Row(); !seen[name] { // a point may be that of the scenario
			seen[name] = true
			c.writeRow(out, r)
		}
		if r.Bound != nil && !bounds[r.Bound.Row()] {
			bounds[r.Bound.Row()] = true
			c.writeBounds(out, *r.Bound)
		}
	}
	out.Flush()
	return out.Error()
}

// set returns what a case changes beyond the scenario of the question.
func (c *Comparison) set(it run.Case) string {
	return text.CSVText(strings.Join(it.Set[len(c.Lab.Base().Set):], " "))
}

// writeRow writes the numbers of a row.
func (c *Comparison) writeRow(out *csv.Writer, r Row) {
	for k, record := range c.frame.Records(r.Case) {
		for _, group := range c.frame.Groups(r.Case) {
			first := []string{text.CSVText(r.Label), text.CSVText(r.Case.Do.Policy), text.CSVText(r.admission()),
				c.set(r.Case), strconv.Itoa(k), text.CSVText(group)}
			writeColumns(out, first, record.Groups[group])
		}
	}
}

// writeBounds writes the numbers of bounds: totals in $, or means.
func (c *Comparison) writeBounds(out *csv.Writer, b run.Case) {
	o := c.objective
	if !o.Smaller {
		o = run.Total()
	}
	for _, part := range c.frame.Parts(b) {
		group := run.All
		if part != nil {
			group = run.Pool(part.Name())
		}
		values := c.frame.Limit(o, b, part)
		for k := range values.Len() {
			if x, ok := values.At(k); ok {
				name := "bound:" + o.Bound
				out.Write([]string{name, name, "", c.set(b), strconv.Itoa(k), text.CSVText(group), o.Column, text.Field(x)})
			}
		}
	}
}

// writeColumns writes the measures of a group, and how it is served where no measure says so.
func writeColumns(out *csv.Writer, first []string, columns run.Columns) {
	for name, x := range columns.All() {
		if _, measure := run.Lookup(name); measure {
			out.Write(append(first[:len(first):len(first)], name, text.Field(x)))
		}
	}
	for _, waits := range run.WaitColumns() {
		x, there := columns.Get(waits.Column)
		if _, twice := columns.Get(waits.Name); there && !twice {
			out.Write(append(first[:len(first):len(first)], waits.Name, text.Field(x)))
		}
	}
}

// WriteRecords writes a line for every job of every replication. It runs each of them once more.
func (c *Comparison) WriteRecords(ctx context.Context, w io.Writer) error {
	records := metric.NewRecords(w)
	for _, r := range c.Rows {
		for k := range c.frame.N(r.Case) {
			if _, err := c.Lab.Watch(ctx, r.Case.At(k), r.e.Recorder(records, r.Label, k)); err != nil {
				return err
			}
		}
	}
	return records.Flush()
}
