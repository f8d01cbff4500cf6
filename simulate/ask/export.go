package ask

import (
	"context"
	"errors"
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Export asks what settings for a scheduler change.
type Export struct {
	Now     subject.Policy // in place
	Policy  subject.Policy // whose schedule the settings make
	Written subject.Policy // the same, as the scheduler reads it from the files
	// Admission is exported, too, as it was asked for; nil: none. Found is the one that was found for it.
	Admission *run.Admission
	Found     run.Gate
}

// Effects is what settings change.
type Effects struct {
	Customers answer.Table   // waits and money, now and then
	Gain      answer.Value   // $/h more than now
	Now       string         // label of the policy in place
	Affected  []run.Affected // customers and groups of width
	Written   answer.Value   // $/h by the files
	Stated    answer.Value   // $/h of the policy
	Level     float64        // of the intervals
}

// gains says what an export changes in all, without a period.
func (e Effects) gains() string {
	more, than := e.Gain, "more than"
	if more.Number < 0 {
		than = "less than"
		more.Number, more.Low, more.High = -more.Number, -more.High, -more.Low
	}
	words := more.Words() + " " + than
	if more.Number == 0 {
		words = "as much as"
	}
	words = fmt.Sprintf("Together these settings deliver %s %s, the policy now", words, text.OneLine(e.Now))
	if more.Random {
		words += " (paired, " + text.PlainPercent(e.Level) + ")"
	}
	return words
}

// fidelity compares what files deliver with the policy that they are made of, without a period.
func (e Effects) fidelity(label string) string {
	words := "as much as"
	switch off := e.Off(); {
	case off > 0:
		words = fmt.Sprintf("%.1f %% above", 100*off)
	case off < 0:
		words = fmt.Sprintf("%.1f %% below", -100*off)
	}
	return fmt.Sprintf("by simulation these files deliver %s, %s the %s of %s", e.Written.Words(), words,
		e.Stated.Words(), text.OneLine(label))
}

// whoPays says how many groups of jobs are harmed, with a table of how all are served and the rule of harm.
func whoPays(list []run.Affected) string {
	t := affectedTable(affectedBy("", list))
	t.Columns = t.Columns[1:] // one row is compared
	t.Rows = text.Each(t.Rows, func(row []answer.Value) []answer.Value { return row[1:] })
	line := "It harms nobody."
	if n := len(run.Harmed(list)); n > 0 {
		line = "It harms " + text.Plural(n, "group") + " of jobs."
	}
	return line + "\n\n" + wordTable(t).String() + "\nharmed: the mean wait at least doubles and grows by an hour or more, " +
		"or the longest wait at least doubles and grows by a day or more, or " + text.PlainPercent(run.LeastNotRun) +
		" more of the jobs never start"
}

// wordTable is a table as a document has it.
func wordTable(t answer.Table) *text.Table {
	rows := t.Words()
	table := text.NewTable(rows[0]...)
	table.Whole = true
	for _, row := range rows[1:] {
		table.Row(row...)
	}
	return table
}

// Off returns by how much the files differ from the policy, as a share of the larger value.
func (e Effects) Off() float64 {
	a, b := e.Written.Number, e.Stated.Number
	if a == b {
		return 0
	}
	return (a - b) / math.Max(math.Abs(a), math.Abs(b))
}

// Ask compares the policy now behind no admission with the settings behind theirs.
func (x Export) Ask(ctx context.Context, l *run.Lab) (Effects, error) {
	admissions := []run.Admission{{Name: scenario.AdmitAll}}
	if x.Admission != nil {
		admissions = append(admissions, *x.Admission)
	}
	policies := []subject.Policy{x.Now, x.Policy, x.Written}
	if x.Now.Label() == x.Policy.Label() {
		policies = policies[1:]
	}
	for _, p := range policies {
		if err := x.admit(l, p); err != nil {
			return Effects{}, err
		}
	}
	q, err := Request{Command: "simulate", Widths: true}.settings()
	if err != nil {
		return Effects{}, err
	}
	c, err := compare(ctx, l, q, policies, admissions)
	if err != nil {
		return Effects{}, err
	}
	if err := errors.Join(c.broken, c.failed()); err != nil {
		return Effects{}, err
	}
	now, stated, written := c.Rows[0], c.Rows[len(c.Rows)-1-len(admissions)], c.Rows[len(c.Rows)-1]
	e := Effects{Customers: c.changed(now, written), Now: now.Policy.Label(), Level: c.level,
		Written: c.estimate(c.unit(), c.series(written)), Stated: c.estimate(c.unit(), c.series(stated)),
		Gain: c.estimate(c.unit(), c.objective.Gain(c.series(written), c.series(now)))}
	e.Affected, _ = c.frame.Affected(written.Case, now.Case, l.Groups())
	return e, nil
}

// admit tells the lab the admission that was found, if it had to be.
func (x Export) admit(l *run.Lab, p subject.Policy) error {
	if x.Admission == nil || x.Admission.Admit != nil {
		return nil
	}
	do, err := l.Policy(p)
	if err != nil {
		return err
	}
	c := l.Base()
	c.Do, c.Admission = do, *x.Admission
	return l.Found(c, x.Found)
}

// changed is the table of what a row changes for customers.
func (c *Comparison) changed(now, then Row) answer.Table {
	parts := text.Where(c.sections(), func(p part) bool { return p.Case.Row() == now.Case.Row() && p.pool == "" })
	all := now.whole()
	all.name = run.All
	fields := []answer.Field[part]{partName("customer", "name")}
	for _, name := range []string{run.ColumnMeanWait, run.ColumnValue} {
		m, _ := run.Lookup(name)
		title := titles(c.objective)[name]
		after := c.recorded(name+"_then", name, unitOf(m.Unit), "")
		fields = append(fields, c.recorded(name+"_now", name, unitOf(m.Unit), "").Titled(title+" now"),
			answer.Through(func(p part) part { return part{Row: then, group: p.group} }, after.Titled(title+" then"))[0])
	}
	return answer.TableOf("customers", append(parts, all), fields...)
}
