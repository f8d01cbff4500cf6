package ask

import (
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/run"
)

// most returns what no policy exceeds, or goes below, on the jobs of a row.
func (c *Comparison) most(r Row) run.Series { return c.frame.Limit(c.objective, *r.Bound, nil) }

// widest returns by how much at most the bound on the value exceeds the optimum of its own problem, relative.
func (c *Comparison) widest() (gap float64, known bool) {
	return c.frame.Gap(c.objective, *c.Rows[0].Bound, nil).Largest()
}

// share returns how much of that a row reaches.
func (c *Comparison) share(r Row) run.Series { return c.reached(r, c.series(r), c.most(r)) }

// reached returns which share of a bound a row reaches. A bound on delays is that of rows that run every job once: others
// have no share.
func (c *Comparison) reached(r Row, delivered, most run.Series) run.Series {
	if c.objective.Smaller && !c.once(r) {
		return run.Series{}
	}
	return c.frame.Reached(c.objective, delivered, most)
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
	means := "share of what no policy exceeds on the same jobs (clairvoyant bound)"
	if c.objective.Smaller {
		means = "the bound of policies that run every job once, over what the row reaches on the same jobs"
	}
	column := answer.Valued("share", answer.Share, means,
		func(r Row) answer.Value { return c.estimate(answer.Share, c.share(r)) }).Titled("of bound")
	column.Drawn = true
	return column
}

// chargedColumn is the money that a policy charges as a share of the bound.
func (c *Comparison) chargedColumn() Column {
	return answer.Valued("charged_share", answer.Share, "money charged as a share of the same bound",
		func(r Row) answer.Value {
			return c.estimate(answer.Share, c.frame.Charged(c.objective, r.Case, *r.Bound).Over(c.most(r)))
		}).Hidden()
}

// validatedColumns returns the columns of policies under bounds.
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
			quiet = append(quiet, column)
		case run.ColumnMeanWait, "kept":
			shown = append(shown, column)
		default:
			quiet = append(quiet, column.Hidden())
		}
	}
	list := append(append(first, shown...), c.harmsColumn(), runsOnColumn())
	if !o.Smaller {
		list = append(list, c.chargedColumn())
	}
	return append(append(list, c.gainColumn().Hidden()), quiet...)
}

// poolShares is the column of what rows deliver in a pool as a share of the bound there, which is that of all pools
// that share jobs with it.
func (c *Comparison) poolShares() []answer.Field[part] {
	if c.Subject.Workload.Pools() == nil {
		return nil
	}
	share := c.shareColumn().Column
	share.Drawn = false
	return []answer.Field[part]{{Column: share, Of: func(p part) answer.Value {
		for _, pools := range c.frame.Parts(*p.Bound) {
			if p.name == "" && slices.Contains(pools, p.pool) {
				got := c.frame.Delivered(c.objective, p.Case, *p.Bound, pools)
				return c.estimate(answer.Share, c.reached(p.Row, got, c.frame.Limit(c.objective, *p.Bound, pools)))
			}
		}
		return answer.Value{}
	}}}
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

// limit is a bound of the machine or of a part of it.
type limit struct {
	name, kind, pool string
	value, gap       answer.Value
}

// boundTable is the table of the proven bounds, of the machine and of pools that share nothing, and of the models.
func (c *Comparison) boundTable() answer.Table {
	o, b := c.objective, *c.Rows[0].Bound
	var list []limit
	for _, pools := range c.frame.Parts(b) {
		list = append(list, c.limit(b, pools))
	}
	for _, r := range c.residuals {
		best := limit{name: "static optimum (" + r.String() + ")", kind: "model",
			value: c.estimate(c.unit(), c.frame.Series(modeled(b, r), run.All, run.ModelValue))}
		if mean, ok := c.frame.Series(modeled(b, r), run.All, run.ModelGap).Mean(); ok {
			best.gap = share(mean)
		}
		list = append(list, best)
	}
	return answer.TableOf("bounds", text.Where(list, func(l limit) bool { return l.value.Known() }),
		answer.Texts("bound", "name", func(l limit) string { return l.name }),
		answer.Texts("kind", "proven, or of a model", func(l limit) string { return l.kind }),
		answer.Texts("pool", "name; none: all pools", func(l limit) string { return l.pool }),
		answer.Valued("value", c.unit(), "what no policy exceeds, or goes below",
			func(l limit) answer.Value { return l.value }).Titled(titles(o)[o.Column]),
		answer.Valued("gap", answer.Share, "how far the optimum of its problem may be from it, at most",
			func(l limit) answer.Value { return l.gap }))
}

// limit is the proven bound on a part of the machine.
func (c *Comparison) limit(b run.Case, pools run.Pools) limit {
	o := c.objective
	l := limit{name: o.Bound, kind: "proven", pool: pools.Name(), value: c.estimate(c.unit(), c.frame.Limit(o, b, pools))}
	var delivered []run.Series
	for _, r := range c.Rows {
		if c.once(r) {
			delivered = append(delivered, c.frame.Delivered(o, r.Case, b, pools))
		}
	}
	if gap, ok := c.frame.Gap(o, b, pools, delivered...).Largest(); ok {
		l.gap = share(gap)
	}
	return l
}
