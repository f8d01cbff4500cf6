package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Tune is tuned settings, as the program prints them.
type Tune struct {
	*study.TuneResult
}

// Facts returns the result.
func (r *Tune) Facts() (any, []study.Warning) { return r.TuneResult, r.Warnings }

// hourly returns an estimate per second as one per hour.
func hourly(e study.Estimate) study.Estimate { return study.NewEstimate(e.Interval().Times(3600)) }

// perHourly formats an estimate per second as an amount per hour.
func perHourly(e study.Estimate) string {
	return money(hourly(e), false)
}

// gains formats a difference per second as a signed amount per hour.
func gains(e study.Estimate) string { return plus(float64(e.Mean)) + perHourly(e) }

// Head says which numbers settings were tuned and tested on.
func (r *Tune) Head() []string {
	list := []string{text.OneLine(fmt.Sprintf("%s: %s, policy %s", r.Scenario, r.What, r.Policy))}
	part := func(p study.TunePart) string {
		words := text.Plural(int(p.Jobs+0.5), "job")
		if p.From != nil {
			words = fmt.Sprintf("%s to %s of the log (%s)", plainPercent(float64(*p.From)), plainPercent(float64(*p.To)), words)
		}
		return words
	}
	tuned := fmt.Sprintf("tuned on %s in %s", part(r.TunedOn), text.Plural(r.Runs, "run"))
	if r.TunedOn.Span > 0 {
		tuned += " of spans of " + text.Duration(float64(r.TunedOn.Span)) + " drawn from its weeks"
	}
	if r.Spent {
		tuned += ", which --runs or the default allow: the search was not finished"
	}
	n := r.TestedOn.Replications
	tested := "tested on " + part(r.TestedOn)
	switch {
	case r.Recorded != nil:
		tested += fmt.Sprintf(", %d histories drawn from its weeks%s", n, levelWords(float64(r.Level), n, true))
	case n > 1:
		tested += fmt.Sprintf(", %s of other random numbers%s", text.Plural(n, "replication"), levelWords(float64(r.Level), n, false))
	default:
		tested += ", once, as it happened: no intervals"
	}
	return append(list, tuned, tested)
}

// Answer says what tuning brings.
func (r *Tune) Answer() []string {
	var list []string
	level := fmt.Sprintf("%s $/h, %s of possible", perHourly(r.Before), percent(r.Efficiency.Interval()))
	switch {
	case r.Kept && r.Tried == nil:
		return []string{"Keep today's settings: no other ones gain. They earn " + level + "."}
	case r.Kept:
		return []string{fmt.Sprintf("Keep today's settings: nothing gains more than chance. The best that was found gains %s $/h on fresh numbers. "+
			"Today's earn %s.", gains(r.Tried.Gain), level)}
	}
	mean := 3600 * float64(r.Gain.Mean)
	certain := "not by chance"
	if low, _ := r.Gain.Interval().Bounds(); r.Recorded != nil {
		certain = "in nearly all histories"
	} else if !(low > 0) {
		certain = "perhaps by chance, but a rule is kept"
	}
	list = append(list, fmt.Sprintf("Tuned settings earn %s, %s: %s $/h instead of %s, %s of possible.", monthly(mean), certain,
		perHourly(r.After), perHourly(r.Before), percent(r.Efficiency.Interval())))
	if r.Recorded != nil {
		list = append(list, fmt.Sprintf("On the tested part exactly as it happened the gain is %s $/h.", gains(r.Recorded.Gain)))
	}
	return list
}

// settingRows is the table of the settings, its headings first.
func (r *Tune) settingRows() [][]string {
	rows := [][]string{{"setting", "from", "to", "turned back alone loses $/h", "flat from", "to"}}
	named := func(value string) string {
		if value == "" {
			return "-"
		}
		return text.OneLine(value)
	}
	for _, c := range r.Contributing {
		low, high := "", ""
		if c.Flat != nil {
			low, high = named(c.Flat[0]), named(c.Flat[1])
		}
		rows = append(rows, []string{text.OneLine(c.Setting), named(c.From), named(c.To), perHourly(c.Gain), low, high})
	}
	return rows
}

// policyRows is the table of other policies, its headings first.
func (r *Tune) policyRows() [][]string {
	rows := [][]string{{"policy", "earns $/h", "tuned earns more", "% of possible"}}
	name := r.Policy + ", tuned"
	if r.Kept {
		name = r.Policy + ", today"
	}
	rows = append(rows, []string{name, perHourly(r.After), "", share100(r.Efficiency)})
	for _, v := range r.Versus {
		rows = append(rows, []string{text.OneLine(v.Label), perHourly(v.Value), gains(v.Gain), share100(v.Efficiency)})
	}
	return rows
}

// share100 formats a share without the sign of per cent.
func share100(e study.Estimate) string { return strings.TrimSuffix(percent(e.Interval()), " %") }

// RuleLines say whether rules hold on fresh numbers.
func (r *Tune) RuleLines() []string {
	return text.Each(r.Rules, func(rule study.RuleResult) string {
		m, _ := metric.Lookup(rule.Measure)
		format := ratio
		switch m.Unit {
		case "s":
			format = seconds
		case "1":
			format = percentage
		}
		words := "holds"
		if !rule.Holds {
			words = "does not hold"
		}
		return fmt.Sprintf("%s %s: %s (today %s).", text.OneLine(rule.Rule), words, format(rule.After), format(rule.Before))
	})
}

// Shortfalls says which rules do not hold on fresh numbers.
func (r *Tune) Shortfalls() (list []string) {
	for _, rule := range r.Rules {
		if !rule.Holds && (!rule.Promise || rule.Held) {
			list = append(list, fmt.Sprintf("%s does not hold on the numbers of the test", text.OneLine(rule.Rule)))
		}
	}
	return list
}

// Next is the command that writes the settings.
func (r *Tune) Next() string {
	if r.Kept || r.Policy != "slurm" {
		return ""
	}
	return fmt.Sprintf("Next: revopt export slurm %s --policy '%s' -o DIR", text.OneLine(r.File), text.OneLine(r.Label))
}

// Table writes the result for a person to read.
func (r *Tune) Table(w io.Writer) {
	fmt.Fprintln(w, strings.Join(text.Each(r.Head(), wrapped), "\n"))
	fmt.Fprintf(w, "\n%s\n\n", strings.Join(text.Each(r.Answer(), wrapped), "\n"))
	if len(r.Contributing) > 0 {
		text.Align(w, r.settingRows(), 3)
		fmt.Fprintf(w, "between the last two values the loss is below the noise or %s\n\n", plainPercent(study.FlatShare))
	}
	text.Align(w, r.policyRows(), 1)
	for i, line := range append(r.RuleLines(), r.Next()) {
		if i == 0 {
			fmt.Fprintln(w)
		}
		if line != "" {
			fmt.Fprintln(w, line)
		}
	}
}

// Records yields a row for every setting, policy and rule.
func (r *Tune) Records(add func(cells ...any)) {
	add("kind", "name", "from", "to", "value_per_second", "half_width", "gain", "gain_half_width", "efficiency", "flat_from", "flat_to")
	none := study.Number(math.NaN())
	add("today", r.Policy, "", "", r.Before.Mean, r.Before.HalfWidth, none, none, none, "", "")
	add("tuned", r.Label, "", "", r.After.Mean, r.After.HalfWidth, r.Gain.Mean, r.Gain.HalfWidth, r.Efficiency.Mean, "", "")
	for _, v := range r.Versus {
		add("policy", v.Label, "", "", v.Value.Mean, v.Value.HalfWidth, v.Gain.Mean, v.Gain.HalfWidth, v.Efficiency.Mean, "", "")
	}
	for _, c := range r.Contributing {
		flat := [2]string{}
		if c.Flat != nil {
			flat = *c.Flat
		}
		add("setting", c.Setting, c.From, c.To, none, none, c.Gain.Mean, c.Gain.HalfWidth, none, flat[0], flat[1])
	}
	for _, rule := range r.Rules {
		add("rule", rule.Rule, rule.Before.Mean, rule.After.Mean, none, none, none, none, none, "", strconv.FormatBool(rule.Holds))
	}
}

// Provenance says where the numbers come from.
func (r *Tune) Provenance() text.Provenance {
	p := provenance(r.Version, r.Scenario, r.Command, r.Overrides, r.Warnings, "workload", r.What, "policy", r.Policy,
		"replications", strconv.Itoa(r.TestedOn.Replications))
	p.Seed = &r.Seed
	return p
}
