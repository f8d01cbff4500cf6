package report

import (
	"revopt/internal/text"
	"revopt/plots/report/formula"
	"revopt/plots/wording"
	"revopt/simulate/subject"
)

// Headline says what the best policy delivers of the possible.
func (r *Report) Headline() *formula.Headline {
	scale, unit := r.money()
	h := &formula.Headline{Earns: wording.Amount(r.delivered(0), scale), Unit: unit, Of: "any policy",
		Admit: r.Closest()}
	best, ok := r.best()
	if ok {
		h.Possible = wording.Amount(best.Money, scale)
	}
	if ok && r.Validated.Objective == "" && r.Policies[0].Policy.Name != subject.Recorded && r.share(0).Mean > 0 {
		h.Admit = text.OneLine(r.Policies[0].Label) + " comes closest."
	}
	return h
}

// Rows is the table of policies, its headings first.
func (r *Report) Rows() [][]string { return r.policyTable().Rows() }
