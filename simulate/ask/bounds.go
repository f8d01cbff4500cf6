package ask

import (
	"slices"
	"strings"

	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// most returns what no policy exceeds, or goes below, on the jobs of a row.
func (c *Comparison) most(r Row) run.Series { return c.frame.Most(c.objective, *r.Bound, nil) }

// share returns how much of that a row reaches.
func (c *Comparison) share(r Row) run.Series {
	return c.frame.Reached(c.objective, c.series(r), c.most(r))
}

// once reports whether a row runs every job once, whole, on units of its own. Only the runs of a program show it.
func (c *Comparison) once(r Row) bool {
	if r.Policy.Spec.Program {
		return c.frame.Series(r.Case, run.All, run.ColumnSplit).Count(0) == 0
	}
	return r.Policy.Unpreempted()
}

// shareColumn is what a row delivers as a share of the bound.
func shareColumn() Column {
	return Column{answer.Column{Name: "share", Title: "of bound", Unit: answer.Share, Drawn: true,
		Means: "share of what no policy exceeds on the same jobs (clairvoyant bound)"},
		func(c *Comparison, r Row) answer.Value { return c.estimate(answer.Share, c.share(r)) }}
}

// kindColumn is the share of the tightest bound for policies of the kind of a row.
func kindColumn() Column {
	return Column{answer.Column{Name: "share_of_kind", Unit: answer.Share, Quiet: true,
		Means: "share of the tightest bound for policies of its kind"},
		func(c *Comparison, r Row) answer.Value {
			tightest := c.frame.Tightest(c.objective, *r.Bound, nil, c.once(r))
			return c.estimate(answer.Share, c.frame.Reached(c.objective, c.series(r), tightest))
		}}
}

// chargedColumn is the money that a policy charges as a share of the bound.
func chargedColumn() Column {
	return Column{answer.Column{Name: "charged_share", Unit: answer.Share, Quiet: true,
		Means: "money charged as a share of the same bound"},
		func(c *Comparison, r Row) answer.Value {
			return c.estimate(answer.Share, c.frame.Charged(c.objective, r.Case, *r.Bound).Over(c.most(r)))
		}}
}

// objectiveColumn is what a row delivers of the objective.
func objectiveColumn(column Column) Column {
	column.Quiet = false
	column.Drawn = true
	column.of = func(c *Comparison, r Row) answer.Value { return c.estimate(c.unit(), c.series(r)) }
	return column
}

// validatedColumns returns the columns of policies under bounds. Amounts that are set against bounds are those of the
// jobs as they came.
func (c *Comparison) validatedColumns() []Column {
	o := c.objective
	several := false
	for _, r := range c.Rows {
		several = several || r.admission() != c.Rows[0].admission()
	}
	first := []Column{policyColumn(), admissionColumn(!several), presentColumn()}
	var shown, quiet []Column
	for _, m := range run.Measures() {
		column := measureColumn(m, titles(o)[m.Name])
		switch {
		case m.Name == o.Column:
			column = objectiveColumn(column)
			column.Less = o.Smaller
			column.Bound = c.estimate(c.unit(), c.most(c.Rows[0]))
			share := shareColumn()
			share.Bound = answer.Exactly(answer.Share, 1)
			first = append(first, column, share)
		case m.Name == run.ColumnValueTotal:
			column.of = func(c *Comparison, r Row) answer.Value {
				return c.estimate(answer.Amount, c.frame.Series(r.Case, run.All, run.ColumnValueTotal).Plain())
			}
			quiet = append(quiet, column)
		case m.Name == run.ColumnMeanWait || m.Name == "kept":
			shown = append(shown, column)
		default:
			column.Quiet = true
			quiet = append(quiet, column)
		}
	}
	gain := gainColumn(o)
	gain.Quiet = true
	list := append(append(first, shown...), harmsColumn(), runsOnColumn(), kindColumn())
	if !o.Smaller {
		list = append(list, chargedColumn())
	}
	return append(append(list, gain), quiet...)
}

// poolShares adds to the table of customers what rows deliver in each pool as a share of the bound there, which is that
// of all pools that share jobs with it.
func (c *Comparison) poolShares(t answer.Table) answer.Table {
	if c.Subject.Workload.Pools() == nil {
		return t
	}
	share, kind := shareColumn().Column, kindColumn().Column
	share.Drawn, kind.Quiet = false, false
	t.Columns = append(t.Columns, share, kind)
	place := 0
	for _, r := range c.Rows {
		for _, s := range subject.Sections(r.e.Workload) {
			values := make([]answer.Value, 2)
			for _, part := range c.frame.Parts(*r.Bound) {
				if s.Name == "" && slices.Contains(part, s.Pool) {
					got := c.frame.Delivered(c.objective, r.Case, *r.Bound, part)
					most := c.frame.Most(c.objective, *r.Bound, part)
					tightest := c.frame.Tightest(c.objective, *r.Bound, part, c.once(r))
					values[0] = c.estimate(answer.Share, c.frame.Reached(c.objective, got, most))
					values[1] = c.estimate(answer.Share, c.frame.Reached(c.objective, got, tightest))
				}
			}
			t.Rows[place] = append(t.Rows[place], values...)
			place++
		}
	}
	return t
}

// points is the table of the rows along the axis.
func (c *Comparison) points() answer.Table {
	t := answer.Table{Name: "points", Shown: true, Columns: []answer.Column{{Name: c.axis.Path, Unit: answer.Ratio,
		Means: "what is varied", Axis: true}}}
	if c.axis.Path == "load" {
		t.Columns[0].Unit = answer.Share
	}
	columns := c.Columns
	for i, column := range columns {
		switch column.Name {
		case "harms", "gain": // the present is at the point of the scenario
			continue
		case c.objective.Column, "share":
		default:
			column.Quiet = column.Quiet || i > 0 && column.Name != "admission"
		}
		if column.Name == "share" {
			column.Bound = answer.Exactly(answer.Share, 1)
		} else {
			column.Bound = answer.Value{}
		}
		t.Columns = append(t.Columns, column.Column)
	}
	t.Columns = append(t.Columns, c.limitColumns()...)
	for _, r := range c.Points {
		row := []answer.Value{answer.Exactly(t.Columns[0].Unit, r.At)}
		for _, column := range columns {
			if column.Name != "harms" && column.Name != "gain" {
				row = append(row, column.of(c, r))
			}
		}
		row = append(row, c.estimate(c.unit(), c.most(r)))
		for _, residual := range c.residuals {
			x := c.frame.Series(modeled(*r.Bound, residual), run.All, run.ModelValue)
			row = append(row, c.estimate(c.unit(), x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// limitColumns are those of the bound and the models at a point.
func (c *Comparison) limitColumns() []answer.Column {
	list := []answer.Column{{Name: "bound", Unit: c.unit(), Means: "what no policy exceeds on the same jobs", Quiet: true,
		Limits: c.objective.Column, Proven: true}}
	for _, r := range c.residuals {
		list = append(list, answer.Column{Name: "model_" + r.String(), Title: "model: optimum (" + r.String() + ")",
			Unit: c.unit(), Means: "best static admission by the queueing model", Quiet: true,
			Limits: c.objective.Column})
	}
	return list
}

// The words of the table of bounds.
const (
	proven    = "proven"
	predicted = "model"

	provesAll    = "any"
	provesOnce   = "unpreempted"
	provesMeans  = "means in the long run"
	provesStatic = "static admissions"
)

// boundTable is the table of all bounds, of the machine and of pools that share nothing, and of the models.
func (c *Comparison) boundTable() answer.Table {
	text := func(name, means string) answer.Column {
		return answer.Column{Name: name, Unit: answer.Text, Means: means}
	}
	o, b := c.objective, *c.Rows[0].Bound
	t := answer.Table{Name: "bounds", Columns: []answer.Column{text("bound", "name"),
		text("kind", "proven, or of a model"), text("proves", "whom it bounds"), text("pool", "name; none: all pools"),
		{Name: "value", Title: titles(o)[o.Column], Unit: c.unit(), Means: "what they cannot exceed, or go below"},
		{Name: "gap", Unit: answer.Share, Means: "how far the optimum of its problem may be from it, at most"},
		{Name: "found", Unit: c.unit(), Means: "what a schedule delivers that was found"}}}
	if !o.Smaller {
		t.Columns = append(t.Columns, answer.Column{Name: "value_total", Unit: answer.Amount, Quiet: true,
			Means: "the same in all"})
	}
	add := func(row ...answer.Value) { t.Rows = append(t.Rows, row[:len(t.Columns)]) }
	for _, part := range c.frame.Parts(b) {
		for _, l := range o.Limits() {
			add(c.limitRow(l, b, part)...)
		}
	}
	longRun := func(name, kind, proves string, it run.Case, column, gap string) {
		value := c.frame.Series(it, run.All, column)
		if _, ok := value.Mean(); !ok {
			return
		}
		span := c.frame.Series(b, run.All, run.ColumnSpan)
		mean, _ := c.frame.Series(it, run.All, gap).Mean()
		row := []answer.Value{answer.Word(name), answer.Word(kind), answer.Word(proves), {}, c.estimate(c.unit(), value), {},
			{}, c.estimate(answer.Amount, value.Times(span).Scaled(1/float64(metric.Hour)))}
		if _, ok := c.frame.Series(it, run.All, gap).Mean(); ok {
			row[5] = answer.Exactly(answer.Share, mean)
		}
		add(row...)
	}
	if !o.Smaller {
		longRun("fluid-rate", proven, provesMeans, rate(b), run.BoundRate, "")
	}
	for _, r := range c.residuals {
		longRun("static optimum ("+r.String()+")", predicted, provesStatic, modeled(b, r), run.ModelValue, run.ModelGap)
	}
	t.Rows = known(t.Rows)
	return t
}

// known leaves out bounds without a value.
func known(rows [][]answer.Value) (list [][]answer.Value) {
	for _, row := range rows {
		if row[4].Known() {
			list = append(list, row)
		}
	}
	return list
}

// limitRow is a proven bound on a part of the machine.
func (c *Comparison) limitRow(l run.Limit, b run.Case, part run.Pools) []answer.Value {
	o := c.objective
	proves := provesAll
	var delivered []run.Series
	if l.Once {
		proves = provesOnce
	}
	for _, r := range c.Rows {
		if l.Once && c.once(r) {
			delivered = append(delivered, c.frame.Delivered(o, r.Case, b, part))
		}
	}
	found := c.frame.Found(o, l, b, part, delivered...)
	row := []answer.Value{answer.Word(l.Name), answer.Word(proven), answer.Word(proves), named(strings.Join(part, "+")),
		c.estimate(c.unit(), c.frame.Limit(o, l, b, part)), {}, {}, {}}
	if gap, ok := c.frame.Gap(o, l, b, part, found).Largest(); ok {
		row[5] = answer.Exactly(answer.Share, gap)
	}
	if mean, ok := found.Mean(); ok {
		row[6] = answer.Exactly(c.unit(), mean)
	}
	if !o.Smaller {
		row[7] = c.estimate(answer.Amount, c.frame.Limit(run.Total(), l, b, part))
	}
	return row
}
