package ask

import (
	"context"
	"path/filepath"
	"slices"

	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/slurm/steer"
)

// Answer says what a steered cluster has delivered, and what steering brought if it was switched on and off. Else it claims
// no gain: the journal does not say what the jobs would have paid under another rule.
func (a Steered) Answer(ctx context.Context) (answer.Answer, error) {
	q, err := a.open(ctx)
	if err != nil {
		return answer.Answer{}, err
	}
	r, err := q.price(ctx)
	if err != nil {
		return answer.Answer{}, err
	}
	return r.answer(), nil
}

// answer is the answer about what was delivered.
func (r *delivery) answer() answer.Answer {
	facts := []answer.Named{answer.Word(r.Policy).As("policy"), money(r.PerHour).As("value"),
		share(r.Share).As("share"), count(r.Jobs).As("jobs")}
	a := answer.Answer{Command: "steer report", Scenario: r.Scenario, Values: r.values(),
		Tables: []answer.Table{r.blocks(), r.groups(run.ByCustomer), r.groups(run.ByWidth)}}
	if m := r.Measured; m != nil {
		facts = append(facts, answer.Maybe(m.why()).As("why"))
		a.Values = append(a.Values, m.values()...)
		if m.Refused == nil {
			a.Level = metric.DefaultLevel
			a.Tables = slices.Concat([]answer.Table{m.gains(), m.spans(), m.pairs()}, a.Tables[1:])
		}
	}
	a.Headline = answer.New("STEERED", facts...)
	if r.Measured != nil && r.Measured.why() == "" {
		a.Headline = answer.New("MEASURED", r.Measured.facts(r.Policy, r.AtOnce)...)
	}
	if r.Guessed > 0 {
		a.Warnings = append(a.Warnings, answer.New("ENDS", count(r.Guessed).As("guessed"), count(r.Jobs).As("jobs")))
	}
	return a
}

// money returns a number of $/h that nothing random touches.
func money(x float64) answer.Value { return answer.Exactly(answer.Money, x) }

// values are what was delivered, and what the passes did.
func (r *delivery) values() []answer.Named {
	p := r.Passes
	return []answer.Named{count(r.Jobs).As("jobs"), seconds(r.To - r.From).As("span"),
		money(r.PerHour).As("value"), money(r.AtOnce).As("at_once"),
		share(r.Share).As("share"), money(r.Bound).As("bound"), answer.Word(r.Policy).As("policy"),
		answer.Word(filepath.Base(r.Journal)).As("journal"), answer.Yes(r.Guessed == 0).As("logged"),
		count(r.Left.Waiting).As("waiting"), count(r.Left.Running).As("running"), count(r.Left.Vanished).As("vanished"),
		count(p.Runs).As("runs"), count(p.Passes).As("passes"), count(p.Changes).As("changes"),
		count(p.Pairs).As("pairs"), count(p.Agree).As("agree"), seconds(p.Seconds).As("longest_pass")}
}

// clock returns Unix seconds as a time in UTC.
func clock(unix float64) answer.Value { return answer.Word(steer.Clock(unix)) }

// blocks is the table of spans of time. A journal without a trial has one, all of which was steered.
func (r *delivery) blocks() answer.Table {
	return answer.Table{Name: "blocks", Columns: []answer.Column{
		{Name: "from", Unit: answer.Text, Means: "first submission, UTC"},
		{Name: "to", Unit: answer.Text, Means: "last submission, UTC"},
		{Name: "steered", Unit: answer.Truth, Means: "steer ordered the queue"},
		{Name: "jobs", Unit: answer.Count, Means: "that ran to their end"},
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "delivered"},
	}, Rows: [][]answer.Value{{clock(r.From), clock(r.To), answer.Yes(true), count(r.Jobs), money(r.PerHour)}}}
}

// groups is the table of customers or of groups of width.
func (r *delivery) groups(kind string) answer.Table {
	t := answer.Table{Name: "customers", Shown: true, Columns: []answer.Column{
		{Name: "customer", Unit: answer.Text, Means: "name"}}}
	if kind == run.ByWidth {
		t = answer.Table{Name: "widths", Columns: []answer.Column{
			{Name: "from", Unit: answer.Count, Means: "least width"}, {Name: "to", Unit: answer.Count, Means: "largest width"}}}
	}
	t.Columns = append(t.Columns, []answer.Column{
		{Name: "jobs", Unit: answer.Count, Means: "that ran to their end"},
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "delivered"},
		{Name: "share", Title: "of at once", Unit: answer.Share, Means: "of what they pay if each starts at once"},
		{Name: "mean_wait", Unit: answer.Time, Means: "start less submission"},
		{Name: "wait_max", Title: "longest", Unit: answer.Time, Means: "start less submission"},
	}...)
	for _, w := range r.Waits {
		if w.Kind != kind {
			continue
		}
		row := []answer.Value{answer.Word(w.Name)}
		if kind == run.ByWidth {
			row = []answer.Value{count(w.From), count(w.To)}
		}
		t.Rows = append(t.Rows, slices.Concat(row, []answer.Value{count(w.Jobs), money(w.PerHour),
			share(w.Share), seconds(w.Mean), seconds(w.Longest)}))
	}
	return t
}
