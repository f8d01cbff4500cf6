//go:build !js

package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/wording"
	"revopt/simulate/bench"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/warn"
)

// Bench is scores of the benchmark, as the program prints them.
type Bench struct{ *bench.Result }

func (b Bench) Facts() (any, []warn.Warning) { return b.Result, nil }

func (b Bench) Table(w io.Writer) {
	t := text.NewTable("instance", "policy", "objective", "value", "bound", "share %", "")
	t.Left, t.Whole = 3, true
	for _, s := range b.Instances {
		if s.Policy == "jobs" && s.Why == "" {
			s.Why = "ok" // their hash is as stored
		}
		t.Row(s.Name, policyName(s.Policy), s.Objective, text.Grouped(float64(s.Value)), text.Grouped(float64(s.Bound)),
			text.Hundredths(float64(s.Share)), s.Why)
	}
	t.Print(w)
}

// policyName returns the name of a policy for a cell: one line of at most 60 characters.
func policyName(name string) string {
	if list := []rune(text.OneLine(name)); len(list) > 60 {
		return string(list[:59]) + "…"
	}
	return text.OneLine(name)
}

func (b Bench) Records(add func(cells ...any)) {
	add("instance", "policy", "objective", "value", "bound", "share", "not_run", "why")
	for _, s := range b.Instances {
		add(s.Name, s.Policy, s.Objective, s.Value, s.Bound, s.Share, s.NotRun, s.Why)
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
	lines := []string{wording.Wrapped(benchScore(c))}
	for i := range c.Faults {
		f := &c.Faults[i]
		f.Text = faultWords(f)
		lines = append(lines, fmt.Sprintf("line %d: job %d %s", f.Line, f.Job, f.Text))
	}
	return strings.Join(lines, "\n") + "\n"
}

// benchScore says whether a schedule is valid and what it scores.
func benchScore(c *bench.Checked) string {
	words := c.Name + ": a valid schedule"
	if !c.Valid {
		words = c.Name + ": not a valid schedule, " + text.Plural(len(c.Faults), "fault")
	}
	words += fmt.Sprintf(", %s %s, bound %s", c.Objective, text.Rounded(float64(c.Value)),
		text.Rounded(float64(c.Bound)))
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
	case "twice":
		return "has two lines"
	case "early":
		return "starts at " + plain(f.Got) + " s, before its submission at " + plain(f.Limit) + " s"
	case "length":
		return "ends at " + plain(f.Got) + " s, and its run time ends at " + plain(f.Limit) + " s"
	case "units":
		return fmt.Sprintf("starts while %.0f units are in use with its own, and there are %.0f", f.Got, f.Limit)
	}
	return f.Kind
}

// BenchTable is the standing of policies, as the program prints it.
type BenchTable struct{ *bench.Table }

// Tables are the ranking and the shares on the instances.
func (t BenchTable) Tables() []*text.Table {
	ranking := text.NewTable("policy", "mean rank", "scored on", "mean share %", "against "+policyName(t.Against))
	shares := text.NewTable()
	shares.Column("share %", t.Instances)
	for _, p := range t.Policies {
		d, gap := p.Difference.Interval().Times(100), ""
		if p.Policy != t.Against && d.N > 1 {
			gap = text.Signed(d.Mean, text.Estimate(d.Mean, d.HalfWidth, 1))
		}
		name := policyName(p.Policy)
		ranking.Row(name, text.Fixed(float64(p.Rank), 1), fmt.Sprint(p.Scored), text.Hundredths(float64(p.Share)), gap)
		share := func(x metric.Number) string { return text.Hundredths(float64(x)) }
		shares.Column(name, text.Each(p.Shares, share))
	}
	return []*text.Table{ranking, shares}
}

// Notes say what the numbers are.
func (t BenchTable) Notes() []string {
	missing := ""
	if t.Missing != "" {
		missing = "There are no scores of " + text.OneLine(t.Missing) + ", so the differences are to the best policy. "
	}
	return []string{
		"The share of the possible is the value over the proven bound; for wait and slowdown, it is the proven " +
			"bound over the value. A policy has no share on an instance that it cannot run on, or for wait and " +
			"slowdown if some jobs do not run; such policies share the last places.",
		missing + "Against " + policyName(t.Against) +
			": mean difference of the shares in percentage points, over the " +
			"instances on which both policies have one. Runs on an instance are not random; the interval (95 % " +
			"confidence) is for other instances like these.",
	}
}

// Markdown returns the tables for a document.
func (t BenchTable) Markdown() string {
	document := ""
	for _, table := range t.Tables() {
		document += table.Markdown() + "\n"
	}
	return document + text.MarkdownText(strings.Join(t.Notes(), "\n\n")) + "\n"
}

// First says which policy has the best mean rank.
func (t BenchTable) First() string {
	best := t.Policies[0]
	words := fmt.Sprintf("Best mean rank: %s, %s.", policyName(best.Policy), text.Fixed(float64(best.Rank), 1))
	if !math.IsNaN(float64(best.Share)) {
		words += fmt.Sprintf(" It reaches %s %% of the possible on average, over %s.", text.Hundredths(float64(best.Share)),
			text.Plural(best.Scored, "instance"))
	}
	return words
}

// Figures draws the shares of all policies on each instance.
func (t BenchTable) Figures() []picture {
	fig := plots.Figure{ID: "bench", Title: "Share of the possible", X: plots.Axis{Categories: t.Instances},
		Y: plots.Axis{Label: "Share of the possible", Percent: true, Max: 1}}
	for _, p := range t.Policies {
		s := plots.Series{Name: policyName(p.Policy), Kind: plots.Points}
		for k, share := range p.Shares {
			wording.AddPoint(&s, float64(k), float64(share))
		}
		fig.Series = append(fig.Series, s)
	}
	return []picture{{fig, "Each mark is the share of one policy on one instance."}}
}

func (t BenchTable) Page(w io.Writer) error { return writePage(w, "bench", t) }
