package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/report/standing"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// rival is a policy that a headline names.
type rival struct {
	runsOn, earns string
	name          string // of the change that brings it; "": its label
}

// harmfulLines name the policies that are better than the best one and harm somebody, with their worst harm. Rivals are
// by label.
func harmfulLines(b study.Best, rivals map[string]rival, harm func(study.Harmful) string) []string {
	if len(b.Harmful) == 0 {
		return nil
	}
	name := func(label string) string {
		words := text.OneLine(label)
		r, known := rivals[label]
		if !known { // the policy now, which was not asked for
			return words + ", the policy now"
		}
		words = cmp.Or(r.name, words)
		if r.runsOn != policy.Slurm.Key() {
			words += " (" + standing.RanOn(r.runsOn) + ")"
		}
		return words + ", " + r.earns
	}
	words := "Delivers more, with harm:"
	switch b.Unit {
	case plan.ObjectiveUnit(plan.ObjectiveWait):
		words = "Waits less, with harm:"
	case plan.ObjectiveUnit(plan.ObjectiveSlowdown):
		words = "Lower slowdown, with harm:"
	}
	for _, h := range b.Harmful[:min(len(b.Harmful), mostHarmful)] {
		words += " " + name(h.Label) + harm(h) + "."
	}
	if more := len(b.Harmful) - mostHarmful; more > 0 {
		words += fmt.Sprintf(" %d more.", more)
	}
	return []string{words}
}

// harmOf says after the name of a policy how it harms a group most.
func harmOf(h study.Harmful) string { return ": " + HarmWords(h.Harm[0]) }

// mostHarmful is how many policies that harm somebody a headline names.
const mostHarmful = 1

// rivals are the policies that a headline may name, by label; nil if the policy does not change.
func (r *WhatIf) rivals() map[string]rival {
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
	return rivals
}

// harmful is the line on policies that deliver more by harm.
func (r *WhatIf) harmful() []string {
	rivals := r.rivals()
	if rivals == nil {
		return nil
	}
	shown := r.shown()
	return harmfulLines(r.Result.Best, rivals, func(h study.Harmful) string {
		listed := func(c *whatif.ChangeResult) bool { return c.Policy == h.Label && c.Choice == whatif.ChoicePolicy }
		if slices.ContainsFunc(shown, listed) { // its verdict says it
			return ""
		}
		return harmOf(h)
	})
}
