package ask

import (
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// most returns what no policy exceeds, or goes below, on the jobs of a row.
func (c *Comparison) most(r Row) run.Series { return c.frame.Most(c.objective, *r.Bound, nil) }

// widest returns by how much at most the bound of all policies exceeds the optimum of its own problem, relative.
func (c *Comparison) widest() (gap float64, known bool) {
	for _, l := range c.objective.Limits() {
		if !l.Once && !known {
			gap, known = c.frame.Gap(c.objective, l, *c.Rows[0].Bound, nil, run.Series{}).Largest()
		}
	}
	return gap, known
}

// share returns how much of that a row reaches.
func (c *Comparison) share(r Row) run.Series {
	return c.frame.Reached(c.objective, c.series(r), c.most(r))
}

// once reports whether a row runs every job once, whole, on units of its own. Only the runs of a program show it.
func (c *Comparison) once(r Row) bool {
	if r.Policy.Spec.Program {
		return c.frame.Series(r.Case, run.All, run.ColumnSplit).Positive() == 0
	}
	return r.Policy.Unpreempted()
}

// shareColumn is what a row delivers as a share of the bound.
func (c *Comparison) shareColumn() Column {
	column := answer.Valued("share", answer.Share, "share of what no policy exceeds on the same jobs (clairvoyant bound)",
		func(r Row) answer.Value { return c.estimate(answer.Share, c.share(r)) }).Titled("of bound")
	column.Drawn = true
	return column
}

// kindColumn is the share of the tightest bound for policies of the kind of a row.
func (c *Comparison) kindColumn() Column {
	return answer.Valued("share_of_kind", answer.Share, "share of the tightest bound for policies of its kind",
		func(r Row) answer.Value {
			tightest := c.frame.Tightest(c.objective, *r.Bound, nil, c.once(r))
			return c.estimate(answer.Share, c.frame.Reached(c.objective, c.series(r), tightest))
		}).Hidden()
}

// chargedColumn is the money that a policy charges as a share of the bound.
func (c *Comparison) chargedColumn() Column {
	return answer.Valued("charged_share", answer.Share, "money charged as a share of the same bound",
		func(r Row) answer.Value {
			return c.estimate(answer.Share, c.frame.Charged(c.objective, r.Case, *r.Bound).Over(c.most(r)))
		}).Hidden()
}

// validatedColumns returns the columns of policies under bounds. Amounts that are set against bounds are those of the
// jobs as they came.
func (c *Comparison) validatedColumns() []Column {
	o := c.objective
	first := []Column{policyColumn(), c.admissionColumn(), c.presentColumn()}
	var shown, quiet []Column
	all, others := c.measureColumns()
	for _, column := range append(all, others...) {
		column.Drawn = column.Name == o.Column
		switch column.Name {
		case o.Column:
			column.Quiet, column.Less = false, o.Smaller
			column.Bound = c.estimate(c.unit(), c.most(c.Rows[0]))
			if gap, ok := c.widest(); ok {
				column.Gap = share(gap)
			}
			column.Of = func(r Row) answer.Value { return c.estimate(c.unit(), c.series(r)) }
			bounded := c.shareColumn()
			bounded.Bound = share(1)
			first = append(first, column, bounded)
		case run.ColumnValueTotal:
			column.Of = func(r Row) answer.Value {
				return c.estimate(answer.Amount, c.frame.Series(r.Case, run.All, run.ColumnValueTotal))
			}
			quiet = append(quiet, column)
		case run.ColumnMeanWait, "kept":
			shown = append(shown, column)
		default:
			quiet = append(quiet, column.Hidden())
		}
	}
	list := append(append(first, shown...), c.harmsColumn(), runsOnColumn(), c.kindColumn())
	if !o.Smaller {
		list = append(list, c.chargedColumn())
	}
	return append(append(list, c.gainColumn().Hidden()), quiet...)
}

// poolShares are the columns of what rows deliver in a pool as a share of the bound there, which is that of all pools
// that share jobs with it.
func (c *Comparison) poolShares() []answer.Field[part] {
	if c.Subject.Workload.Pools() == nil {
		return nil
	}
	reached := func(most func(p part, pools run.Pools) run.Series) func(p part) answer.Value {
		return func(p part) answer.Value {
			for _, pools := range c.frame.Parts(*p.Bound) {
				if p.name == "" && slices.Contains(pools, p.pool) {
					got := c.frame.Delivered(c.objective, p.Case, *p.Bound, pools)
					return c.estimate(answer.Share, c.frame.Reached(c.objective, got, most(p, pools)))
				}
			}
			return answer.Value{}
		}
	}
	whole, kind := c.shareColumn().Column, c.kindColumn().Column
	whole.Drawn, kind.Quiet = false, false
	return []answer.Field[part]{
		{Column: whole, Of: reached(func(p part, pools run.Pools) run.Series {
			return c.frame.Most(c.objective, *p.Bound, pools)
		})},
		{Column: kind, Of: reached(func(p part, pools run.Pools) run.Series {
			return c.frame.Tightest(c.objective, *p.Bound, pools, c.once(p.Row))
		})},
	}
}

// points is the table of the rows along the axis.
func (c *Comparison) points() answer.Table {
	unit := answer.Ratio
	if c.axis.Path == "load" {
		unit = answer.Share
	}
	at := answer.Numbered(c.axis.Path, unit, "what is varied", func(r Row) float64 { return r.At })
	at.Axis = true
	fields := []Column{at}
	for i, column := range c.Columns {
		column.Bound, column.Gap = answer.Value{}, answer.Value{}
		switch column.Name {
		case "harms", "gain": // the present is at the point of the scenario
			continue
		case "share":
			column.Bound = share(1)
		case c.objective.Column:
		default:
			column.Quiet = column.Quiet || i > 0 && column.Name != "admission"
		}
		fields = append(fields, column)
	}
	limit := answer.Valued("bound", c.unit(), "what no policy exceeds on the same jobs",
		func(r Row) answer.Value { return c.estimate(c.unit(), c.most(r)) }).Hidden()
	limit.Limits, limit.Proven = c.objective.Column, true
	fields = append(fields, limit)
	for _, residual := range c.residuals {
		predicted := answer.Valued("model_"+residual.String(), c.unit(), "best static admission by the queueing model",
			func(r Row) answer.Value {
				x := c.frame.Series(modeled(*r.Bound, residual), run.All, run.ModelValue)
				return c.estimate(c.unit(), x)
			}).Hidden().Titled("model: optimum (" + residual.String() + ")")
		predicted.Limits = c.objective.Column
		fields = append(fields, predicted)
	}
	return answer.TableOf("points", c.Points, fields...).Visible()
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

// limit is a bound of the machine or of a part of it.
type limit struct {
	name, kind, proves, pool string
	value, gap, amount       answer.Value
}

// boundTable is the table of all bounds, of the machine and of pools that share nothing, and of the models.
func (c *Comparison) boundTable() answer.Table {
	o, b := c.objective, *c.Rows[0].Bound
	var list []limit
	for _, pools := range c.frame.Parts(b) {
		for _, l := range o.Limits() {
			list = append(list, c.limit(l, b, pools))
		}
	}
	if !o.Smaller {
		list = append(list, c.longRun(limit{name: "fluid-rate", kind: proven, proves: provesMeans}, rate(b), run.BoundRate, ""))
	}
	for _, r := range c.residuals {
		best := limit{name: "static optimum (" + r.String() + ")", kind: predicted, proves: provesStatic}
		list = append(list, c.longRun(best, modeled(b, r), run.ModelValue, run.ModelGap))
	}
	value := func(name, means string, of func(l limit) answer.Value) answer.Field[limit] {
		return answer.Valued(name, c.unit(), means, of)
	}
	fields := []answer.Field[limit]{
		answer.Texts("bound", "name", func(l limit) string { return l.name }),
		answer.Texts("kind", "proven, or of a model", func(l limit) string { return l.kind }),
		answer.Texts("proves", "whom it bounds", func(l limit) string { return l.proves }),
		answer.Texts("pool", "name; none: all pools", func(l limit) string { return l.pool }),
		value("value", "what they cannot exceed, or go below", func(l limit) answer.Value { return l.value }).
			Titled(titles(o)[o.Column]),
		answer.Valued("gap", answer.Share, "how far the optimum of its problem may be from it, at most",
			func(l limit) answer.Value { return l.gap }),
	}
	if !o.Smaller {
		fields = append(fields, answer.Valued("value_total", answer.Amount, "the same in all",
			func(l limit) answer.Value { return l.amount }).Hidden())
	}
	return answer.TableOf("bounds", text.Where(list, func(l limit) bool { return l.value.Known() }), fields...)
}

// longRun returns a limit with the rate of a case of the long run.
func (c *Comparison) longRun(l limit, it run.Case, column, gap string) limit {
	value := c.frame.Series(it, run.All, column)
	span := c.frame.Series(*c.Rows[0].Bound, run.All, run.ColumnSpan)
	l.value = c.estimate(c.unit(), value)
	l.amount = c.estimate(answer.Amount, value.Times(span).Scaled(1/float64(metric.Hour)))
	if mean, ok := c.frame.Series(it, run.All, gap).Mean(); ok {
		l.gap = share(mean)
	}
	return l
}

// limit is a proven bound on a part of the machine.
func (c *Comparison) limit(of run.Limit, b run.Case, pools run.Pools) limit {
	o := c.objective
	l := limit{name: of.Name, kind: proven, proves: provesAll, pool: pools.Name(),
		value: c.estimate(c.unit(), c.frame.Limit(o, of, b, pools))}
	var delivered []run.Series
	if of.Once {
		l.proves = provesOnce
	}
	for _, r := range c.Rows {
		if of.Once && c.once(r) {
			delivered = append(delivered, c.frame.Delivered(o, r.Case, b, pools))
		}
	}
	if gap, ok := c.frame.Gap(o, of, b, pools, o.Best(delivered...)).Largest(); ok {
		l.gap = share(gap)
	}
	if !o.Smaller {
		l.amount = c.estimate(answer.Amount, c.frame.Limit(run.Total(), of, b, pools))
	}
	return l
}
