package steering

import (
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/slurm/steer"
)

// Advice says in one line whether to steer.
func Advice(a *steer.Advice) string {
	steered := a.Rows[len(a.Rows)-1].Label
	gain := text.Estimate(float64(a.Gain.Mean), float64(a.Gain.HalfWidth), 3)
	share := ""
	if float64(a.Share) == float64(a.Share) { // it is a number
		share = fmt.Sprintf(" (%s %%)", text.Fixed(100*float64(a.Share), 1))
	}
	words := fmt.Sprintf("steering by %s adds %s $/s%s to the best static rule, %s, in simulations", steered, gain, share,
		a.Static)
	if a.Steer {
		return words
	}
	return words + ": less than " + text.PlainPercent(steer.Worthwhile) + " beyond chance; use the static rule: " +
		"revopt export slurm SCENARIO -o DIR --policy " + text.ShellWord(a.Static)
}
