package report

import (
	"math"

	"revopt/simulate/subject"
)

// delivers returns the headings of what policies deliver, and of bounds on it.
func (r *Report) delivers() (policies, bounds string) {
	if _, unit := r.money(); r.Validated.Objective == "" {
		return "delivers " + unit, "value " + unit
	}
	words := said("objective-"+r.Validated.Objective, nil)
	return words, "least " + words
}

// reached is the efficiency of the i-th policy, or why it has none.
func (r *Report) reached(i int) string {
	of := func(name string) float64 { return float64(r.Policies[i].Total.Get(name).Mean) }
	ran := of("jobs_completed") / (of("jobs_submitted") - of("rejected_never_ran"))
	if r.Validated.Objective != "" && math.IsNaN(r.share(i).Mean) {
		return said("ran", ran)
	}
	return percent(r.share(i))
}

// smallest is Closest for an objective that is to be small.
func (r *Report) smallest() string {
	best, _ := r.best()
	amounts := func(i int) string { return amount(r.delivered(i), 1) }
	facts := struct {
		Objective, First, Got, Share, Least, Next, NextGot string
		None                                               bool
	}{r.Validated.Objective, r.Policies[0].Label, amounts(0), percent(r.share(0)), amount(best.Money, 1), "", "",
		math.IsNaN(r.share(0).Mean)}
	if len(r.Policies) > 1 && !math.IsNaN(r.share(1).Mean) && r.Policies[1].Policy.Name != subject.Recorded {
		facts.Next, facts.NextGot = r.Policies[1].Label, amounts(1)
	}
	return said("smallest", facts)
}
