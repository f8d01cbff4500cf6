package ask

import (
	"cmp"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// part is a group of the jobs of a row.
type part struct {
	Row
	name, pool string // of a customer or a provider, and of a pool; "" is all
	run.JobGroup
	group string // in the records
}

// row returns the row of a part.
func (p part) row() Row { return p.Row }

// whole is the part of all jobs.
func (r Row) whole() part { return part{Row: r, group: run.All} }

// keys are the columns that tell rows apart in tables of their parts: policy and admission unless others are given.
func (c *Comparison) keys() []answer.Field[part] {
	list := c.Keys
	if list == nil {
		list = []Column{policyColumn(), c.admissionColumn()}
	}
	return answer.Through(part.row, list...)
}

// measures are the columns of all measures of groups of jobs.
func (c *Comparison) measures() []answer.Field[part] {
	shown := titles(c.objective)
	return text.Each(run.Measures(), func(m run.Measure) answer.Field[part] {
		field := c.recorded(m.Name, m.Name, unitOf(m.Unit), m.Means).Titled(shown[m.Name])
		field.Quiet = field.Title == ""
		if of := field.Of; m.Name == run.ColumnUtilization {
			field.Of = func(p part) answer.Value { return of(p).AtMostOne() }
		}
		return field
	})
}

// recorded is the column of a number of the records.
func (c *Comparison) recorded(name, column string, unit answer.Unit, means string) answer.Field[part] {
	return answer.Valued(name, unit, means, func(p part) answer.Value {
		return c.estimate(unit, c.frame.Series(p.Case, p.group, column))
	})
}

func partName(name, means string) answer.Field[part] {
	return answer.Texts(name, means, func(p part) string { return p.name })
}

// sections are the customers and pools of all rows.
func (c *Comparison) sections() []part {
	return text.Join(c.Rows, func(r Row) []part {
		return text.Each(subject.Sections(r.e.Workload), func(s subject.Section) part {
			return part{Row: r, name: s.Name, pool: s.Pool, group: groupOf(s)}
		})
	})
}

// customers is the table of customers and pools of all rows.
func (c *Comparison) customers(more ...answer.Field[part]) answer.Table {
	pool := answer.Texts("pool", "name; none: all pools", func(p part) string { return p.pool })
	fields := append(c.keys(), partName("customer", "name; none: all in the pool"), pool)
	return answer.TableOf("customers", c.sections(), append(append(fields, c.measures()...), more...)...)
}

// providers is the table of the providers that jobs go to one after the other; none where there is one.
func (c *Comparison) providers() []answer.Table {
	parts := text.Join(c.Rows, func(r Row) []part {
		list := []part{{Row: r, name: scenario.ServerName, group: run.AtProvider(scenario.ServerName)}}
		for _, p := range r.e.Providers {
			list = append(list, part{Row: r, name: p.Name, group: run.AtProvider(p.Name)})
		}
		return list
	})
	if len(parts) == len(c.Rows) {
		return nil
	}
	fields := append(append(c.keys(), partName("provider", "name")), c.measures()...)
	return []answer.Table{answer.TableOf("providers", parts, fields...)}
}

// widths is the table of how groups of width are served. Rows without waits have none.
func (c *Comparison) widths() answer.Table {
	var parts []part
	for _, r := range c.Rows {
		for _, g := range c.Lab.Groups() {
			p := part{Row: r, JobGroup: g, pool: g.Name, group: run.GroupName(g)}
			jobs, ok := c.frame.Series(r.Case, p.group, run.WaitColumns()[0].Column).Mean()
			if r.Case.Detail.Waits && g.Kind == run.ByWidth && ok && jobs > 0 {
				parts = append(parts, p)
			}
		}
	}
	fields := append(c.keys(), answer.Texts("pool", "name; none: the only one", func(p part) string { return p.pool }),
		answer.Numbered("from", answer.Count, "least width", func(p part) int { return p.From }),
		answer.Numbered("to", answer.Count, "largest width", func(p part) int { return p.To }))
	means := map[string]string{run.Count: "jobs submitted", run.Share: "never started, of submitted jobs"}
	for _, w := range run.WaitColumns() {
		words := cmp.Or(means[w.Unit], "start less submission, of jobs that started")
		fields = append(fields, c.recorded(w.Name, w.Column, unitOf(w.Unit), words))
	}
	return answer.TableOf("widths", parts, fields...)
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
	var list []affected
	for _, r := range c.Rows {
		if c.Present < 0 || c.isPresent(r) || r.Policy.RepeatsLog() {
			continue
		}
		all, _ := c.frame.Affected(r.Case, c.Rows[c.Present].Case, c.Lab.Groups())
		list = append(list, affectedBy(r.Label, all)...)
	}
	return affectedTable(list)
}

// groupTables are the tables of groups of jobs, none where they are not shown: where each of many pools is changed they
// have as many rows as pools squared.
func (c *Comparison) groupTables(more func() []answer.Field[part]) []answer.Table {
	if c.Brief {
		return nil
	}
	var fields []answer.Field[part]
	if more != nil {
		fields = more()
	}
	return []answer.Table{c.customers(fields...), c.widths(), c.affected()}
}

// affected is a group of jobs that a row serves otherwise.
type affected struct {
	row string // label of the policy, or the change
	run.Affected
}

func affectedBy(label string, list []run.Affected) []affected {
	return text.Each(list, func(a run.Affected) affected { return affected{label, a} })
}

func affectedTable(list []affected) answer.Table {
	width := func(name, means string, of func(a affected) int) answer.Field[affected] {
		return answer.Valued(name, answer.Count, means, func(a affected) answer.Value {
			if a.Kind != run.ByWidth {
				return answer.Value{}
			}
			return count(of(a))
		})
	}
	fields := []answer.Field[affected]{
		answer.Texts("row", "label of the policy, or the change", func(a affected) string { return a.row }),
		answer.Texts("kind", "customer or width", func(a affected) string { return a.Kind }),
		answer.Texts("name", "of the customer, or of the pool", func(a affected) string { return a.Name }),
		width("from", "least width", func(a affected) int { return a.From }),
		width("to", "largest width", func(a affected) int { return a.To }),
		answer.Numbered("jobs", answer.Count, "submitted", func(a affected) float64 { return a.Jobs }),
	}
	change := func(name string, unit answer.Unit, means string, of func(a affected) run.Change) {
		fields = append(fields,
			answer.Numbered(name+"_before", unit, means+"at present", func(a affected) float64 { return of(a).Before }),
			answer.Numbered(name+"_after", unit, "with the row", func(a affected) float64 { return of(a).After }))
	}
	change("mean_wait", answer.Time, "", func(a affected) run.Change { return a.MeanWait })
	change("wait_99", answer.Time, "", func(a affected) run.Change { return a.Wait99 })
	change("wait_max", answer.Time, "", func(a affected) run.Change { return a.WaitMax })
	change("not_run", answer.Share, "never started, ", func(a affected) run.Change { return a.NotRun })
	fields = append(fields, answer.Truths("harmed", "waits much longer", func(a affected) bool { return a.Harmed() }))
	return answer.TableOf("affected", list, fields...)
}
