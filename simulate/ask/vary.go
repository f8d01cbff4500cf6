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
	if err == nil {
		err = c.check(ctx, q.Seed, q.Workers, q.Checks)
		if err != nil && ctx.Err() == nil {
			return answer.Answer{}, err
		}
	}
	a := unanswered(q)
	a.Headline = c.headline()
	a.Values = append([]answer.Named{word("vary", c.Vary), word("residual", c.Points[0].System.Residual.String()),
		word("method", c.Points[0].Method)}, ofTrace(q.Subject)...)
	a.Tables = append([]answer.Table{c.points()}, c.tables()...)
	a.Warnings = answer.WarnAll(c.Warnings)
	if k := c.Points[c.most()].Checked; k != nil {
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

// headline says what the best admission delivers along the field, or where it is not to be used, and at which values it
// is not checked.
func (v *curve) headline() answer.Fact {
	var bad []string
	for _, p := range v.Points {
		if p.Checked != nil && !p.Checked.Stands {
			bad = append(bad, text.Plain(p.Value))
		}
	}
	path, most := word("path", v.Vary), v.Points[v.most()]
	values := []answer.Named{path}
	unchecked := v.unchecked()
	if unchecked != nil {
		values = append(values, word("unchecked", v.among(unchecked)))
	}
	if bad != nil {
		what := "the admission at " + v.among(bad) + ", where another delivers more"
		return answer.New("DO_NOT_USE", append(values, word("what", what))...)
	}
	earned := text.Each(v.Points, func(p curvePoint) float64 { return 3600 * p.RevenuePerSecond })
	values = append(values, answer.Exactly(answer.Money, slices.Min(earned)).As("least"),
		answer.Exactly(answer.Money, slices.Max(earned)).As("most"), word("at", text.Plain(most.Value)))
	if k := most.Checked; k != nil {
		values = append(values, hourlyEstimate(k.Admission).As("checked"))
	}
	return answer.New("ALONG", values...)
}

// unchecked are the values at which the admission is not simulated.
func (v *curve) unchecked() (list []string) {
	for _, p := range v.Points {
		if p.Checked == nil {
			list = append(list, text.Plain(p.Value))
		}
	}
	return list
}

// mostNamed is how many values or classes a headline names.
const mostNamed = 5

// among names some values of the field, of many only their number.
func (v *curve) among(list []string) string {
	if len(list) > mostNamed {
		return fmt.Sprintf("%d of %d values", len(list), len(v.Points))
	}
	return v.Vary + "=" + strings.Join(list, ", ")
}

// points is the table of the optima. It has a column for each class that all values have.
func (v *curve) points() answer.Table {
	checked := func(of func(k *verdict) answer.Value) func(p curvePoint) answer.Value {
		return func(p curvePoint) answer.Value {
			if p.Checked == nil {
				return answer.Value{}
			}
			return of(p.Checked)
		}
	}
	value := func(name, title, means string, of func(p curvePoint) answer.Value) answer.Field[curvePoint] {
		return answer.Valued(name, answer.Money, means, of).Titled(title)
	}
	at := answer.Numbered(v.Vary, answer.Ratio, "value of the field", func(p curvePoint) float64 { return p.Value })
	at.Axis, at.Title = true, v.Vary
	earned := value("value", "$/h", "value delivered, by the formula",
		func(p curvePoint) answer.Value { return hourly(p.RevenuePerSecond) })
	earned.Drawn = true
	bound := value("bound", "bound $/h", "that no static admission exceeds in this model",
		func(p curvePoint) answer.Value { return hourly(p.UpperBoundPerSecond) })
	bound.Limits, bound.Proven = "value", true
	fields := []answer.Field[curvePoint]{at, earned, bound,
		answer.Numbered("gap", answer.Share, "between both, as a share of the bound",
			func(p curvePoint) float64 { return p.RelativeGap }).Hidden(),
		value("checked", "checked $/h", "value delivered, by simulation",
			checked(func(k *verdict) answer.Value { return hourlyEstimate(k.Admission) })),
		value("all", "all $/h", "value of admitting all jobs, by simulation",
			checked(func(k *verdict) answer.Value { return hourlyEstimate(k.All) })),
		value("tried", "tried $/h", "value of the best other admission, by simulation",
			checked(func(k *verdict) answer.Value { return hourlyEstimate(k.Best.Value) })).Hidden(),
		answer.Valued("stands", answer.Truth, "checked is not below 0, nor below tried beyond chance",
			checked(func(k *verdict) answer.Value { return answer.Yes(k.Stands) }))}
	if v.unchecked() != nil { // the headline has the check
		for i := len(fields) - 4; i < len(fields); i++ {
			fields[i] = fields[i].Hidden()
		}
	}
	for i, c := range v.same() {
		label := classLabel(c.Name, c.Pool)
		field := answer.Numbered("admit "+label, answer.Share, "share of its jobs to let in",
			func(p curvePoint) float64 { return p.Classes[i].Admit }).Titled(label)
		if v.prices {
			field = answer.Valued("price "+label, answer.Amount, "price of its jobs",
				func(p curvePoint) answer.Value { return asked(p.Classes[i]) }).Titled(label + " $")
		}
		fields = append(fields, field)
	}
	fields = append(fields,
		answer.Valued("utilization", answer.Share, "share of the machine that admitted jobs use",
			func(p curvePoint) answer.Value { return p.used() }).Titled("used"),
		answer.Numbered("mean_wait", answer.Time, "mean over admitted jobs",
			func(p curvePoint) float64 { return p.MeanDelay }).Titled("wait"))
	if v.Vary != "load" {
		fields = append(fields, answer.Numbered("load", answer.Ratio, "work that comes over what the units can do",
			func(p curvePoint) float64 { return p.Load }))
	}
	return answer.TableOf("points", v.Points, fields...)
}

// tables are those of the optimum at each value, along the field.
func (v *curve) tables() []answer.Table {
	chosen := "admit"
	if v.prices {
		chosen = "price"
	}
	axis := answer.Column{Name: v.Vary, Title: v.Vary, Unit: answer.Ratio, Means: "value of the field", Axis: true}
	var list []answer.Table
	for _, p := range v.Points {
		at := []answer.Table{p.classes()}
		if p.Pools != nil {
			pools := p.pools()
			pools.Rows, pools.Shown = pools.Rows[:len(p.Pools)], false // points has them all together
			at = append(at, pools)
		}
		for i, t := range at {
			t = t.Without(v.Vary)
			for k := range t.Columns {
				t.Columns[k].Drawn = t.Columns[k].Name == chosen
			}
			at[i] = t.Along([]answer.Column{axis}, ratio(p.Value))
		}
		list = joined(list, at)
	}
	return list
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

// open returns the first proof of a value that did not close.
func (v *curve) open() error {
	for _, p := range v.Points {
		if err := p.solved.open(solveOptions{}, " at "+v.Vary+"="+text.Plain(p.Value)); err != nil {
			return err
		}
	}
	return nil
}
