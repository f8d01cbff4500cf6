package report

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// explain sets the formula beside the simulation, of the scenario as it is its level and of
// changes the gain, and says how the bound moves.
func (v verdict) explain() string {
	bound := ""
	if after := float64(v.Bound.After); v.ChangeResult != v.all.Before && !math.IsNaN(after) {
		bound = fmt.Sprintf("the proven bound moves by %s to %s $/h",
			signedShort(float64(v.Bound.Difference.Mean)), text.Short(after))
		if v.Bound.Coarse {
			bound += " (coarse, as jobs are drawn)"
		}
	}
	if v.Formula == nil {
		return bound
	}
	simulated, says := v.Simulation.Difference, v.Formula.Difference()
	if v.ChangeResult == v.all.Before {
		simulated, says = v.Simulation.After, float64(v.Formula.After)
	}
	doubts := v.Doubts[:min(3, len(v.Doubts))]
	off := says - float64(simulated.Mean)
	words, link := fmt.Sprintf("believe the simulation: the formula says %s $/h, off by %s", text.Short(says), signedShort(off)), ", as "
	if math.IsNaN(says) {
		words, doubts = "believe the simulation: the formula has no answer", nil
		if v.Formula.Reason != nil {
			doubts = []study.Warning{*v.Formula.Reason}
		}
	} else if simulated.Interval().Contains(says) && !v.Once || off == 0 {
		words, link = fmt.Sprintf("the formula agrees (%s $/h)", text.Short(says)), ", although "
		if len(doubts) == 0 {
			words = fmt.Sprintf("believe the formula, which agrees (%s $/h): it has no sampling error, and its assumptions hold", text.Short(says))
		}
	}
	if len(doubts) > 0 {
		words += link + enumerate(text.Each(doubts, Sentence))
	}
	if bound != "" {
		words += "; " + bound
	}
	return words
}
