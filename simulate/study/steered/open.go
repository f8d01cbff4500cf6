package steered

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Asked is a question in words.
type Asked struct {
	Journal  string
	Scenario string // a path or name; "": that of the journal
	Log      string // a file of sacct; "": none
	Today    string // labels of policies; "": as the scenario and the journal say
	Static   string
	Specs    []policy.Spec // that may be named
}

// Open reads a journal, its scenario and the log. Today's rule and the static one are by default those of the advice
// with which steer began; without one, today's is the first of the scenario that did not steer, else easy.
func Open(ctx context.Context, a Asked) (*Question, error) {
	records, err := steer.ReadJournal(a.Journal)
	if err != nil {
		return nil, err
	}
	q := &Question{Journal: a.Journal, Records: records, Level: metric.DefaultLevel}
	var start *steer.Start
	for _, r := range records {
		if r.Start != nil {
			start = r.Start
		}
	}
	if start == nil {
		return nil, &workload.Error{File: a.Journal, Message: "expected a journal in which a run of steer starts"}
	}
	if a.Log != "" {
		q.Log, err = ReadLog(a.Log, time.UTC)
		if err != nil {
			return nil, err
		}
	}
	doc, err := scenario.Open(a.scenario(start))
	if err != nil {
		return nil, err
	}
	q.Subject, err = subject.Open(ctx, doc, 1, a.Specs)
	if err != nil {
		return nil, err
	}
	return q, a.rules(q, start)
}

// scenario returns the scenario that is asked for, else that of a journal: as it was named, or beside the journal.
func (a *Asked) scenario(start *steer.Start) string {
	if a.Scenario != "" {
		return a.Scenario
	}
	beside := filepath.Join(filepath.Dir(a.Journal), filepath.Base(start.Scenario))
	_, missing := os.Stat(start.Scenario)
	_, absent := os.Stat(beside)
	if missing != nil && absent == nil {
		return beside
	}
	return start.Scenario
}

// rules sets the rules to compare.
func (a *Asked) rules(q *Question, start *steer.Start) (err error) {
	parse := func(label string) (subject.Policy, error) {
		list, err := study.ParsePolicies(a.Specs, label)
		if err != nil {
			return subject.Policy{}, err
		}
		return list[0], nil
	}
	q.Policy, err = parse(start.Policy)
	if err != nil {
		return err
	}
	today, static := advised(start.Advice)
	today, static = cmp.Or(a.Today, today), cmp.Or(a.Static, static)
	listed, err := q.Subject.Policies()
	if err != nil {
		return err
	}
	for _, l := range listed {
		if today == "" && l.Spec.Name != q.Policy.Spec.Name {
			today = l.Label()
		}
	}
	if today == "" {
		today = "easy"
	}
	q.Today, err = parse(today)
	if err != nil {
		return err
	}
	if static == "" || static == today {
		return nil
	}
	rule, err := parse(static)
	q.Static = &rule
	return err
}

// advised returns the labels of today's rule and of the best static settings in an advice, "" where it has none.
func advised(a *steer.Advice) (today, static string) {
	if a == nil {
		return "", ""
	}
	for _, row := range a.Rows {
		if row.Kind == steer.RuleToday {
			today = row.Label
		}
	}
	return today, a.Static
}
