package steering

import (
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
func Advice(a *steer.Advice) string {
	steered, static := a.Row(steer.RuleSteered).Label, short(a, a.Static)
	words := fmt.Sprintf("steering by %s adds %s to the best static rule, %s, in simulations", steered, added(a.Added), static)
	switch {
	case a.Steer:
		return words
	case !a.Reservations.Met:
		return Unmet(a.Reservations, steered) + fmt.Sprintf("; use the best static rule, %s, or change slurm.conf", static)
	}
	return words + ": less than 2 % beyond chance; use the static rule: revopt export slurm SCENARIO -o DIR --policy " +
		text.ShellWord(a.Static) + harm(a.Best())
}

// short returns the label of a rule without the settings that the cluster has today.
func short(a *steer.Advice, label string) string {
	today := strings.Split(a.Rows[0].Label, ":")
	parts := strings.Split(label, ":")
	kept := slices.DeleteFunc(parts[1:], func(part string) bool { return slices.Contains(today[1:], part) })
	return text.OneLine(strings.Join(append(parts[:1], kept...), ":"))
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
	if r.Cluster {
		return fmt.Sprintf("do not expect a simulated gain here: this cluster keeps nodes for waiting jobs and %s does not", policy)
	}
	return fmt.Sprintf("do not expect a simulated gain here: this cluster keeps no nodes for waiting jobs and %s does", policy)
}

// Line says with which line of slurm.conf the cluster has or has no reservations, and how to undo it.
func Line(r *steer.Reservations) string {
	does := "no reservations"
	if !r.Cluster {
		does = "reservations"
	}
	return fmt.Sprintf("for %s, in slurm.conf: SchedulerParameters=%s\n"+
		"then scontrol reconfigure; to undo: SchedulerParameters=%s", does, text.OneLine(r.Other), text.OneLine(r.Now))
}

// advice writes an advice: its answer, the rules, and the line of slurm.conf if the other setting is worth a thought.
func (p Pass) advice(w io.Writer) {
	a := p.Advice
	if a == nil {
		if r := p.Reservations; r != nil && !r.Met {
			fmt.Fprintf(w, "\n%s\n%s\n", Unmet(r, p.Policy), Line(r))
		}
		return
	}
	fmt.Fprintf(w, "\n%s\n", Advice(a))
	for i, row := range a.Rows {
		label := text.OneLine(row.Label)
		if i > 0 {
			label = short(a, row.Label)
		}
		fmt.Fprintf(w, "  %-8s %s: %s%s\n", row.Kind, label, perHour(row.Value, 2), harm(&row))
	}
	r := a.Reservations
	if !r.Known {
		fmt.Fprintln(w, "today: Slurm's defaults, as no --scontrol FILE has the settings of the cluster")
	}
	better := a.Changed != nil && a.Changed.Steer && a.Changed.Gain.Mean > a.Gain.Mean
	if better {
		without := "without reservations"
		if !r.Cluster {
			without = "with reservations"
		}
		fmt.Fprintf(w, "changed: %s steering adds %s to the best static rule\n", without, added(*a.Changed))
	}
	if better || !r.Met || !a.Steer && a.Best().Kind == steer.RuleStatic {
		fmt.Fprintln(w, Line(r))
	}
}
