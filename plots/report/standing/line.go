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
	if s == nil || s.Overall == nil && s.Simulated == nil {
		return ""
	}
	var list []string
	switch {
	case s.Simulated != nil && s.Today != nil:
		now := label(s.Simulated) + ", simulated, " + markAmount(s, s.Simulated)
		list = append(list, markWords(s, "today", s.Today, "recorded", now))
	case s.Today != nil:
		list = append(list, markWords(s, "today", s.Today, label(s.Today)))
	}
	list = append(list, policyWords(s)...)
	if s.Bound != nil {
		list = append(list, boundWords(s)+" "+markAmount(s, s.Bound))
	}
	return title(s, head) + ": " + strings.Join(list, ", ") + "."
}

// markWords say what a mark delivers, and more about it.
func markWords(s *study.Standing, words string, m *study.Mark, more ...string) string {
	more = append(more, longWait(m)...)
	return words + " " + markAmount(s, m) + " (" + strings.Join(more, "; ") + ")"
}

// policyWords say what the best policies deliver: the best that Slurm runs, and the best of all.
func policyWords(s *study.Standing) []string {
	if s.Overall == nil && s.Runnable == nil {
		return nil
	}
	best, among, harmless := "best", "", ""
	if s.Partial {
		among = " of these"
	}
	if s.Harmful != nil {
		harmless = " without harm"
	}
	var runnable []string
	if s.Runnable != nil {
		runnable = append(runnable, label(s.Runnable))
	}
	if s.Unsure {
		runnable = append(runnable, "perhaps by chance")
	}
	if s.Runnable != nil && s.Overall != nil && s.Runnable.Label == s.Overall.Label {
		return []string{markWords(s, best+among+harmless+", and it runs on Slurm,", s.Runnable, runnable...)}
	}
	list := []string{"none of these runs on Slurm"}
	if s.Runnable != nil {
		list[0] = markWords(s, best+" on Slurm"+among+harmless, s.Runnable, runnable...)
	}
	if s.Overall == nil {
		return list
	}
	name := label(s.Overall)
	if s.Overall.RunsOn != policy.Slurm.Key() {
		name += ", " + RanOn(s.Overall.RunsOn)
	}
	more := []string{name}
	if s.Tied {
		more = append(more, "perhaps by chance")
	}
	if !s.Partial {
		among = " of all"
	}
	return append(list, markWords(s, best+among+harmless, s.Overall, more...))
}

// label is the name of a mark, as tables have it.
func label(m *study.Mark) string { return text.Cut(text.OneLine(m.Label)) }

// title names what is compared, and its unit.
func title(s *study.Standing, head study.Head) string {
	words := "Value delivered"
	switch s.Quantity {
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
	words := "nothing exceeds"
	switch {
	case s.Quantity == plan.ObjectiveWait, s.Quantity == plan.ObjectiveSlowdown:
		words = "no policy has less than"
	case s.Bound.Label == plan.FluidRateBound: // of means alone
		words = "in the long run nothing exceeds"
	}
	return words
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
