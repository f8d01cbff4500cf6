package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// ranOn is where a policy runs, in a word for tables, by its word in JSON.
func ranOn(key string) string {
	return map[string]string{"slurm": "Slurm", "plugin": "plug-in", "research": "research"}[key]
}

// rival is a policy that a headline names.
type rival struct {
	runsOn, earns string
	name          string // of the change that brings it; "": its label
}

// bestLines name the best policy that Slurm can run, the best of all, how much more that
// brings, and whether this may be chance. Rivals are by label.
func bestLines(b study.Best, rivals map[string]rival, harm func(study.Harmful) string) []string {
	name := func(label string) string {
		words := text.OneLine(label)
		r, known := rivals[label]
		if !known { // the policy now, which was not asked for
			return words + ", the policy now"
		}
		words = cmp.Or(r.name, words)
		if r.runsOn != policy.Slurm.Key() {
			words += " (" + ranOn(r.runsOn) + ")"
		}
		return words + ", " + r.earns
	}
	more, chance := "", false
	a, than, earns := aim(""), "more", "Earns more by harm:"
	switch b.Unit {
	case plan.ObjectiveUnit(plan.ObjectiveWait):
		a, than, earns = plan.ObjectiveWait, "less", "Waits less by harm:"
	case plan.ObjectiveUnit(plan.ObjectiveSlowdown):
		a, than, earns = plan.ObjectiveSlowdown, "less", "Lower slowdown by harm:"
	}
	if d := b.Difference; a != "" && d != nil && d.Mean != 0 {
		more = a.amount(d.Negative(), !(d.HalfWidth > 0))
		chance = d.HalfWidth > 0 && !math.IsInf(float64(d.HalfWidth), 0) && d.Interval().Contains(0)
	} else if b.Difference != nil && b.Difference.Mean != 0 {
		scale, prefix := text.MoneyUnit(float64(b.Difference.Mean))
		gain := b.Difference.Interval().Times(scale)
		more = threeDigits(gain.Mean)
		if gain.HalfWidth > 0 && !math.IsInf(gain.HalfWidth, 0) { // else nothing says how much is chance
			more, chance = wording.Amount(gain, 1), gain.Contains(0)
		}
		more += " " + prefix + b.Unit
	}
	unharmed := ": "
	if len(b.Harmful) > 0 {
		unharmed = " without harm: "
	}
	runnable := "Best on Slurm"
	if b.Partial {
		runnable += " of those tried"
	}
	runnable += unharmed
	if b.Runnable == "" {
		runnable += "none of these."
	} else {
		runnable += name(b.Runnable) + "."
	}
	overall := "Best of all" + unharmed
	switch {
	case b.Runnable == b.Overall:
		overall += "the same"
	case more == "" && b.Difference != nil:
		overall += name(b.Overall) + ", which is no " + than
	case more == "":
		overall += name(b.Overall)
	case chance:
		overall += name(b.Overall) + ": " + more + " " + than + ", perhaps by chance"
	default:
		overall += name(b.Overall) + ": " + more + " " + than
	}
	return append([]string{runnable, overall + "."}, harmfulLines(b, earns, name, harm)...)
}

// harmOf says after the name of a policy how it harms a group most.
func harmOf(h study.Harmful) string { return ": " + HarmWords(h.Harm[0]) }

// mostHarmful is how many policies that harm somebody a headline names.
const mostHarmful = 2

// harmfulLines name the policies that earn more than the best one and harm somebody, with their worst harm.
func harmfulLines(b study.Best, words string, name func(label string) string, harm func(study.Harmful) string,
) []string {
	if len(b.Harmful) == 0 {
		return nil
	}
	for _, h := range b.Harmful[:min(len(b.Harmful), mostHarmful)] {
		words += " " + name(h.Label) + harm(h) + "."
	}
	if more := len(b.Harmful) - mostHarmful; more > 0 {
		words += fmt.Sprintf(" %d more.", more)
	}
	return []string{words}
}

// Best is the headline if there are several policies; see bestLines.
func (r *Report) Best() []string {
	policies, rivals := map[string]bool{}, map[string]rival{}
	scale, unit := r.money()
	for i, row := range r.Policies {
		if row.Policy.RunsOn != "" {
			policies[row.Policy.Label] = true
			earns := wording.Amount(r.delivered(i), scale) + " " + unit + ", " + wording.Percent(r.share(i)) +
				" of possible"
			rivals[row.Label] = rival{runsOn: row.Policy.RunsOn, earns: earns}
		}
	}
	if len(policies) < 2 || r.Validated.Objective != "" || !(r.share(0).Mean > 0) {
		return nil
	}
	return bestLines(r.Validated.Best, rivals, harmOf)
}

// Best is the headline if the policy changes; see bestLines.
func (r *WhatIf) Best() []string {
	rivals := map[string]rival{}
	for _, c := range r.listed() {
		if c.RunsOn != "" && (c == r.Before || c.Choice == whatif.ChoicePolicy && !c.Unlike) {
			earns := money(c.Simulation.After, r.Once) + " $/h"
			if a := aim(r.Objective); a != "" {
				earns = a.amount(c.Simulation.After, r.Once)
			}
			r := rival{runsOn: c.RunsOn, earns: earns}
			if c.Choice == whatif.ChoicePolicy && !strings.HasPrefix(c.Name, whatif.ChoicePolicy+"=") {
				r.name = text.OneLine(c.Name)
			}
			rivals[c.Policy] = r
		}
	}
	if len(rivals) < 2 {
		return nil
	}
	shown := r.shown()
	return bestLines(r.Result.Best, rivals, func(h study.Harmful) string {
		listed := func(c *whatif.ChangeResult) bool { return c.Policy == h.Label && c.Choice == whatif.ChoicePolicy }
		if slices.ContainsFunc(shown, listed) { // its verdict says it
			return ""
		}
		return harmOf(h)
	})
}
