package ask

import (
	"context"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
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
	c.Columns = c.usualColumns(policyColumn(), c.admissionColumn())
	if err := c.judge(ctx); err != nil {
		return nil, err
	}
	for i, candidate := range c.Rows {
		c.Rows[i].harmed = x.harm(x.rows[candidate.Label])
		c.Rows[i].Label = candidate.Policy.Label()
	}
	t := &Tuned{Comparison: c, Policy: x.chosen[chosen.Case.Do.Policy]}
	c.Answer = c.answer(ctx, x.affectedTable(chosen), x.promiseTable(chosen))
	c.Answer.Headline = x.headline(c, chosen)
	c.Answer.Values = append(c.Answer.Values, x.values(chosen)...)
	if chosen != x.search.Now && chosen.Places != nil {
		c.Answer.Tables = slices.Insert(c.Answer.Tables, 0, x.settingTable(chosen, flat))
	} else {
		c.Answer.Tables = append(c.Answer.Tables, x.settingTable(x.search.Now, flat))
	}
	var broken []answer.Fact
	t.Broken, broken = x.brokenPromises(chosen)
	c.Answer.Warnings = slices.Concat(broken, x.doubts(), c.Answer.Warnings)
	return t, nil
}

// compared returns a candidate as a row of a comparison, with the name of its row as the label for now.
func (x *trial) compared(c *run.Candidate) Row {
	return Row{Label: c.Case.Row(), Policy: x.chosen[c.Case.Do.Policy], Case: x.row(c).outcome}
}

// setting is a coordinate that changes.
type setting struct {
	run.Coordinate
	to   string
	gain answer.Value
	flat [2]string
}

// settingTable has a row for each coordinate that changes, in the order in which they entered. Its gain is what the
// value is less, on the part that was tuned on, if it alone is turned back. Every value from low to high does as well,
// to within run.FlatShare or the noise.
func (x *trial) settingTable(chosen *run.Candidate, flat map[string][2]string) answer.Table {
	unit := unitOf(x.settings.objective.Unit)
	without := x.search.Without(chosen)
	list := text.EachAt(x.search.Changed(chosen), func(i, k int) setting {
		c := x.search.Coordinates[k]
		_, gain := x.search.Confirmed(chosen, without[i], x.settings.level)
		return setting{c, c.Values[chosen.Places[k]], answer.Estimated(unit, gain), flat[c.Name]}
	})
	gain := answer.Valued("gain", unit, "what is lost if it alone is turned back, on the jobs that were tuned on",
		func(s setting) answer.Value { return s.gain })
	gain.Signed = true
	return answer.TableOf("settings", list,
		answer.Texts("setting", "what is changed", func(s setting) string { return s.Name }),
		answer.Texts("from", "its value today; none: not set", func(s setting) string { return s.Values[s.Now] }),
		answer.Texts("to", "its best value; none: not set", func(s setting) string { return s.to }), gain,
		answer.Texts("low", "least value that does as well", func(s setting) string { return s.flat[0] }),
		answer.Texts("high", "largest value that does as well", func(s setting) string { return s.flat[1] }))
}

// affectedTable is how customers and groups of width are served by the candidate that is recommended, and today.
func (x *trial) affectedTable(chosen *run.Candidate) answer.Table {
	if chosen == x.search.Now {
		return affectedTable(nil)
	}
	all, _ := x.affected(x.row(chosen))
	return affectedTable(affectedBy(x.label(chosen), all))
}

// promiseTable says how far promises are kept in the test.
func (x *trial) promiseTable(chosen *run.Candidate) answer.Table {
	at := func(p run.Promise, row *tried) answer.Value {
		return answer.Estimated(answer.Share, x.outcome.Estimate(p.Kept(x.outcome, row.outcome)))
	}
	return answer.TableOf("rules", x.promises,
		answer.Texts("rule", "limit to respect", promiseWords),
		answer.Valued("today", answer.Share, "the share today", func(p run.Promise) answer.Value { return at(p, x.now()) }),
		answer.Valued("tuned", answer.Share, "the share of what is recommended",
			func(p run.Promise) answer.Value { return at(p, x.row(chosen)) }),
		answer.Truths("holds", "the rule holds in the test",
			func(p run.Promise) bool { return p.Excess(x.outcome, x.row(chosen).outcome) == 0 }))
}

// brokenPromises returns the promises that are kept today and not by what is recommended, in the test.
func (x *trial) brokenPromises(chosen *run.Candidate) (words []string, facts []answer.Fact) {
	row := x.row(chosen)
	for _, p := range x.promises {
		if p.Excess(x.outcome, x.now().outcome) > 0 || p.Excess(x.outcome, row.outcome) == 0 {
			continue
		}
		words = append(words, promiseWords(p))
		reached := answer.Estimated(answer.Share, x.outcome.Estimate(p.Kept(x.outcome, row.outcome)))
		facts = append(facts, answer.New("RULE_BROKEN", answer.Named{Name: "rule", Value: answer.Word(promiseWords(p))},
			answer.Named{Name: "reached", Value: reached}))
	}
	return words, facts
}

// promisesOf returns the promises of a scenario.
func promisesOf(s *subject.Subject) (list []run.Promise) {
	for _, section := range subject.Sections(s.Workload) {
		if p := section.Promise; p != nil {
			list = append(list, run.Promise{Customer: section.Label(), Group: groupOf(section), Level: p.Level})
		}
	}
	return list
}

// promiseWords writes a promise as a rule.
func promiseWords(p run.Promise) string {
	return fmt.Sprintf("%s.promise_kept >= %s%%", p.Customer, text.Plain(100*p.Level))
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
