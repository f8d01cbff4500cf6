package steering

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/study"
)

// Advice says in one line whether to steer. A simulated gain that the cluster cannot deliver is not promised.
func Advice(a *steer.Advice, from report.Typed) string {
	steered, static := a.Row(steer.RuleSteered).Label, short(a, *a.Best())
	words := fmt.Sprintf("steering by %s adds %s to the best static rule, %s, in simulations", steered, added(a.Added),
		static)
	if a.Exact {
		words += " that know run times"
	}
	switch {
	case a.Steer && a.GivesUp():
		return fmt.Sprintf("%s; these give up %s of the jobs, which start last here: expect less", words,
			text.Percent(float64(a.Row(steer.RuleSteered).NotRun)))
	case a.Steer:
		return words
	case !a.Reservations.Met:
		return Unmet(a.Reservations, steered) + "; use the best static rule, " + static + ", or " + Line(a.Reservations)
	}
	words += ": less than " + text.PlainPercent(steer.Worthwhile) + " beyond chance"
	if a.Best().Kind == steer.RuleToday {
		return words + "; keep today's settings"
	}
	command, make := from.Export(a.Static)
	if make != "" {
		make = " (" + make + ")"
	}
	return words + "; use the static rule: " + command + make + harm(a.Best())
}

// short names a rule without the settings that the cluster has today.
func short(a *steer.Advice, row steer.AdviceRow) string {
	today := strings.Split(a.Rows[0].Label, ":")
	parts := strings.Split(row.Label, ":")
	kept := slices.DeleteFunc(parts[1:], func(part string) bool { return slices.Contains(today[1:], part) })
	words := text.OneLine(strings.Join(append(parts[:1], kept...), ":"))
	switch {
	case row.Kind != steer.RuleStatic:
		return words
	case a.Reservations.Cluster:
		return words + " without reservations"
	}
	return words + " with reservations"
}

// added says what a rule adds, as in 7.2 ± 3.1 $/h (2.1 %).
func added(a steer.Added) string {
	words := perHour(a.Gain, 2)
	if share := 100 * float64(a.Share); !math.IsNaN(share) {
		words += fmt.Sprintf(" (%s %%)", text.Fixed(share, 1))
	}
	return words
}

// perHour formats an estimate in $/h.
func perHour(e study.Estimate, most int) string {
	return text.Estimate(float64(e.Mean)*metric.Hour, float64(e.HalfWidth)*metric.Hour, most) + " $/h"
}

// harm says whom a rule harms; "" if nobody.
func harm(row *steer.AdviceRow) string {
	if words := report.HarmLine(row.Harm); words != "" {
		return "; harm: " + words
	}
	return ""
}

// Unmet says that reservations of the cluster and of a policy differ.
func Unmet(r *steer.Reservations, policy string) string {
	const words = "do not expect a simulated gain here: this cluster keeps "
	if r.Cluster {
		return words + "nodes for waiting jobs and " + policy + " does not"
	}
	return words + "no nodes for waiting jobs and " + policy + " does"
}

// Line says with which line of slurm.conf the cluster has or has no reservations, and how to undo it.
func Line(r *steer.Reservations) string {
	does := "no reservations"
	if !r.Cluster {
		does = "reservations"
	}
	change := "write SchedulerParameters=" + text.OneLine(r.Other) + " into slurm.conf"
	if r.Other == "" { // Slurm does not read a line without a value
		change = "delete the line SchedulerParameters from slurm.conf"
	}
	return fmt.Sprintf("for %s %s, then scontrol reconfigure (to undo: %s)", does, change,
		cmp.Or(text.OneLine(r.Now), "without this line"))
}

// Opening says in one line whether to steer, before a run: by the advice if there is one. It is "" if there is nothing
// to say.
func Opening(a *steer.Advice, r *steer.Reservations, policy string, from report.Typed) string {
	switch {
	case a != nil:
		return Advice(a, from)
	case r != nil && !r.Met:
		return Unmet(r, policy) + "; " + Line(r)
	}
	return ""
}

// advice writes an advice: its answer, the rules, and the line of slurm.conf if the other setting is worth a thought.
func (p Pass) advice(w io.Writer) {
	if words := Opening(p.Advice, p.Reservations, p.Policy, p.From); words != "" && !p.Applied {
		fmt.Fprintf(w, "\n%s\n", words)
	}
	a := p.Advice
	if a == nil {
		return
	}
	for i, row := range a.Rows {
		label := text.OneLine(row.Label)
		if i > 0 {
			label = short(a, row)
		}
		fmt.Fprintf(w, "  %-8s %s: %s%s\n", row.Kind, label, perHour(row.Value, 2), harm(&row))
	}
	r := a.Reservations
	if !r.Known {
		fmt.Fprintln(w, "today: Slurm's defaults, as no --scontrol FILE has the settings of the cluster")
	}
	if a.Changed != nil && a.Changed.Steer && a.Changed.Gain.Mean > a.Gain.Mean {
		fmt.Fprintf(w, "changed: steering would add %s; %s\n", added(*a.Changed), Line(r))
	} else if r.Met && !a.Steer && a.Best().Kind == steer.RuleStatic {
		fmt.Fprintf(w, "static: %s\n", Line(r))
	}
}
