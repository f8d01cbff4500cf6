package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
)

// Along asks for the best admission at each value of a field. After an interruption the answer has the values before
// it, and the error says why it ended. A proof that does not close is an *OpenProofError beside the answer.
func Along(ctx context.Context, q *Question) (answer.Answer, error) {
	vary, err := ParseVariation(q.Vary, q.Document)
	if err != nil {
		return answer.Answer{}, err
	}
	c := &curve{Vary: vary.Path, gap: cmp.Or(q.Gap, usualGap), prices: q.Prices}
	c.at = func(x float64) (*analytic.Analysis, *subject.Subject, error) { return q.analyzeVaried(ctx, vary, x) }
	err = c.solve(ctx, vary.Values)
	if len(c.Points) == 0 || err != nil && ctx.Err() == nil {
		return answer.Answer{}, err
	}
	if err == nil && q.Checks {
		err = c.check(ctx, q.Seed, q.Workers)
		if err != nil && ctx.Err() == nil {
			return answer.Answer{}, err
		}
	}
	a := asked(q)
	a.Headline = c.headline()
	a.Values = append([]answer.Named{word("vary", c.Vary), word("residual", c.residual.String()),
		word("method", c.Points[0].Method)}, ofTrace(q.Subject)...)
	a.Tables = []answer.Table{c.points(), c.classes(), c.pools()}
	a.Warnings = answer.WarnAll(c.Warnings)
	if k := c.Points[0].Checked; k != nil {
		a.Replications = k.Replications
	}
	if err != nil {
		return a, err
	}
	return a, c.open()
}

// analyzeVaried returns the model of the scenario at one value. Errors name the value.
func (q *Question) analyzeVaried(ctx context.Context, vary *Variation, x float64) (*analytic.Analysis, *subject.Subject,
	error) {
	doc, err := vary.At(q.Document, x)
	if err != nil {
		return nil, nil, err
	}
	s, err := q.OpenAt(ctx, doc)
	var bad *scenario.Error
	if errors.As(err, &bad) && bad.File == doc.File() {
		bad.File = "--vary " + vary.Text + ": at " + text.Plain(x) + ": " + bad.File
	}
	if err != nil {
		return nil, nil, err
	}
	q.Subject = s
	a, err := q.analyze(ctx, s)
	return a, s, err
}

// headline says what the best admission delivers along the field, or where it is not to be used.
func (v *curve) headline() answer.Fact {
	path := word("path", v.Vary)
	var bad []string
	checks := "unchecked"
	for _, p := range v.Points {
		if p.Checked != nil {
			checks = "checked by simulation"
		}
		if p.Checked != nil && !p.Checked.Stands {
			bad = append(bad, text.Plain(float64(p.Value)))
		}
	}
	if bad != nil {
		what := fmt.Sprintf("the admission at %s (%d of %d values of %s), where admitting all delivers more",
			listed(bad), len(bad), len(v.Points), v.Vary)
		return answer.New("DO_NOT_USE", path, word("what", what))
	}
	values := text.Each(v.Points, func(p curvePoint) float64 { return 3600 * float64(p.RevenuePerSecond) })
	return answer.New("ALONG", path, answer.Named{Name: "least", Value: answer.Exactly(answer.Money, slices.Min(values))},
		answer.Named{Name: "most", Value: answer.Exactly(answer.Money, slices.Max(values))}, word("checks", checks))
}

// mostNamed is how many values or classes a headline names.
const mostNamed = 5

// listed lists some values, of many the first and the last.
func listed(list []string) string {
	if len(list) > mostNamed {
		return list[0] + " to " + list[len(list)-1]
	}
	return strings.Join(list, ", ")
}

// priced reports whether prices are chosen too.
func (v *curve) priced() bool { return v.Points[0].Classes[0].PriceAnswer != nil }

// axis is the column of the field.
func (v *curve) axis() answer.Column {
	return answer.Column{Name: v.Vary, Title: v.Vary, Unit: answer.Ratio, Means: "value of the field", Axis: true}
}

// at is the value of the field.
func at(p curvePoint) answer.Value { return answer.Exactly(answer.Ratio, float64(p.Value)) }

// points is the table of the optima. It has a column for each class that all values have.
func (v *curve) points() answer.Table {
	t := answer.Table{Name: "points", Columns: []answer.Column{v.axis(),
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "value delivered, by the formula", Drawn: true},
		{Name: "bound", Title: "bound $/h", Unit: answer.Money, Means: "that no static admission exceeds in this model",
			Limits: "value", Proven: true},
		{Name: "gap", Unit: answer.Share, Means: "between both, as a share of the bound", Quiet: true},
		{Name: "checked", Title: "checked $/h", Unit: answer.Money, Means: "value delivered, by simulation"},
		{Name: "all", Title: "all $/h", Unit: answer.Money, Means: "value of admitting all jobs, by simulation"},
		{Name: "stands", Unit: answer.Truth, Means: "checked is not below all beyond chance"},
	}}
	same := v.same()
	for _, c := range same {
		label := classLabel(c.Name, c.Pool)
		column := answer.Column{Name: "admit " + label, Title: label, Unit: answer.Share, Means: "share of its jobs to let in"}
		if v.priced() {
			column = answer.Column{Name: "price " + label, Title: label + " $", Unit: answer.Amount, Means: "price of its jobs"}
		}
		t.Columns = append(t.Columns, column)
	}
	t.Columns = append(t.Columns,
		answer.Column{Name: "utilization", Title: "used", Unit: answer.Share,
			Means: "share of the machine that admitted jobs use"},
		answer.Column{Name: "mean_wait", Title: "wait", Unit: answer.Time, Means: "mean over admitted jobs"})
	if v.Vary != "load" {
		load := answer.Column{Name: "load", Unit: answer.Ratio, Means: "work that comes over what the units can do"}
		t.Columns = append(t.Columns, load)
	}
	for _, p := range v.Points {
		t.Rows = append(t.Rows, v.point(p, len(same)))
	}
	return t
}

// point is a row of points.
func (v *curve) point(p curvePoint, same int) []answer.Value {
	checked, all, stands := answer.Value{}, answer.Value{}, answer.Value{}
	if k := p.Checked; k != nil {
		checked, all, stands = hourlyEstimate(k.Admission), hourlyEstimate(k.All), answer.Yes(k.Stands)
	}
	row := []answer.Value{at(p), hourly(p.RevenuePerSecond), hourly(p.UpperBoundPerSecond),
		answer.Exactly(answer.Share, float64(p.RelativeGap)), checked, all, stands}
	for _, c := range p.Classes[:same] {
		if v.priced() {
			row = append(row, priceValues(c)[0])
		} else {
			row = append(row, answer.Exactly(answer.Share, float64(c.Admit)))
		}
	}
	used := answer.Exactly(answer.Share, float64(p.Utilization))
	if text.Differ(p.Pools, func(p poolSolution) string { return p.Unit }) {
		used = answer.Value{}
	}
	row = append(row, used, answer.Exactly(answer.Time, float64(p.MeanDelay)))
	if v.Vary != "load" {
		row = append(row, answer.Exactly(answer.Ratio, float64(p.Load)))
	}
	return row
}

// same returns the first classes, up to the first that some point does not have:
// classes that are fitted to a trace may differ between points.
func (v *curve) same() []analytic.ClassSolution {
	list := v.Points[0].Classes
	for _, p := range v.Points {
		n := 0
		other := func(c analytic.ClassSolution) bool { return c.Name != list[n].Name || c.Pool != list[n].Pool }
		for n < min(len(list), len(p.Classes)) && !other(p.Classes[n]) {
			n++
		}
		list = list[:n]
	}
	return list
}

// classes is the table of the optima by class.
func (v *curve) classes() answer.Table {
	pools := v.Points[0].Pools != nil
	t := answer.Table{Name: "classes", Columns: append([]answer.Column{v.axis()},
		classColumns(pools, solutionColumns()...)...)}
	chosen := "admit"
	if v.priced() {
		t.Columns = append(t.Columns, priceColumns()...)
		chosen = "price"
	}
	for i := range t.Columns {
		t.Columns[i].Drawn = t.Columns[i].Name == chosen
	}
	for _, p := range v.Points {
		offered, _ := p.Rates()
		for _, c := range p.Classes {
			row := append([]answer.Value{at(p)}, classKeys(pools, c.Name, c.Pool, solutionValues(c, offered)...)...)
			if v.priced() {
				row = append(row, priceValues(c)...)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// pools is the table of the optima by pool; it has no rows without pools.
func (v *curve) pools() answer.Table {
	t := answer.Table{Name: "pools", Columns: []answer.Column{v.axis(),
		{Name: "pool", Unit: answer.Text, Means: "name of the pool"},
		{Name: "load", Unit: answer.Ratio, Means: "work that comes over what the units can do"},
		{Name: "utilization", Title: "used", Unit: answer.Share, Means: "share of the units that admitted jobs use"},
		{Name: "mean_wait", Title: "wait", Unit: answer.Time, Means: "mean over admitted jobs"},
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "value delivered, by the formula"},
		{Name: "bound", Title: "bound $/h", Unit: answer.Money, Means: "that no static admission exceeds in this model"},
	}}
	if v.Vary == "load" {
		t.Columns = slices.Delete(t.Columns, 2, 3)
	}
	for _, p := range v.Points {
		for _, part := range p.Pools {
			row := []answer.Value{at(p), answer.Word(part.Name), answer.Exactly(answer.Ratio, float64(part.Load)),
				answer.Exactly(answer.Share, float64(part.Utilization)), answer.Exactly(answer.Time, float64(part.MeanDelay)),
				hourly(part.RevenuePerSecond), hourly(part.UpperBoundPerSecond)}
			if v.Vary == "load" {
				row = slices.Delete(row, 2, 3)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// open returns the first proof of a value that did not close.
func (v *curve) open() error {
	for _, p := range v.Points {
		for _, part := range append(slices.Clip(p.Pools), poolSolution{Solution: p.Solution}) {
			where := " at " + v.Vary + "=" + text.Plain(float64(p.Value)) + inPool(part.Name)
			if err := unclosed(solveOptions{}, v.residual, &part.Solution, where); err != nil {
				return err
			}
		}
	}
	return nil
}
