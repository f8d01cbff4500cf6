package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/warn"
)

// answer makes the answer of a tuning.
func (x *trial) answer(ctx context.Context, chosen *run.Candidate, flat map[string][2]string) (*Tuned, error) {
	q := x.settings
	q.Resample = x.drawn && x.subject.Logged()
	c := &Comparison{settings: q, Lab: x.lab, frame: x.outcome}
	list := append([]*run.Candidate{x.search.Now, chosen}, x.beside...)
	for i, candidate := range list {
		if !slices.Contains(list[:i], candidate) {
			c.Rows = append(c.Rows, x.compared(candidate))
		}
	}
	var err error
	c.Subject, err = x.lab.SubjectOf(ctx, c.Rows[0].Case)
	if err != nil {
		return nil, err
	}
	shown, quiet := measureColumns(x.settings.objective)
	c.Columns = slices.Concat([]Column{policyColumn(), admissionColumn(x.Over == ""), setColumn(x.test), presentColumn(),
		shown[0], gainColumn(x.settings.objective), harmsColumn(), runsOnColumn()}, shown[1:], quiet)
	if err := c.judge(ctx); err != nil {
		return nil, err
	}
	for i, candidate := range c.Rows {
		c.Rows[i].harmed = x.harm(x.rows[candidate.Label])
		c.Rows[i].Label = candidate.Policy.Label()
	}
	t := &Tuned{Comparison: c, Policy: x.chosen[chosen.Case.Do.Policy]}
	c.Answer = c.answer(ctx, x.affectedTable(chosen), x.ruleTable(chosen))
	c.Answer.Headline = x.headline(c, chosen)
	c.Answer.Values = append(c.Answer.Values, x.values(chosen)...)
	if chosen != x.search.Now && chosen.Places != nil {
		c.Answer.Tables = slices.Insert(c.Answer.Tables, 0, x.settingTable(chosen, flat))
	} else {
		c.Answer.Tables = append(c.Answer.Tables, x.settingTable(x.search.Now, flat))
	}
	var broken []answer.Fact
	t.Broken, broken = x.brokenRules(chosen)
	c.Answer.Warnings = slices.Concat(broken, x.doubts(), c.Answer.Warnings)
	return t, nil
}

// compared returns a candidate as a row of a comparison, with the name of its row as the label for now.
func (x *trial) compared(c *run.Candidate) Row {
	return Row{Label: c.Case.Row(), Policy: x.chosen[c.Case.Do.Policy], Case: x.row(c).outcome}
}

// setColumn names what a row changes of the scenario, beside a part of it.
func setColumn(base run.Case) Column {
	return Column{answer.Column{Name: "set", Unit: answer.Text, Means: "what is changed of the scenario"},
		func(c *Comparison, r Row) answer.Value {
			own := text.Where(r.Case.Set, func(set string) bool { return strings.HasPrefix(set, "classes.") })
			own = text.Where(own, func(set string) bool { return !slices.Contains(base.Set, set) })
			return named(strings.Join(own, " "))
		}}
}

// settingTable has a row for each coordinate that changes, in the order in which they entered. Its gain is what the
// value is less, on the part that was tuned on, if it alone is turned back. Every value from low to high does as well,
// to within run.FlatShare or the noise.
func (x *trial) settingTable(chosen *run.Candidate, flat map[string][2]string) answer.Table {
	t := answer.Table{Name: "settings", Columns: []answer.Column{
		{Name: "setting", Unit: answer.Text, Means: "what is changed"},
		{Name: "from", Unit: answer.Text, Means: "its value today; none: not set"},
		{Name: "to", Unit: answer.Text, Means: "its best value; none: not set"},
		{Name: "gain", Unit: unitOf(x.settings.objective.Unit), Signed: true,
			Means: "what is lost if it alone is turned back, on the jobs that were tuned on"},
		{Name: "low", Unit: answer.Text, Means: "least value that does as well"},
		{Name: "high", Unit: answer.Text, Means: "largest value that does as well"},
	}}
	without := x.search.Without(chosen)
	for i, k := range x.search.Changed(chosen) {
		c := x.search.Coordinates[k]
		_, gain := x.search.Confirmed(chosen, without[i], x.settings.level)
		ends := flat[c.Name]
		t.Rows = append(t.Rows, []answer.Value{answer.Word(c.Name), named(c.Values[c.Now]),
			named(c.Values[chosen.Places[k]]), answer.Estimated(unitOf(x.settings.objective.Unit), gain), named(ends[0]),
			named(ends[1])})
	}
	return t
}

// affectedTable is how customers and groups of width are served by the candidate that is recommended, and today.
func (x *trial) affectedTable(chosen *run.Candidate) answer.Table {
	t := affectedColumns()
	if chosen == x.search.Now {
		return t
	}
	all, _ := x.affected(x.row(chosen))
	for _, a := range all {
		t.Rows = append(t.Rows, affectedRow(x.label(chosen), a))
	}
	return t
}

// ruleTable says how far rules hold in the test.
func (x *trial) ruleTable(chosen *run.Candidate) answer.Table {
	t := answer.Table{Name: "rules", Columns: []answer.Column{
		{Name: "rule", Unit: answer.Text, Means: "limit to respect"},
		{Name: "today", Unit: answer.Own, Means: "the number today"},
		{Name: "tuned", Unit: answer.Own, Means: "the number of what is recommended"},
		{Name: "unit", Unit: answer.Text, Means: "of the numbers", Quiet: true},
		{Name: "holds", Unit: answer.Truth, Means: "the rule holds in the test"},
	}}
	for _, r := range x.rules {
		at := func(row *tried) answer.Value {
			return answer.Estimated(unitOf(r.Unit), x.outcome.Estimate(r.Series(x.outcome, row.outcome)))
		}
		row := x.row(chosen)
		t.Rows = append(t.Rows, []answer.Value{answer.Word(r.Text), at(x.now()), at(row), answer.Word(r.Unit),
			answer.Yes(r.Excess(x.outcome, row.outcome) == 0)})
	}
	return t
}

// brokenRules returns the rules that do not hold in the test, but for promises that are broken today, too.
func (x *trial) brokenRules(chosen *run.Candidate) (words []string, facts []answer.Fact) {
	row := x.row(chosen)
	for _, r := range x.rules {
		if r.Promise && r.Excess(x.outcome, x.now().outcome) > 0 || r.Excess(x.outcome, row.outcome) == 0 {
			continue
		}
		words = append(words, r.Text)
		reached := answer.Estimated(unitOf(r.Unit), x.outcome.Estimate(r.Series(x.outcome, row.outcome)))
		facts = append(facts, answer.New("RULE_BROKEN", answer.Named{Name: "rule", Value: answer.Word(r.Text)},
			answer.Named{Name: "reached", Value: reached}))
	}
	return words, facts
}

// doubts are those about the search.
func (x *trial) doubts() []answer.Fact {
	list := slices.Concat(x.warnings, x.Policy.Unread())
	facts := answer.WarnAll(warn.Union(nil, list))
	if x.search.Spent {
		runs := answer.Exactly(answer.Count, float64(x.search.Runs))
		facts = append(facts, answer.New("SEARCH_SPENT", answer.Named{Name: "runs", Value: runs}))
	}
	if x.search.Most == 1 {
		facts = append(facts, answer.New("ONE_HISTORY"))
	}
	return facts
}

// label names a candidate as the command line takes its policy.
func (x *trial) label(c *run.Candidate) string {
	if x.Near == nil {
		return c.Case.Do.Policy
	}
	return x.Near(c.Case.Do.Policy)
}

// values are the policy that is recommended and what it gains.
func (x *trial) values(chosen *run.Candidate) []answer.Named {
	list := []answer.Named{{Name: "policy", Value: answer.Word(x.label(chosen))},
		{Name: "gain", Value: answer.Estimated(unitOf(x.settings.objective.Unit), x.gain(x.row(chosen), x.now()))},
		{Name: "runs", Value: answer.Exactly(answer.Count, float64(x.search.Runs))}}
	if x.Over == OverAdmission || x.Over == OverThresholds {
		list = append(list, answer.Named{Name: "admission", Value: answer.Word(chosen.Case.Admission.Name)})
	}
	return list
}

// headline says what is recommended.
func (x *trial) headline(c *Comparison, chosen *run.Candidate) answer.Fact {
	mean, _ := x.outcome.Series(x.row(chosen).outcome, run.All, x.settings.objective.Column).Mean()
	values := []answer.Named{{Name: "policy", Value: answer.Word(x.label(chosen))},
		{Name: "value", Value: answer.Exactly(c.unit(), mean)}}
	if chosen == x.search.Now {
		return answer.New("KEEP_SETTINGS", values...)
	}
	if x.Over != "" {
		values[0].Value = answer.Word(x.changes(chosen))
	}
	gain := x.gain(x.row(chosen), x.now())
	more := answer.Exactly(c.unit(), gain.Mean)
	today, _ := x.outcome.Series(x.now().outcome, run.All, x.settings.objective.Column).Mean()
	if today > 0 {
		more = answer.Exactly(answer.Share, gain.Mean/today)
	}
	values = append(values, answer.Named{Name: "gain", Value: more})
	if !(gain.Mean > 0) {
		return answer.New("KEEPS_RULES", values...)
	}
	if gain.N > 1 && !sure(gain) {
		values = append(values, answer.Named{Name: "chance", Value: answer.Estimated(c.unit(), gain)})
	}
	return answer.New("TUNED", values...)
}

// changes names the coordinates of a candidate that differ from today's.
func (x *trial) changes(c *run.Candidate) string {
	var words []string
	for _, k := range x.search.Changed(c) {
		at := x.search.Coordinates[k]
		words = append(words, fmt.Sprintf("%s=%s", at.Name, at.Values[c.Places[k]]))
	}
	return strings.Join(words, ", ")
}
