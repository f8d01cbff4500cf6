package ask

import (
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// keyed returns a table whose rows begin with what tells the rows of the comparison apart.
func (c *Comparison) keyed(name string, columns ...answer.Column) answer.Table {
	first := text.Each(c.keyColumns(), func(k Column) answer.Column { return k.Column })
	return answer.Table{Name: name, Columns: append(first, columns...)}
}

// keyColumns are these columns: policy and admission unless others are given.
func (c *Comparison) keyColumns() []Column {
	if c.Keys != nil {
		return c.Keys
	}
	several := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.admission() != c.Rows[0].admission() })
	return []Column{policyColumn(), admissionColumn(!several)}
}

// keys are the values of these columns for a row.
func (c *Comparison) keys(r Row, more ...answer.Value) []answer.Value {
	first := text.Each(c.keyColumns(), func(k Column) answer.Value { return k.of(c, r) })
	return append(first, more...)
}

// named returns a name, or a value that does not exist.
func named(name string) answer.Value {
	if name == "" {
		return answer.Value{}
	}
	return answer.Word(name)
}

// customers is the table of customers and pools of all rows.
func (c *Comparison) customers() answer.Table {
	t := c.keyed("customers", answer.Column{Name: "customer", Unit: answer.Text, Means: "name; none: all in the pool"},
		answer.Column{Name: "pool", Unit: answer.Text, Means: "name; none: all pools"})
	shown := titles(c.objective)
	for _, m := range run.Measures() {
		t.Columns = append(t.Columns, measureColumn(m, shown[m.Name]).Column)
	}
	for _, r := range c.Rows {
		for _, s := range subject.Sections(r.e.Workload) {
			row := c.keys(r, named(s.Name), named(s.Pool))
			for _, m := range run.Measures() {
				row = append(row, c.estimate(unitOf(m.Unit), c.frame.Series(r.Case, groupOf(s), m.Name)))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// providers is the table of the providers that jobs go to one after the other; none where there is one.
func (c *Comparison) providers() []answer.Table {
	t := c.keyed("providers", answer.Column{Name: "provider", Unit: answer.Text, Means: "name"})
	shown := titles(c.objective)
	for _, m := range run.Measures() {
		t.Columns = append(t.Columns, measureColumn(m, shown[m.Name]).Column)
	}
	for _, r := range c.Rows {
		names := []string{scenario.ServerName}
		for _, p := range r.e.Providers {
			names = append(names, p.Name)
		}
		for _, name := range names {
			row := c.keys(r, answer.Word(name))
			for _, m := range run.Measures() {
				row = append(row, c.estimate(unitOf(m.Unit), c.frame.Series(r.Case, run.AtProvider(name), m.Name)))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == len(c.Rows) {
		return nil
	}
	return []answer.Table{t}
}

// widths is the table of how groups of width are served. Rows without waits have none.
func (c *Comparison) widths() answer.Table {
	t := c.keyed("widths", answer.Column{Name: "pool", Unit: answer.Text, Means: "name; none: the only one"},
		answer.Column{Name: "from", Unit: answer.Count, Means: "least width"},
		answer.Column{Name: "to", Unit: answer.Count, Means: "largest width"})
	for _, column := range run.WaitColumns() {
		means := "start less submission, of jobs that started"
		switch column.Unit {
		case run.Count:
			means = "jobs submitted"
		case run.Share:
			means = "never started, of submitted jobs"
		}
		t.Columns = append(t.Columns, answer.Column{Name: column.Name, Unit: unitOf(column.Unit), Means: means})
	}
	for _, r := range c.Rows {
		if !r.Case.Detail.Waits {
			continue
		}
		for _, g := range c.Lab.Groups() {
			jobs, ok := c.frame.Series(r.Case, run.GroupName(g), run.WaitColumns()[0].Column).Mean()
			if g.Kind != run.ByWidth || !ok || jobs == 0 {
				continue
			}
			row := c.keys(r, named(g.Name), answer.Exactly(answer.Count, float64(g.From)),
				answer.Exactly(answer.Count, float64(g.To)))
			for _, column := range run.WaitColumns() {
				series := c.frame.Series(r.Case, run.GroupName(g), column.Column)
				row = append(row, c.estimate(unitOf(column.Unit), series))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func groupOf(s subject.Section) string {
	switch {
	case s.Pool == "":
		return run.Customer(s.Name)
	case s.Name == "":
		return run.Pool(s.Pool)
	}
	return run.InPool(s.Pool, s.Name)
}

// affected is the table of the groups that wait longer or shorter than at present.
func (c *Comparison) affected() answer.Table {
	t := affectedColumns()
	if c.Present < 0 {
		return t
	}
	now := c.Rows[c.Present].Case
	for _, r := range c.Rows {
		if c.isPresent(r) || r.Policy.RepeatsLog() {
			continue
		}
		all, _ := c.frame.Affected(r.Case, now, c.Lab.Groups())
		for _, a := range all {
			t.Rows = append(t.Rows, affectedRow(r.Label, a))
		}
	}
	return t
}

// affectedColumns is that table without rows.
func affectedColumns() answer.Table {
	column := func(name string, unit answer.Unit, means string) answer.Column {
		return answer.Column{Name: name, Unit: unit, Means: means}
	}
	t := answer.Table{Name: "affected", Columns: []answer.Column{
		column("row", answer.Text, "label of the policy, or the change"), column("kind", answer.Text, "customer or width"),
		column("name", answer.Text, "of the customer, or of the pool"), column("from", answer.Count, "least width"),
		column("to", answer.Count, "largest width"), column("jobs", answer.Count, "submitted"),
	}}
	for _, name := range []string{"mean_wait", "wait_99", "wait_max"} {
		t.Columns = append(t.Columns, column(name+"_before", answer.Time, "at present"),
			column(name+"_after", answer.Time, "with the row"))
	}
	t.Columns = append(t.Columns, column("not_run_before", answer.Share, "never started, at present"),
		column("not_run_after", answer.Share, "with the row"), column("harmed", answer.Truth, "waits much longer"))
	return t
}

// affectedRow is a group in the table.
func affectedRow(label string, a run.Affected) []answer.Value {
	row := []answer.Value{answer.Word(label), answer.Word(a.Kind), answer.Word(a.Name)}
	if a.Kind == run.ByWidth {
		row = append(row, answer.Exactly(answer.Count, float64(a.From)), answer.Exactly(answer.Count, float64(a.To)))
	} else {
		row = append(row, answer.Value{}, answer.Value{})
	}
	row = append(row, answer.Exactly(answer.Count, float64(a.Jobs)))
	for _, change := range []run.Change{a.MeanWait, a.Wait99, a.WaitMax} {
		row = append(row, answer.Exactly(answer.Time, float64(change.Before)),
			answer.Exactly(answer.Time, float64(change.After)))
	}
	return append(row, answer.Exactly(answer.Share, float64(a.NotRun.Before)),
		answer.Exactly(answer.Share, float64(a.NotRun.After)), answer.Yes(a.Harmed()))
}
