package standing

import (
	"strings"

	"revopt/internal/text"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// Line is the first line of an answer by simulation: what is delivered today, by the best policy that the site
// can run, by the best of all, and what nothing can exceed; "" if nothing is compared.
func Line(s *study.Standing, head study.Head) string {
	if s == nil || s.Overall == nil && s.Change == nil && s.Simulated == nil {
		return ""
	}
	list := []string{}
	add := func(words string, m *study.Mark, more ...string) {
		if m != nil {
			more = append(more, longWait(m)...)
			list = append(list, words+" "+markAmount(s, m)+" ("+strings.Join(more, "; ")+")")
		}
	}
	if s.Simulated != nil {
		now := label(s.Simulated) + ", simulated, " + markAmount(s, s.Simulated)
		add("today", s.Today, "recorded", now)
	} else if s.Today != nil {
		add("today", s.Today, label(s.Today))
	}
	harmless := ""
	if s.Harmful != nil {
		harmless = " without harm"
	}
	among := ""
	if s.Partial {
		among = " of these"
	}
	if s.Change != nil {
		add("best change"+harmless, s.Change, label(s.Change))
	}
	same := s.Runnable != nil && s.Overall != nil && s.Runnable.Label == s.Overall.Label
	switch {
	case same:
		add("best"+among+harmless+", and it runs on Slurm,", s.Runnable, label(s.Runnable))
	case s.Runnable != nil:
		add("best on Slurm"+among+harmless, s.Runnable, label(s.Runnable))
	case s.Overall != nil:
		list = append(list, "none of these runs on Slurm")
	}
	if !same && s.Overall != nil {
		name := label(s.Overall)
		if s.Overall.RunsOn != policy.Slurm.Key() {
			name += ", " + RanOn(s.Overall.RunsOn)
		}
		more := []string{name}
		if s.Tied {
			more = append(more, "perhaps by chance")
		}
		best := "best of all"
		if s.Partial {
			best = "best" + among
		}
		add(best+harmless, s.Overall, more...)
	}
	if s.Bound != nil {
		list = append(list, boundWords(s)+" "+markAmount(s, s.Bound))
	}
	return title(s, head) + ": " + strings.Join(list, ", ") + "."
}

// label is the name of a mark, as tables have it.
func label(m *study.Mark) string { return text.Cut(text.OneLine(m.Label)) }

// title names what is compared, and its unit.
func title(s *study.Standing, head study.Head) string {
	words := "Value delivered"
	switch s.Quantity {
	case study.QuantityValue:
	case study.QuantityCharged:
		words = "Charged"
	case plan.ObjectiveWait:
		return "Mean wait"
	case plan.ObjectiveSlowdown:
		return "Mean bounded slowdown"
	}
	if head.Guessed != nil {
		words += " at guessed prices"
	}
	return words + ", " + s.Unit
}

// boundWords say before a bound what it means.
func boundWords(s *study.Standing) string {
	switch s.Quantity {
	case plan.ObjectiveWait, plan.ObjectiveSlowdown:
		return "no policy has less than"
	}
	if s.Bound.Label == plan.FluidRateBound { // of means alone
		return "in the long run nothing exceeds"
	}
	return "nothing exceeds"
}

// markAmount formats what a mark delivers.
func markAmount(s *study.Standing, m *study.Mark) string {
	x := float64(m.Amount.Mean)
	if s.Quantity == plan.ObjectiveWait {
		return text.Duration(x)
	}
	return text.Short(x)
}

// longWaits is a mean wait in s from which the first line tells it.
const longWaits = 86400

// longWait tells the mean wait if it is long.
func longWait(m *study.Mark) []string {
	if m.MeanWait == nil || *m.MeanWait < longWaits {
		return nil
	}
	return []string{"mean wait " + text.Duration(float64(*m.MeanWait))}
}

// RanOn is where a policy runs, in a word for tables, by its word in JSON.
func RanOn(key string) string {
	return map[string]string{"slurm": "Slurm", "plugin": "plug-in", "research": "research"}[key]
}
