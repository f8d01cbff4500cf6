//go:build !js

package scores

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/bench"
	"revopt/simulate/plan"
	"revopt/simulate/warn"
)

// Bench is scores of the benchmark, as the program prints them.
type Bench struct{ *bench.Result }

func (b Bench) Facts() (any, []warn.Warning) { return b.Result, nil }

func (b Bench) Table(w io.Writer) {
	proven := !slices.ContainsFunc(b.Instances, func(s bench.Score) bool { return s.Table != "" })
	t := text.NewTable("instance", "policy", "objective", "table", "value", "bound", "kind of bound", "share %", "")
	t.Left = 4
	if proven { // there are no schedules
		t = text.NewTable("instance", "policy", "objective", "value", "bound", "share %", "")
		t.Left = 3
	}
	t.Whole = true
	for _, s := range b.Instances {
		if s.Policy == "jobs" && s.Why == "" {
			s.Why = "ok" // their hash is as stored
		}
		row := []string{s.Name, PolicyName(s.Policy), s.Objective, s.Table, text.Grouped(float64(s.Value)),
			text.Grouped(float64(s.Bound)), s.Kind, text.Hundredths(float64(s.Share)), s.Why}
		if proven {
			row = slices.Concat(row[:3], row[4:6], row[7:])
		}
		t.Row(row...)
	}
	t.Print(w)
}

// PolicyName returns the name of a policy for a cell: one line of at most 60 characters.
func PolicyName(name string) string {
	if list := []rune(text.OneLine(name)); len(list) > 60 {
		return string(list[:59]) + "…"
	}
	return text.OneLine(name)
}

func (b Bench) Records(add func(cells ...any)) {
	add("instance", "policy", "objective", "table", "value", "bound", "bound_name", "share", "not_run", "why")
	for _, s := range b.Instances {
		add(s.Name, s.Policy, s.Objective, s.Table, s.Value, s.Bound, s.Kind, s.Share, s.NotRun, s.Why)
	}
}

// Provenance says what made the scores. The points of cells are the files, in their order.
func (b Bench) Provenance() text.Provenance {
	files := text.Each(b.Samples, func(s *plan.Samples) string { return s.Plan().Document().File() })
	return text.Provenance{Version: b.Version, Command: b.Command,
		Extra: []text.Pair{{Key: "points", Value: strings.Join(files, ", ")}}}
}

// BenchChecked returns the score of a schedule and its faults in words, and gives the faults theirs.
func BenchChecked(c *bench.Checked) string {
	lines := []string{benchScore(c)}
	for i := range c.Faults {
		f := &c.Faults[i]
		f.Text = faultWords(f)
		lines = append(lines, fmt.Sprintf("line %d: job %d %s", f.Line, f.Job, f.Text))
	}
	return strings.Join(lines, "\n") + "\n"
}

// benchScore says whether a schedule is valid and what it scores.
func benchScore(c *bench.Checked) string {
	words := c.Name + ": a valid schedule of table " + c.Table
	if !c.Valid {
		words = c.Name + ": not a valid schedule, " + text.Plural(len(c.Faults), "fault")
	}
	if value := float64(c.Value); !math.IsNaN(value) { // that of no job
		words += fmt.Sprintf(", %s %s", c.Objective, text.Rounded(value))
	}
	words += ", bound " + text.Rounded(float64(c.Bound))
	if !math.IsNaN(float64(c.Share)) {
		words += ", " + text.Percent(float64(c.Share)) + " of the possible"
	}
	if c.NotRun > 0 {
		words += "; " + text.Plural(int(c.NotRun), "job") + " not run"
	}
	return words
}

// faultWords says what is wrong with a line of a schedule.
func faultWords(f *bench.Fault) string {
	plain := text.Plain
	switch f.Kind {
	case "unknown":
		return fmt.Sprintf("is unknown: the last one is %.0f", f.Limit)
	case "empty":
		return "has a piece that ends at " + plain(f.Got) + " s, not after its start at " + plain(f.Limit) + " s"
	case "overlap":
		return "has a piece from " + plain(f.Got) + " s on, before another one ends at " + plain(f.Limit) + " s"
	case "work":
		return "runs for " + plain(f.Got) + " s in all its pieces, and its run time is " + plain(f.Limit) + " s"
	case "early":
		return "starts at " + plain(f.Got) + " s, before its submission at " + plain(f.Limit) + " s"
	case "length":
		return "ends at " + plain(f.Got) + " s, and its run time ends at " + plain(f.Limit) + " s"
	case "units":
		return fmt.Sprintf("starts while %.0f units are in use with its own, and there are %.0f", f.Got, f.Limit)
	}
	return f.Kind
}

// tableWords says which schedules are in a table of the benchmark.
func tableWords(table string) string {
	if table == bench.Whole {
		return "Whole: every job runs once, without a stop, on units of its own"
	}
	return "Any schedule: jobs may stop and go on, and share units"
}

// BenchList is the best known schedules, as the program prints them.
type BenchList struct{ *bench.Bests }

// Table prints the best schedules of each table, and what the instances are.
func (l BenchList) Table(w io.Writer) {
	for _, name := range []string{bench.Whole, bench.Any} {
		fmt.Fprintln(w, tableWords(name)+".")
		t := text.NewTable("instance", "objective", "best policy", "share %", "value", "bound", "kind of bound")
		t.Left, t.Whole = 3, true
		for _, in := range l.Instances {
			b := in.Best.Any
			if name == bench.Whole {
				b = in.Best.Whole
			}
			if b != nil {
				t.Row(in.Name, in.Objective, PolicyName(b.Policy), text.Hundredths(float64(b.Share)),
					text.Grouped(float64(b.Value)), text.Grouped(float64(b.Bound)), b.Kind)
			}
		}
		t.Print(w)
		fmt.Fprintln(w)
	}
	t := text.NewTable("instance", "jobs")
	t.Left, t.Whole = 2, true
	for _, in := range l.Instances {
		t.Row(in.Name, in.About)
	}
	t.Print(w)
}

// BenchTable is the standing of policies, as the program prints it.
type BenchTable struct {
	*bench.Standings
	Short bool // without differences, for a document that says what the tables are
}

// Tables are the best schedules, and the rankings.
func (t BenchTable) Tables() []*text.Table {
	best := text.NewTable("instance", "objective", "whole: best", "value", "bound", "kind of bound", "share %",
		"any: best", "value", "bound", "kind of bound", "share %")
	cells := func(b *bench.Best) []string {
		if b == nil {
			return []string{"-", "-", "-", "-", "-"}
		}
		return []string{PolicyName(b.Policy), text.Grouped(float64(b.Value)), text.Grouped(float64(b.Bound)), b.Kind,
			text.Hundredths(float64(b.Share))}
	}
	for _, in := range t.Best.Instances {
		row := append([]string{in.Name, in.Objective}, cells(in.Best.Whole)...)
		best.Row(append(row, cells(in.Best.Any)...)...)
	}
	list := []*text.Table{best}
	for _, table := range t.Standings.Tables {
		list = append(list, benchRanking(table, t.Short))
	}
	return list
}

// benchRanking has the policies of a table, with a mean share for each objective.
func benchRanking(t *bench.Table, short bool) *text.Table {
	head := []string{t.Table, "mean rank", "scored on"}
	for _, objective := range t.Objectives {
		head = append(head, objective+" %")
		if !short {
			head = append(head, "- "+PolicyName(t.Against))
		}
	}
	list := text.NewTable(head...)
	for _, p := range t.Policies {
		row := []string{PolicyName(p.Policy), text.Fixed(float64(p.Rank), 1), fmt.Sprint(p.Scored)}
		for _, r := range p.Objectives {
			d, gap := r.Difference.Interval().Times(100), ""
			if p.Policy != t.Against && d.N > 1 {
				gap = text.Signed(d.Mean, text.Estimate(d.Mean, d.HalfWidth, 1))
			}
			row = append(row, text.Hundredths(float64(r.Share)))
			if !short {
				row = append(row, gap)
			}
		}
		list.Row(row...)
	}
	return list
}

// Notes say what the numbers are.
func (t BenchTable) Notes() []string {
	list := []string{
		"Shares are those of the bound of the table. Their mean is over the instances of one objective, if the policy has " +
			"a share on all of them. Policies without a share on an instance share the last places there.",
	}
	if !t.Short {
		list = slices.Insert(list, 0, tableWords(bench.Whole)+". "+tableWords(bench.Any)+
			"; whole ones count as well. The schedule decides, not the name of the policy.")
		list = append(list, "Differences of mean shares are in percentage points. Runs on an instance are not random; the "+
			"interval (95 % confidence) is for other instances like these.")
	}
	for _, table := range t.Standings.Tables {
		if table.Missing != "" && !t.Short {
			list = append(list, "There are no scores of "+text.OneLine(table.Missing)+" in table "+table.Table+
				", so the differences are to the best policy there, "+PolicyName(table.Against)+".")
		}
	}
	return list
}

// Markdown returns the tables for a document.
func (t BenchTable) Markdown() string {
	document := ""
	for _, table := range t.Tables() {
		document += table.Markdown() + "\n"
	}
	return document + text.MarkdownText(strings.Join(t.Notes(), "\n\n")) + "\n"
}

// First says which policies have the best mean ranks.
func (t BenchTable) First() string {
	var words []string
	for _, table := range t.Standings.Tables {
		best := table.Policies[0]
		words = append(words, fmt.Sprintf("Best mean rank in table %s: %s, %s, over %s.", table.Table,
			PolicyName(best.Policy), text.Fixed(float64(best.Rank), 1), text.Plural(len(table.Instances), "instance")))
	}
	return strings.Join(words, " ")
}
