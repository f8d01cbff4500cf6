package ask

import (
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/served"
	"revopt/simulate/subject"
)

// customers is the table of customers and pools of all rows.
func (c *Comparison) customers() answer.Table {
	t := answer.Table{Name: "customers", Columns: []answer.Column{
		{Name: "policy", Unit: answer.Text, Means: "label of the policy"},
		{Name: "customer", Unit: answer.Text, Means: "name; none: all in the pool"},
		{Name: "pool", Unit: answer.Text, Means: "name; none: all pools"},
	}}
	shown := titles(c.Objective)
	for _, m := range run.Measures() {
		t.Columns = append(t.Columns, measureColumn(m, shown[m.Name]).Column)
	}
	for _, r := range c.Rows {
		for _, s := range subject.Sections(r.e.Workload) {
			row := []answer.Value{answer.Word(r.Label), answer.Word(s.Name), answer.Word(s.Pool)}
			for _, m := range run.Measures() {
				row = append(row, c.estimate(unitOf(m.Unit), c.frame.Series(r.Case, groupOf(s), m.Name)))
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
	column := func(name string, unit answer.Unit, means string) answer.Column {
		return answer.Column{Name: name, Unit: unit, Means: means}
	}
	t := answer.Table{Name: "affected", Columns: []answer.Column{
		column("row", answer.Text, "label of the policy"), column("kind", answer.Text, "customer or width"),
		column("name", answer.Text, "of the customer, or of the pool"), column("from", answer.Count, "least width"),
		column("to", answer.Count, "largest width"), column("jobs", answer.Count, "submitted"),
	}}
	for _, name := range []string{"mean_wait", "wait_99", "wait_max"} {
		t.Columns = append(t.Columns, column(name+"_before", answer.Time, "at present"),
			column(name+"_after", answer.Time, "with the row"))
	}
	t.Columns = append(t.Columns, column("not_run_before", answer.Share, "never started, at present"),
		column("not_run_after", answer.Share, "with the row"), column("harmed", answer.Truth, "waits much longer"))
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

// affectedRow is a group in the table.
func affectedRow(label string, a served.Affected) []answer.Value {
	row := []answer.Value{answer.Word(label), answer.Word(a.Kind), answer.Word(a.Name)}
	if a.Kind == served.Width {
		row = append(row, answer.Exactly(answer.Count, float64(a.From)), answer.Exactly(answer.Count, float64(a.To)))
	} else {
		row = append(row, answer.Value{}, answer.Value{})
	}
	row = append(row, answer.Exactly(answer.Count, float64(a.Jobs)))
	for _, change := range []served.Change{a.MeanWait, a.Wait99, a.WaitMax} {
		row = append(row, answer.Exactly(answer.Time, float64(change.Before)),
			answer.Exactly(answer.Time, float64(change.After)))
	}
	return append(row, answer.Exactly(answer.Share, float64(a.NotRun.Before)),
		answer.Exactly(answer.Share, float64(a.NotRun.After)), answer.Yes(a.Harmed()))
}
