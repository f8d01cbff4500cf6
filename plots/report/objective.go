package report

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/plan"
	"revopt/simulate/subject"
)

// delivers returns the headings of what policies deliver, and of bounds on it.
func (r *Report) delivers() (policies, bounds string) {
	if _, unit := r.money(); r.Validated.Objective == "" {
		return "value " + unit, "value " + unit
	}
	words := "bounded slowdown"
	if r.Validated.Objective == plan.ObjectiveWait {
		words = "mean wait, s"
	}
	return words, "least " + words
}

// reached is the efficiency of the i-th policy, or why it has none.
func (r *Report) reached(i int) string {
	mean := func(name string) float64 { return float64(r.Policies[i].Total.Get(name).Mean) }
	ran := mean("jobs_completed") / (mean("jobs_submitted") - mean("rejected_never_ran"))
	if r.Validated.Objective != "" && math.IsNaN(r.share(i).Mean) {
		return "ran " + wording.Share(ran) + " of the jobs"
	}
	return wording.Percent(r.share(i))
}

// smallest is Closest for an objective that is to be small.
func (r *Report) smallest() string {
	if math.IsNaN(r.share(0).Mean) {
		return "No policy ran every job, so none can be compared with the bound."
	}
	best, _ := r.best()
	goal := aim(r.Validated.Objective)
	measure, unit := goal.measure(), goal.seconds()
	words := fmt.Sprintf("%s comes closest: its mean %s is %s%s, and no policy that runs every job has less than "+
		"%s%s, %s of it",
		text.OneLine(r.Policies[0].Label), measure, wording.Amount(r.delivered(0), 1), unit,
		wording.Amount(best.Money, 1), unit, wording.Percent(r.share(0)))
	if len(r.Policies) > 1 && !math.IsNaN(r.share(1).Mean) && r.Policies[1].Policy.Name != subject.Recorded {
		words += "; the next is " + text.OneLine(r.Policies[1].Label) + " with " + wording.Amount(r.delivered(1), 1)
	}
	return words + "."
}

// smallForesight is Foresight for an objective that is to be small.
func (r *Report) smallForesight() []string {
	for _, b := range r.Validated.Bounds {
		found := float64(b.Found)
		if b.Limits != plan.UnpreemptedPolicies || !(found > 0) || math.IsInf(found, 1) {
			continue
		}
		goal := aim(r.Validated.Objective)
		amount := func(x float64) string { return text.Rounded(x) + goal.seconds() }
		return []string{fmt.Sprintf("With knowledge of the future, and whole jobs that run once, the least mean %s "+
			"is between %s and %s: the bound for such schedules, and a schedule that was found.",
			goal.measure(), amount(float64(b.Total)), amount(found))}
	}
	return nil
}
