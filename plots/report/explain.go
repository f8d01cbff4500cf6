package report

import (
	"fmt"
	"math"

	"revopt/internal/text"
)

// explain sets the formula beside the simulation and says how the bound moves. Of the
// scenario as it is the levels are compared, of changes the gains.
func (v verdict) explain() string {
	words, bound := "", ""
	simulated, says := v.Simulation.Difference, v.Formula.Difference()
	if v.ChangeResult == v.all.Before {
		if simulated = v.Simulation.After; v.Formula != nil {
			says = float64(v.Formula.After)
		}
	} else {
		bound = v.bound()
	}
	var doubts []string
	for _, d := range v.Doubts[:min(3, len(v.Doubts))] {
		doubts = append(doubts, Sentence(d))
	}
	off := says - float64(simulated.Mean)
	agrees := simulated.Interval().Contains(says) && !v.Once || off == 0
	switch {
	case v.Formula == nil:
		return bound
	case math.IsNaN(says):
		words = "believe the simulation: the formula has no answer"
		if v.Formula.Reason != nil {
			doubts = []string{Sentence(*v.Formula.Reason)}
		}
	case agrees && doubts == nil:
		words = fmt.Sprintf("believe the formula, which agrees (%s $/h): it has no sampling error, and its assumptions hold", text.Short(says))
	case agrees:
		words = fmt.Sprintf("the formula agrees (%s $/h)", text.Short(says))
	default:
		words = fmt.Sprintf("believe the simulation: the formula says %s $/h, off by %s", text.Short(says), signedShort(off))
	}
	link := ", as "
	if agrees {
		link = ", although "
	}
	if doubts != nil {
		words += link + enumerate(doubts)
	}
	if bound != "" {
		words += "; " + bound
	}
	return words
}

// bound says how the proven bound moves, and whether nodes only make up for losses of
// the policy.
func (v verdict) bound() string {
	move, after := float64(v.Bound.Difference.Mean), float64(v.Bound.After)
	if math.IsNaN(after) {
		return ""
	}
	words := fmt.Sprintf("the proven bound moves by %s to %s $/h", signedShort(move), text.Short(after))
	nodesAlone := v.BreakEven != nil && v.Nodes[1] > v.Nodes[0]
	if nodesAlone && v.Seen() && float64(v.Simulation.Difference.Mean) > math.Max(2*move, 0) {
		words += ": most of the gain makes up for what " + v.Policy + " loses, and another policy might earn it without the nodes"
	}
	return words
}
