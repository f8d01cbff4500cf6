package ask

import (
	"cmp"
	"slices"

	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

// Column is a column of the table of a comparison.
type Column struct {
	answer.Column
	of func(c *Comparison, r Row) answer.Value
}

// table is the rows with their columns.
func (c *Comparison) table() answer.Table {
	t := answer.Table{Name: cmp.Or(c.Table, "policies")}
	for _, column := range c.Columns {
		t.Columns = append(t.Columns, column.Column)
	}
	for _, r := range c.Rows {
		var row []answer.Value
		for _, column := range c.Columns {
			row = append(row, column.of(c, r))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// policyColumn names the policy of a row.
func policyColumn() Column {
	return Column{answer.Column{Name: "policy", Unit: answer.Text, Means: "label of the policy"},
		func(c *Comparison, r Row) answer.Value { return answer.Word(r.Policy.Label()) }}
}

func admissionColumn(quiet bool) Column {
	return Column{answer.Column{Name: "admission", Unit: answer.Text, Means: "who is let in", Quiet: quiet},
		func(c *Comparison, r Row) answer.Value { return answer.Word(r.admission()) }}
}

// admission names the admission of a row.
func (r Row) admission() string { return cmp.Or(r.Case.Admission.Name, scenario.AdmitAll) }

// presentColumn marks the row of today.
func presentColumn() Column {
	return Column{answer.Column{Name: "present", Unit: answer.Truth, Means: "the policy in use", Quiet: true,
		Mark: true},
		func(c *Comparison, r Row) answer.Value { return answer.Yes(c.isPresent(r)) }}
}

// gainColumn is how much better a row is than the present.
func gainColumn(o run.Objective) Column {
	means := "how much better than the present, on the same jobs"
	return Column{answer.Column{Name: "gain", Unit: unitOf(o.Unit), Means: means, Signed: true},
		func(c *Comparison, r Row) answer.Value {
			if c.Present < 0 || c.isPresent(r) || !r.compared {
				return answer.Value{}
			}
			return c.estimate(c.unit(), c.gain(r))
		}}
}

// harmsColumn counts the groups that are harmed.
func harmsColumn() Column {
	means := "customers and groups of width that wait much longer"
	return Column{answer.Column{Name: "harms", Unit: answer.Count, Means: means},
		func(c *Comparison, r Row) answer.Value {
			if c.Present < 0 || c.isPresent(r) || r.Policy.RepeatsLog() {
				return answer.Value{}
			}
			return answer.Exactly(answer.Count, float64(len(r.harmed)))
		}}
}

func runsOnColumn() Column {
	return Column{answer.Column{Name: "runs_on", Unit: answer.Text, Means: "slurm, plugin, research, or the log"},
		func(c *Comparison, r Row) answer.Value {
			if r.Policy.RepeatsLog() {
				return answer.Word("log")
			}
			return answer.Word(r.e.RunsOn())
		}}
}

// measureColumn is a column of the records.
func measureColumn(m run.Measure, title string) Column {
	return Column{answer.Column{Name: m.Name, Title: title, Unit: unitOf(m.Unit), Means: m.Means, Quiet: title == ""},
		func(c *Comparison, r Row) answer.Value {
			if m.Name == run.ColumnUtilization && c.Subject.Unlike() { // nothing adds up cores and GPUs
				return answer.Value{}
			}
			return c.estimate(unitOf(m.Unit), c.frame.Series(r.Case, run.All, m.Name))
		}}
}

// titles are those of the measures that a terminal shows, by name.
func titles(o run.Objective) map[string]string {
	shown := map[string]string{run.ColumnValue: "$/h", run.ColumnMeanWait: "wait", run.ColumnSlowdown: "slowdown",
		"kept": "kept", run.ColumnUtilization: "used"}
	if o.Name == run.Wait().Name {
		shown[o.Column] = "total wait"
	}
	return shown
}

// measureColumns returns the measures that a terminal shows, that of the objective first, and the others.
func measureColumns(o run.Objective) (shown, quiet []Column) {
	named := titles(o)
	for _, m := range run.Measures() {
		column := measureColumn(m, named[m.Name])
		column.Drawn = m.Name == o.Column || m.Name == run.ColumnMeanWait
		switch {
		case m.Name == o.Column:
			shown = slices.Insert(shown, 0, column)
		case column.Quiet:
			quiet = append(quiet, column)
		default:
			shown = append(shown, column)
		}
	}
	return shown, quiet
}
