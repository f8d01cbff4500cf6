package report

import (
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

// aim is the words for an objective that is to be small; those for money are where they are used.
type aim string

// noun names the objective.
func (a aim) noun() string {
	if a == plan.ObjectiveWait {
		return "mean wait"
	}
	return "mean bounded slowdown"
}

// measure names what the objective is the mean of.
func (a aim) measure() string { return strings.TrimPrefix(a.noun(), "mean ") }

// seconds returns the unit of a wait in s after its number, "" for a slowdown.
func (a aim) seconds() string {
	if a == plan.ObjectiveWait {
		return " s"
	}
	return ""
}

// meaning says in a few words how policies are compared.
func (a aim) meaning() string {
	if a == plan.ObjectiveWait {
		return "compared by the mean wait, response less length: less is better"
	}
	return "compared by the mean bounded slowdown, max(1, response / max(length, 10 s)): less is better"
}

// unit returns the size and the name of the unit of numbers up to some size.
func (a aim) unit(largest float64) (size float64, name string) {
	if a == plan.ObjectiveWait {
		return text.TimeUnit(math.Abs(largest))
	}
	return 1, ""
}

// amount formats a mean with its interval and unit.
func (a aim) amount(e study.Estimate, once bool) string {
	size, name := a.unit(float64(e.Mean))
	words := money(study.NewEstimate(e.Interval().Times(1/size)), once)
	if name != "" {
		words += " " + name
	}
	return words
}

// number formats a number with its unit.
func (a aim) number(x float64) string {
	if a == plan.ObjectiveWait {
		return text.Duration(x)
	}
	return text.Short(x)
}
