package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Tune is tuned settings, as the program prints them.
type Tune struct {
	*study.TuneResult
}

// Facts returns the result.
func (r *Tune) Facts() (any, []study.Warning) { return r.TuneResult, r.Warnings }

// perHourOf formats an estimate per second as an amount per hour, gainPerHour with a sign.
func perHourOf(e study.Estimate) string {
	return money(study.NewEstimate(e.Interval().Times(3600)), false)
}

func gainPerHour(e study.Estimate) string { return plus(float64(e.Mean)) + perHourOf(e) }

// Head says which numbers settings were tuned and tested on.
func (r *Tune) Head() []string {
	part := func(p study.TunePart) string {
		jobs := text.Plural(int(p.Jobs+0.5), "job")
		if len(p.Part) < 2 {
			return jobs
		}
		from, to := text.Plain(100*float64(p.Part[0])), plainPercent(float64(p.Part[1]))
		return fmt.Sprintf("%s to %s of the log (%s)", from, to, jobs)
	}
	tuned := fmt.Sprintf("tuned on %s in %s", part(r.TunedOn), text.Plural(r.Runs, "run"))
	if r.TunedOn.Span > 0 {
		tuned += " of " + text.Duration(float64(r.TunedOn.Span)) + " drawn from its weeks"
	}
	if r.Spent {
		tuned += ": all that --runs allows, so the search is not finished"
	}
	n, tested := r.TestedOn.Replications, "tested on "+part(r.TestedOn)
	words := levelWords(float64(r.Level), n, r.AsRecorded != nil)
	switch {
	case r.AsRecorded != nil:
		tested += fmt.Sprintf(", %d histories drawn from its weeks%s", n, words)
	case n > 1:
		tested += fmt.Sprintf(", %d fresh replications%s", n, words)
	default:
		tested += ", once, as it happened: no intervals"
	}
	return []string{text.OneLine(fmt.Sprintf("%s: %s, policy %s", r.Scenario, r.What, r.Policy)), tuned, tested}
}

// Answer says what tuning brings.
func (r *Tune) Answer() string {
	level := fmt.Sprintf("%s $/h, %s of possible", perHourOf(r.After), percent(r.Efficiency.Interval()))
	switch {
	case r.Kept && r.Tried == nil:
		return "Keep today's settings: no others gain. They earn " + level + "."
	case r.Kept:
		return fmt.Sprintf("Keep today's settings: no others gain more than chance. They earn %s. The best others that "+
			"were found gain %s $/h on the numbers of the test.", level, gainPerHour(r.Tried.Gain))
	}
	certain := "not by chance"
	low, _ := r.Gain.Interval().Bounds()
	switch {
	case r.TestedOn.Replications == 1:
		certain = "on one history"
	case !(low > 0):
		certain = "perhaps by chance; they keep a rule that today's break"
	case r.AsRecorded != nil:
		certain = "in nearly all histories"
	}
	words := fmt.Sprintf("Tuned settings earn %s, %s: %s, instead of %s $/h.",
		monthly(3600*float64(r.Gain.Mean)), certain, level, perHourOf(r.Before))
	if r.AsRecorded != nil {
		words += fmt.Sprintf(" On the tested part as it happened they gain %s $/h.", gainPerHour(*r.AsRecorded))
	}
	return words
}

// rows are the tables of the settings and of the policies, their headings first.
func (r *Tune) rows() (settings, policies [][]string) {
	settings = [][]string{{"setting", "from", "to", "turned back loses $/h", "flat from", "to"}}
	value := func(words string) string {
		if words == "" {
			return "-"
		}
		return text.OneLine(words)
	}
	for _, c := range r.Contributions {
		row := []string{text.OneLine(c.Setting), value(c.From), value(c.To), perHourOf(c.Gain), "", ""}
		if c.Flat != nil {
			row[4], row[5] = value(c.Flat[0]), value(c.Flat[1])
		}
		settings = append(settings, row)
	}
	possible := func(e study.Estimate) string { return strings.TrimSuffix(percent(e.Interval()), " %") }
	name := map[bool]string{false: ", tuned", true: ", today"}[r.Kept]
	policies = [][]string{{"policy", "earns $/h", "less than " + r.Policy, "% of possible"},
		{r.Policy + name, perHourOf(r.After), "", possible(r.Efficiency)}}
	for _, v := range r.Versus {
		policies = append(policies, []string{v.Label, perHourOf(v.Value), perHourOf(v.Gain), possible(v.Efficiency)})
	}
	return settings, policies
}

// RuleLines say whether rules hold on the numbers of the test.
func (r *Tune) RuleLines() []string {
	return text.Each(r.Rules, func(rule study.RuleResult) string {
		format, holds := map[string]func(study.Estimate) string{"s": seconds, "1": percentage}[rule.Unit], "holds"
		if format == nil {
			format = ratio
		}
		if !rule.Holds {
			holds = "does not hold"
		}
		words := text.OneLine(rule.Rule) + " " + holds
		return fmt.Sprintf("%s: %s, today %s.", words, format(rule.After), format(rule.Before))
	})
}

// Shortfalls says which rules the settings break, unless they are promises that today's
// settings break as well.
func (r *Tune) Shortfalls() (list []string) {
	for _, rule := range r.Rules {
		if !rule.Holds && (!rule.Promise || rule.Held) {
			list = append(list, text.OneLine(rule.Rule)+" does not hold on the numbers of the test")
		}
	}
	return list
}

// Table writes the result for a person to read.
func (r *Tune) Table(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\n", strings.Join(text.Each(r.Head(), wrapped), "\n"), wrapped(r.Answer()))
	settings, policies := r.rows()
	if len(settings) > 1 {
		text.Align(w, settings, 3)
		least := plainPercent(study.FlatShare)
		fmt.Fprintf(w, "between the last two values the loss is below the noise or below %s\n\n", least)
	}
	text.Align(w, policies, 1)
	lines := r.RuleLines()
	if !r.Kept && r.Policy == "slurm" {
		quoted := func(s string) string { return "'" + strings.ReplaceAll(text.OneLine(s), "'", `'\''`) + "'" }
		lines = append(lines, fmt.Sprintf("Next: revopt export slurm %s --policy %s -o DIR", quoted(r.File), quoted(r.Label)))
	}
	for i, line := range lines {
		fmt.Fprintln(w, strings.Repeat("\n", max(0, 1-i))+line)
	}
}

// Records yields a row for every policy, setting and rule.
func (r *Tune) Records(add func(cells ...any)) {
	add("kind", "name", "from", "to", "value", "half_width", "gain", "gain_half_width", "efficiency")
	none := study.Number(math.NaN())
	add("today", r.Policy, "", "", r.Before.Mean, r.Before.HalfWidth, none, none, none)
	tuned := study.TuneRow{Label: r.Label, Value: r.After, Gain: r.Gain, Efficiency: r.Efficiency}
	for i, v := range append([]study.TuneRow{tuned}, r.Versus...) {
		kind := map[bool]string{true: "tuned", false: "policy"}[i == 0]
		add(kind, v.Label, "", "", v.Value.Mean, v.Value.HalfWidth, v.Gain.Mean, v.Gain.HalfWidth, v.Efficiency.Mean)
	}
	for _, c := range r.Contributions {
		add("setting", c.Setting, c.From, c.To, none, none, c.Gain.Mean, c.Gain.HalfWidth, none)
	}
	for _, rule := range r.Rules {
		holds := strconv.FormatBool(rule.Holds)
		add("rule", rule.Rule, "", holds, rule.After.Mean, rule.After.HalfWidth, none, none, none)
	}
}

// Provenance says where the numbers come from.
func (r *Tune) Provenance() text.Provenance {
	p := provenance(r.Version, r.Scenario, r.Command, r.Overrides, r.Warnings, "workload", r.What, "policy", r.Policy,
		"replications", strconv.Itoa(r.TestedOn.Replications))
	p.Seed = &r.Seed
	return p
}
