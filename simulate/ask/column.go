package ask

import (
	"cmp"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

// Column is a column of the table of a comparison.
type Column = answer.Field[Row]

// table is the rows with their columns.
func (c *Comparison) table() answer.Table {
	return answer.TableOf(cmp.Or(c.Table, "policies"), c.Rows, c.Columns...)
}

// policyColumn names the policy of a row.
func policyColumn() Column {
	return answer.Texts("policy", "label of the policy", func(r Row) string { return r.Policy.Label() })
}

// admissionColumn names the admission of a row. It is quiet where all have the same.
func (c *Comparison) admissionColumn() Column {
	column := answer.Texts("admission", "who is let in", Row.admission)
	column.Quiet = !text.Differ(c.Rows, Row.admission)
	return column
}

// admission names the admission of a row.
func (r Row) admission() string { return cmp.Or(r.Case.Admission.Name, scenario.AdmitAll) }

// presentColumn marks the row of today.
func (c *Comparison) presentColumn() Column {
	column := answer.Truths("present", "the policy in use", c.isPresent).Hidden()
	column.Mark = true
	return column
}

// gainColumn is how much better a row is than the present.
func (c *Comparison) gainColumn() Column {
	means := "how much better than the present, on the same jobs"
	column := answer.Valued("gain", c.unit(), means, func(r Row) answer.Value {
		if c.Present < 0 || c.isPresent(r) || !r.compared {
			return answer.Value{}
		}
		return c.estimate(c.unit(), c.gain(r))
	})
	column.Signed = true
	return column
}

// harmsColumn counts the groups that are harmed.
func (c *Comparison) harmsColumn() Column {
	means := "customers and groups of width that wait much longer"
	return answer.Valued("harms", answer.Count, means, func(r Row) answer.Value {
		if c.Present < 0 || c.isPresent(r) || r.Policy.RepeatsLog() {
			return answer.Value{}
		}
		return count(len(r.harmed))
	})
}

func runsOnColumn() Column {
	return answer.Texts("runs_on", "slurm, plugin, research, or the log", func(r Row) string {
		if r.Policy.RepeatsLog() {
			return "log"
		}
		return r.e.RunsOn()
	})
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

// measureColumns returns the measures of all jobs that a terminal shows, that of the objective first, and the others.
func (c *Comparison) measureColumns() (shown, quiet []Column) {
	for _, column := range answer.Through(Row.whole, c.measures()...) {
		column.Drawn = column.Name == c.objective.Column || column.Name == run.ColumnMeanWait
		if of := column.Of; column.Name == run.ColumnUtilization {
			column.Of = func(r Row) answer.Value {
				if c.Subject.Unlike() { // nothing adds up cores and GPUs
					return answer.Value{}
				}
				return of(r)
			}
		}
		switch {
		case column.Name == c.objective.Column:
			shown = slices.Insert(shown, 0, column)
		case column.Quiet:
			quiet = append(quiet, column)
		default:
			shown = append(shown, column)
		}
	}
	return shown, quiet
}

// usualColumns are those of policies that are compared, behind the ones that tell them apart.
func (c *Comparison) usualColumns(keys ...Column) []Column {
	shown, quiet := c.measureColumns()
	judged := []Column{c.presentColumn(), shown[0], c.gainColumn(), c.harmsColumn()}
	return slices.Concat(keys, judged, []Column{runsOnColumn()}, shown[1:], quiet)
}
