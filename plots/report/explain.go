package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// explain says which method to believe and why, and how the bound moves.
func (v verdict) explain() string {
	var clauses []string
	if v.Formula != nil {
		clauses = append(clauses, v.belief())
	}
	if bound := v.bound(); bound != "" {
		clauses = append(clauses, bound)
	}
	return strings.Join(clauses, "; ")
}

// explainBefore says how far the formula is off on the scenario as it is, and why.
func explainBefore(c *study.ChangeResult) string {
	if c.Formula == nil {
		return ""
	}
	e, formula := c.Simulation.After, float64(c.Formula.After)
	reasons := enumerate(mainDoubts(c))
	switch {
	case math.IsNaN(formula):
		return "the formula has no answer, as " + reason(c)
	case e.Interval().Contains(formula) && !c.Once:
		words := fmt.Sprintf("the formula agrees (%s)", text.Short(formula))
		if reasons != "" {
			words += ", although " + reasons
		}
		return words
	case reasons == "":
		return fmt.Sprintf("the formula says %s", text.Short(formula))
	}
	return fmt.Sprintf("the formula says %s, off by %s, as %s", text.Short(formula), signedShort(formula-float64(e.Mean)), reasons)
}

// belief says which method to believe and why.
func (v verdict) belief() string {
	d, f := v.Simulation.Difference, v.Formula.Difference()
	single := math.IsInf(float64(d.HalfWidth), 0) // one replication
	scale := math.Max(math.Abs(float64(v.Simulation.Before.Mean)), math.Abs(float64(v.Simulation.After.Mean)))
	off := math.Abs(f - float64(d.Mean))
	apart := (!d.Interval().Contains(f) || v.Once || single) && off > 1e-9*scale
	doubted := len(v.Doubts) > 0
	says := "the formula says " + signedShort(f)
	switch {
	case math.IsNaN(f):
		words := "believe the simulation, the only method with an answer: the formula has none, as " + reason(v.ChangeResult)
		if after := float64(v.Formula.After - v.Simulation.After.Mean); !math.IsNaN(after) {
			words += fmt.Sprintf("; after the change it says %s $/h, off by %s",
				text.Short(float64(v.Formula.After)), signedShort(after))
		}
		return words
	case v.same() && f == 0:
		return "formula and simulation agree"
	case single && !v.Once && v.all.Resampled:
		return "one span has no range to set against the formula, which says " + signedShort(f)
	case single && !v.Once:
		return "more replications would tell whether to believe the formula, which says " + signedShort(f)
	case v.OfPolicy:
		return "believe the simulation: the formula knows one order of service, whatever the policy"
	case apart && !doubted:
		more := ", with more replications"
		if v.all.Resampled {
			more = ""
		}
		return fmt.Sprintf("believe the simulation%s: %s, off by %s $/h for no reason known here", more, says, text.Short(off))
	case apart:
		words := fmt.Sprintf("believe the simulation: %s, off by %s $/h", says, text.Short(off)) + v.because("as")
		if exact := float64(v.Formula.Exact[1] - v.Formula.Exact[0]); math.Abs(exact-f) > off/4 {
			words += fmt.Sprintf(" (with penalties and graces counted job by job it says %s)", signedShort(exact))
		}
		return words
	case !doubted:
		return "believe the formula, which agrees (" + signedShort(f) + " $/h): it has no sampling error, and its assumptions hold"
	case !v.Seen() && v.all.Resampled:
		return "believe the range: spans differ by more than the change brings, and the formula, which says " + signedShort(f) +
			", does not decide" + v.because("as")
	case !v.Seen():
		return "more replications would tell, and not the formula: its " + signedShort(f) + " lies within that" + v.because("as")
	case v.Simulation.After.Interval().Contains(float64(v.Formula.After)):
		return "believe both: the formula agrees (" + signedShort(f) + " $/h)" + v.because("although")
	}
	// Right about the difference and wrong about both levels is luck.
	return "believe the simulation: the formula agrees (" + signedShort(f) + " $/h), but it matches the gain and not the levels" +
		v.because("as")
}

// because gives the reasons for doubts about the formula, after "as" or
// "although"; those that were given about the scenario as it is are not repeated.
func (v verdict) because(word string) string {
	about := func(doubt string) string { words, _, _ := strings.Cut(doubt, " ("); return words }
	shown, known := mainDoubts(v.ChangeResult), mainDoubts(v.all.Before)
	var more []string
	for _, d := range shown {
		if !slices.ContainsFunc(known, func(k string) bool { return about(k) == about(d) }) {
			more = append(more, d)
		}
	}
	above := "for the reasons above"
	if word == "although" {
		above = "despite the doubts above"
	}
	switch len(more) {
	case 0:
		return ", " + above
	case len(shown):
		return ", " + word + " " + enumerate(more)
	}
	return ", " + word + " " + enumerate(more) + ", and " + above
}

// mainDoubts returns the doubts about the formula that a verdict has room for.
func mainDoubts(c *study.ChangeResult) []string {
	var list []string
	for _, d := range c.Doubts[:min(3, len(c.Doubts))] {
		list = append(list, Sentence(d))
	}
	return list
}

// reason says why the formula has no answer.
func reason(c *study.ChangeResult) string {
	if c.Formula.Reason == nil {
		return ""
	}
	return Sentence(*c.Formula.Reason)
}

// bound says how the proven bound moves.
func (v verdict) bound() string {
	move, after := float64(v.Bound.Difference.Mean), float64(v.Bound.After)
	got := float64(v.Simulation.After.Mean)
	if math.IsNaN(after) {
		return ""
	}
	words := fmt.Sprintf("the proven bound moves by %s to %s $/h", signedShort(move), text.Short(after))
	if math.Abs(move) <= 1e-9*math.Abs(after) {
		words = fmt.Sprintf("the proven bound stays at %s $/h", text.Short(after))
	}
	if got >= 0 {
		words += ", of which this is " + text.Percent(got/after)
	}
	nodesAlone := v.BreakEven != nil && v.Nodes[1] > v.Nodes[0]
	if nodesAlone && v.Seen() && float64(v.Simulation.Difference.Mean) > math.Max(2*move, 0) {
		words += ": most of the gain makes up for what " + v.Policy + " loses, and another policy might earn it without the nodes"
	}
	return words
}
