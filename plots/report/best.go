package report

import (
	"math"

	"revopt/internal/text"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// ranOn is where a policy runs, in a word for tables, by its word in JSON.
func ranOn(key string) string {
	return map[string]string{"slurm": "Slurm", "plugin": "plug-in", "research": "research"}[key]
}

// rival is a policy that a headline names.
type rival struct{ runsOn, earns string }

// bestLines name the best policy that Slurm can run, the best of all, how much more that
// brings, and whether this may be chance.
func bestLines(b study.Best, of func(label string) rival) []string {
	best := func(label string) string {
		name, r := text.OneLine(label), of(label)
		if r.runsOn != policy.Slurm.Key() {
			name += " (" + ranOn(r.runsOn) + ")"
		}
		return name + ", " + r.earns
	}
	if b.Runnable == "" {
		return []string{"Best on Slurm: none of these.", "Best of all: " + best(b.Overall) + "."}
	}
	first, second := "Best on Slurm: "+best(b.Runnable)+".", "Best of all: the same."
	if b.Runnable != b.Overall {
		second = "Best of all: " + best(b.Overall)
		gain := b.Difference.Interval()
		scale, prefix := text.MoneyUnit(gain.Mean)
		switch gain = gain.Times(scale); {
		case gain.Mean == 0:
			second += ", which is no more."
		case gain.HalfWidth == 0 || math.IsInf(gain.HalfWidth, 0): // nothing says how much is chance
			second += ": " + threeDigits(gain.Mean) + " " + prefix + b.Unit + " more."
		case gain.Contains(0):
			second += ": " + amount(gain, 1) + " " + prefix + b.Unit + " more, perhaps by chance."
		default:
			second += ": " + amount(gain, 1) + " " + prefix + b.Unit + " more."
		}
	}
	return []string{first, second}
}

// Best is the headline if there are several policies; see bestLines.
func (r *Report) Best() []string {
	policies := map[string]bool{}
	for _, row := range r.Policies {
		if row.Policy.RunsOn != "" {
			policies[row.Policy.Label] = true
		}
	}
	if len(policies) < 2 || !(r.share(0).Mean > 0) {
		return nil
	}
	scale, unit := r.money()
	return bestLines(r.Validated.Best, func(label string) (best rival) {
		for i, row := range r.Policies {
			if row.Label == label {
				best = rival{row.Policy.RunsOn, amount(r.delivered(i), scale) + " " + unit + ", " +
					percent(r.share(i)) + " of possible"}
			}
		}
		return best
	})
}

// Best is the headline if the policy changes; see bestLines.
func (r *WhatIf) Best() []string {
	rows := map[string]*study.ChangeResult{}
	for _, c := range r.listed() {
		if c.RunsOn != "" && (c == r.Before || c.Choice == study.ChoicePolicy) {
			rows[c.Policy] = c
		}
	}
	if len(rows) < 2 {
		return nil
	}
	return bestLines(r.WhatIfResult.Best, func(label string) rival {
		c := rows[label]
		return rival{c.RunsOn, money(c.Simulation.After, r.Once) + " $/h"}
	})
}
