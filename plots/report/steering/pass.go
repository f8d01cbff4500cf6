package steering

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"revopt/internal/text"
	"revopt/plots/report"
	"revopt/simulate/slurm/steer"
)

// Pass is a pass of steer.
type Pass struct {
	*steer.Pass
	Unit    string // of the machine
	Applied bool   // the changes were made
	Explain bool   // all changes are listed
	From    report.Typed
}

// tableRows is the number of changes that are listed if all are not asked for.
const tableRows = 20

// Answer says in one line what the pass changes, and what that brings.
func (p Pass) Answer() string {
	if p.Waiting == 0 {
		return "no job waits that can be steered: nothing to change"
	}
	jobs := text.Plural(p.Waiting, "waiting job")
	if len(p.Changes) == 0 {
		return fmt.Sprintf("%s: Slurm has them in the order of %s, nothing to change", jobs, p.Policy)
	}
	verb, moved := "would move", len(p.Changes)
	if p.Applied {
		verb, moved = "moved", p.After.Changed
	}
	words := fmt.Sprintf("%s %s %d of %s", p.Policy, verb, moved, jobs)
	if p.Gain != nil {
		words += ": " + p.gain()
	}
	return words
}

// gain says what the order of the policy brings.
func (p Pass) gain() string {
	now, then := float64(p.Gain.Now), float64(p.Gain.Then)
	words := fmt.Sprintf("they pay %s $ in place of %s $", text.Short(then), text.Short(now))
	if now > 0 {
		words += fmt.Sprintf(" (%s)", text.Signed(100*(then-now)/now, text.Fixed(100*(then-now)/now, 1)+" %"))
	}
	return words + " if all run to their limits and none comes"
}

// Line says in one line what a pass of a loop has done.
func (p Pass) Line() string {
	words := fmt.Sprintf("%s: %d of %s changed", steer.Clock(float64(p.Now)), p.After.Changed,
		text.Plural(p.Waiting, "waiting job"))
	if p.After.Pairs > 0 {
		words += fmt.Sprintf("; %s of pairs in the order of %s", text.Percent(float64(p.After.Agree)/float64(p.After.Pairs)),
			p.Policy)
	}
	if p.After.Restored > 0 {
		words += fmt.Sprintf("; former factors of %s sent", text.Plural(p.After.Restored, "started job"))
	}
	if len(p.Unreadable) > 0 {
		words += fmt.Sprintf("; %s cannot be read, first %s", text.Plural(len(p.Unreadable), "row"),
			text.Quote([]byte(p.Unreadable[0])))
	}
	return words
}

// Table writes the pass for a terminal.
func (p Pass) Table(w io.Writer) {
	fmt.Fprintf(w, "%s\n", p.Answer())
	for _, words := range p.left() {
		text.Print(w, words, 0)
	}
	if len(p.Changes) > 0 {
		fmt.Fprintln(w)
		p.table().Print(w)
	}
	if rest := len(p.Changes) - tableRows; rest > 0 && !p.Explain {
		fmt.Fprintf(w, "and %d more: see --explain\n", rest)
	}
	p.advice(w)
	if notes := p.notes(); len(notes) > 0 {
		fmt.Fprintln(w)
		for _, words := range notes {
			text.Print(w, words, 0)
		}
	}
}

func (p Pass) table() *text.Table {
	t := text.NewTable("job", "customer", text.Unit(p.Unit)+"s", "waited", "place", "to", "value $", "cost $/h", "why",
		"factor")
	t.Left = 2
	for i, m := range p.Changes {
		if i == tableRows && !p.Explain {
			break
		}
		t.Row(number(m), m.Customer, fmt.Sprint(m.Width), text.Duration(float64(m.Waited)), fmt.Sprint(m.From),
			fmt.Sprint(m.To), text.Short(float64(m.Value)), text.Short(float64(m.Cost)), why(m), fmt.Sprint(m.Factor))
	}
	return t
}

// number returns the number of a job, and of how many tasks it is an array.
func number(m steer.Move) string {
	if m.Tasks > 0 {
		return fmt.Sprintf("%d[%d]", m.Job, m.Tasks)
	}
	return fmt.Sprint(m.Job)
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

// notes says what is not in the table.
func (p Pass) notes() (list []string) {
	if p.Cut > 0 {
		list = append(list, fmt.Sprintf("%s more wait for later passes (--changes)", text.Plural(p.Cut, "change")))
	}
	if p.Beyond > 0 {
		list = append(list, fmt.Sprintf("%s cannot get to their places: their priorities differ by more than --span",
			text.Plural(p.Beyond, "job")))
	}
	pairs, agree := p.Pairs, p.Agree
	if p.Applied {
		pairs, agree = p.After.Pairs, p.After.Agree
		list = append(list, text.Plural(p.After.Requests, "request")+" to the controller")
	}
	if pairs > 0 {
		list = append(list, fmt.Sprintf("Slurm has %s of pairs in the order of %s; value: $ if the job starts now; "+
			"cost: $ that it loses by another hour", text.Percent(float64(agree)/float64(pairs)), p.Policy))
	}
	return list
}

// left says which jobs are left alone, by reason, and names those whose rows cannot be read.
func (p Pass) left() (list []string) {
	for _, reason := range slices.Sorted(maps.Keys(p.LeftAlone)) {
		words := fmt.Sprintf("left alone: %s, %s", text.Plural(p.LeftAlone[reason], "job"), leftWords(reason))
		if reason == steer.LeftUnreadable && len(p.Unreadable) > 0 {
			words += ", first " + text.Quote([]byte(p.Unreadable[0]))
		}
		list = append(list, words)
	}
	return list
}

// leftWords says why jobs are left alone.
func leftWords(reason string) string {
	switch reason {
	case steer.LeftArray:
		return "of arrays some of whose tasks were split off, which an update would move too"
	case steer.LeftUnreadable:
		return "whose rows of squeue cannot be read"
	case steer.LeftRefused:
		return "of which Slurm refuses a change"
	case steer.LeftParts:
		return "of several parts that start together"
	case steer.LeftReservation:
		return "in reservations, which win over any factor"
	case steer.LeftFactor:
		return "whose site factors another party has set"
	case steer.LeftFixed:
		return "whose priorities an operator has set, which no factor changes"
	case steer.LeftPartitions:
		return "in several partitions, with one factor and several priorities"
	case steer.LeftNobody:
		return "which no customer of the scenario has"
	case steer.LeftIdle:
		return "that are held, or wait for other jobs or a time"
	}
	return "which sprio does not list"
}
