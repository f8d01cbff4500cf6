package ask

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/slurm/steer"
)

// Steering is a pass of steer.
type Steering struct {
	*steer.Pass
	Applied bool     // the changes were made
	Site    *Present // nil: the jobs of the scenario are no log's
	Command string   // that exports the best static rule; "" if there is none to export
}

// Answer says what the pass changes, and what that brings.
func (s Steering) Answer() answer.Answer {
	a := answer.Answer{Command: "steer", Scenario: s.Scenario, Headline: s.headline(), Values: s.values(),
		Tables: []answer.Table{s.jobs(), s.leftAlone()}}
	if s.Advice != nil {
		a.Replications = s.Advice.Replications
		a.Tables = append(a.Tables, rules(s.Advice))
	}
	left := func(jobs int, why string) {
		if jobs > 0 {
			a.Warnings = append(a.Warnings, answer.New("NOT_MOVED", count(jobs).As("jobs"), answer.Word(why).As("why")))
		}
	}
	left(s.Cut, "later passes change them (--changes)")
	left(s.Beyond, "their priorities differ by more than a site factor may")
	if len(s.Unreadable) > 0 {
		left(len(s.Unreadable), "their rows of squeue cannot be read, first "+text.Quote([]byte(s.Unreadable[0])))
	}
	if refusal := s.Site.Refusal(); refusal.Code != "" {
		a.Warnings = append([]answer.Fact{refusal}, a.Warnings...)
	}
	if !s.Applied {
		a.Warnings = append(a.Warnings, Advised(s.Advice, s.Reservations, s.Policy, s.Command)...)
	}
	return a
}

// headline says how many jobs move.
func (s Steering) headline() answer.Fact {
	facts := []answer.Named{answer.Word(s.Policy).As("policy"),
		answer.Word(text.Plural(s.Waiting, "waiting job")).As("waiting")}
	if len(s.LeftAlone) > 0 {
		alone := text.Each(slices.Sorted(maps.Keys(s.LeftAlone)), func(reason string) string {
			return fmt.Sprintf("%s %d", reason, s.LeftAlone[reason])
		})
		facts = append(facts, answer.Word(strings.Join(alone, ", ")).As("alone"))
	}
	if len(s.Changes) == 0 {
		return answer.New("IN_ORDER", facts...)
	}
	moves := "would move"
	if s.Applied {
		moves = "moved"
	}
	facts = append(facts, answer.Word(moves).As("moves"), count(s.moved()).As("moved"))
	return answer.New("MOVES", facts...)
}

// moved counts the jobs that are moved.
func (s Steering) moved() int {
	if s.Applied {
		return s.After.Changed
	}
	return len(s.Changes)
}

// values are what the pass counts.
func (s Steering) values() []answer.Named {
	pairs, agree := s.Pairs, s.Agree
	list := []answer.Named{count(s.moved()).As("moved")}
	if s.Applied {
		pairs, agree = s.After.Pairs, s.After.Agree
		list = append(list, count(s.After.Requests).As("requests"), count(s.After.Restored).As("restored"))
	}
	list = append(list, share(float64(agree)/float64(pairs)).As("in_order"), count(s.Waiting).As("waiting"),
		count(s.Running).As("running"), answer.Word(s.Policy).As("policy"), seconds(float64(s.Now)).As("now"))
	if a := s.Advice; a != nil {
		list = append(list, perHour(a.Gain).As("gain"), answer.Word(a.Static).As("static"),
			answer.Yes(a.Steer).As("steer"))
	}
	return list
}

// perHour returns an estimate of $/s in $/h.
func perHour(e metric.Interval) answer.Value {
	v := money(float64(e.Mean) * metric.Hour)
	half := float64(e.HalfWidth) * metric.Hour
	if v.Known() && half > 0 && !math.IsInf(half, 0) {
		v.Random, v.Low, v.High = true, v.Number-half, v.Number+half
	}
	return v
}

// jobs is the table of the jobs that move.
func (s Steering) jobs() answer.Table {
	t := answer.Table{Name: "jobs", Columns: []answer.Column{
		{Name: "job", Unit: answer.Text, Means: "its number; of an array with the tasks that wait"},
		{Name: "customer", Unit: answer.Text, Means: "name"},
		{Name: "place_before", Title: "place", Unit: answer.Count, Means: "in the order that Slurm has"},
		{Name: "place_after", Title: "to", Unit: answer.Count, Means: "in the order of the policy"},
		{Name: "value", Title: "value $", Unit: answer.Amount, Means: "if it starts now"},
		{Name: "hour_costs", Title: "an hour costs $", Unit: answer.Amount, Means: "that it loses by another hour"},
		{Name: "width", Unit: answer.Count, Means: "units"}, {Name: "waited", Unit: answer.Time, Means: "so far"},
		{Name: "why", Unit: answer.Text, Means: "given up, overdue, up, down or keeps its place"},
		{Name: "factor", Unit: answer.Count, Means: "site factor", Quiet: true},
	}}
	for _, m := range s.Changes {
		number := strconv.FormatInt(m.Job, 10)
		if m.Tasks > 0 {
			number += fmt.Sprintf("[%d]", m.Tasks)
		}
		t.Rows = append(t.Rows, []answer.Value{answer.Word(number), answer.Word(m.Customer), count(m.From), count(m.To),
			answer.Exactly(answer.Amount, float64(m.Value)), answer.Exactly(answer.Amount, float64(m.Cost)), count(m.Width),
			seconds(float64(m.Waited)), answer.Word(why(m)), count(m.Factor)})
	}
	return t
}

// why says in a word why a job gets its place.
func why(m steer.Move) string {
	switch {
	case m.GivenUp:
		return "given up"
	case m.Overdue:
		return "overdue"
	case m.To < m.From:
		return "up"
	case m.To > m.From:
		return "down"
	}
	return "keeps"
}

// leftAlone is the table of the waiting jobs that are not
func (s Steering) leftAlone() answer.Table {
	t := answer.Table{Name: "left_alone", Shown: true, Columns: []answer.Column{
		{Name: "reason", Unit: answer.Text, Means: "why they are not steered"},
		{Name: "jobs", Unit: answer.Count, Means: "that wait"},
	}}
	for _, reason := range slices.Sorted(maps.Keys(s.LeftAlone)) {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(reason), count(s.LeftAlone[reason])})
	}
	return t
}

// rules is the table of what static rules and steering deliver in simulations.
func rules(a *steer.Advice) answer.Table {
	t := answer.Table{Name: "rules", Shown: true, Columns: []answer.Column{
		{Name: "rule", Unit: answer.Text, Means: "today, tuned, qos, static or steered"},
		{Name: "policy", Unit: answer.Text, Means: "label"},
		{Name: "value", Title: "$/h", Unit: answer.Money, Means: "delivered in simulations"},
		{Name: "harms", Unit: answer.Count, Means: "customers and groups of width that wait much longer"},
		{Name: "not_run", Unit: answer.Share, Means: "jobs that never start", Quiet: true},
	}}
	for _, row := range a.Rows {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(row.Kind), answer.Word(row.Label), perHour(row.Value),
			count(len(row.Harm)), share(float64(row.NotRun))})
	}
	return t
}

// Advised are reasons not to steer: a cluster that cannot deliver what was simulated, or a static rule that is as good,
// with the command that exports it. There are none if nobody asked.
func Advised(a *steer.Advice, r *steer.Reservations, policy, command string) (list []answer.Fact) {
	if a != nil {
		r, policy = a.Reservations, a.Row(steer.RuleSteered).Label
	}
	if r != nil && !r.Met && (a == nil || !a.Steer) {
		list = append(list, reserved(r, policy))
	}
	if a == nil || a.Steer {
		return list
	}
	if r.Met {
		facts := []answer.Named{answer.Word(policy).As("policy"), perHour(a.Gain).As("gain"),
			answer.Word(a.Static).As("static"), answer.Maybe(command).As("command"),
			share(steer.Worthwhile).As("least")}
		list = append(list, answer.New("STATIC_RULE", facts...))
	}
	return list
}

// reserved says that reservations of the cluster and of a policy differ, and which line of slurm.conf changes that.
func reserved(r *steer.Reservations, policy string) answer.Fact {
	cluster, other := "keeps no nodes for waiting jobs", "does"
	if r.Cluster {
		cluster, other = "keeps nodes for waiting jobs", "does not"
	}
	change := "write SchedulerParameters=" + text.OneLine(r.Other)
	if r.Other == "" { // Slurm does not read a line without a value
		change = "delete the line SchedulerParameters"
	}
	return answer.New("RESERVATIONS", answer.Word(cluster).As("cluster"), answer.Word(policy).As("policy"),
		answer.Word(other).As("other"), answer.Word(change).As("change"),
		answer.Word(cmp.Or(text.OneLine(r.Now), "no such line")).As("undo"))
}

// outcome is what an undo did with some jobs, and the next step, "" if there is none.
type outcome struct {
	name, next string
	is         func(c steer.Change) bool
}

// outcomes are those of an undo.
func outcomes() []outcome {
	return []outcome{
		{"restored", "", func(c steer.Change) bool { return c.Sent && !c.Unseen && !c.Foreign }},
		{"sent, not shown", "undo again once they wait", func(c steer.Change) bool { return c.Sent && c.Unseen }},
		{"restored in part, changed by others", "", func(c steer.Change) bool { return c.Sent && c.Foreign }},
		{"changed by others", "set these by hand if they should change",
			func(c steer.Change) bool { return !c.Sent && c.Foreign }},
		{"restored before", "", func(c steer.Change) bool {
			return !c.Sent && !c.Foreign && !c.Missing && !c.Spent && !c.Gone && !c.Late
		}},
		{"no answer yet", "undo again in a minute", func(c steer.Change) bool { return c.Late }},
		{"not found", "undo again", func(c steer.Change) bool { return c.Missing }},
		{"ended with a factor", "undo again if one is requeued", func(c steer.Change) bool { return c.Spent }},
		{"no longer there", "", func(c steer.Change) bool { return c.Gone }},
	}
}

// Undone says what became of the factors that were to be restored.
func Undone(list []steer.Change) answer.Answer {
	t := answer.Table{Name: "undone", Columns: []answer.Column{
		{Name: "outcome", Unit: answer.Text, Means: "of a factor that was to be restored"},
		{Name: "jobs", Unit: answer.Count, Means: "that have it"},
		{Name: "first", Unit: answer.Text, Means: "numbers of some of them"},
		{Name: "next", Unit: answer.Text, Means: "what to do"},
	}}
	for _, o := range outcomes() {
		jobs := text.Where(list, o.is)
		if len(jobs) == 0 {
			continue
		}
		first := text.Each(jobs[:min(3, len(jobs))], func(c steer.Change) string { return strconv.FormatInt(c.Job, 10) })
		t.Rows = append(t.Rows, []answer.Value{answer.Word(o.name), count(len(jobs)), answer.Word(strings.Join(first, " ")),
			answer.Word(o.next)})
	}
	facts := []answer.Named{count(text.Count(list, outcomes()[0].is)).As("restored"),
		answer.Word(text.Plural(len(list), "job")).As("jobs")}
	if sent := text.Count(list, outcomes()[1].is); sent > 0 {
		facts = append(facts, count(sent).As("sent"))
	}
	if missing := Missing(list); missing > 0 {
		facts = append(facts, count(missing).As("missing"))
	}
	return answer.Answer{Command: "steer", Scenario: "undo", Tables: []answer.Table{t},
		Headline: answer.New("UNDONE", facts...)}
}

// Missing counts the jobs that an undo did not find, and that are not provably gone.
func Missing(list []steer.Change) int {
	return text.Count(list, func(c steer.Change) bool { return c.Missing })
}
