package report

import (
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/study/whatif"
)

// histories says in how many histories a change pays; "" where there are none. One whose units have no cost
// can only gain.
func (v verdict) histories() string {
	p := v.Pays
	if p == nil || v.ChangeResult == v.all.Before || v.ChangeResult == v.all.Recorded {
		return ""
	}
	in := fmt.Sprintf("in %d of %d histories", p.In, p.Of)
	if v.Small {
		return ", less " + in
	}
	unpriced := v.Unpriced()
	switch decision := p.Decision(); {
	case unpriced && decision == whatif.Undecided:
		return ", undecided before costs: gains " + in
	case unpriced:
		return ", before costs; gains " + in
	case decision == whatif.ItPays:
		return ", it pays " + in
	case decision == whatif.DoesNotPay:
		return fmt.Sprintf(", it does not pay: it pays %s", in)
	}
	return ", undecided whether it pays: it does " + in
}

// payWords says whether a change pays after its costs: over histories, else by the interval of what is left of the gain.
func (v verdict) payWords() string {
	words := map[whatif.Decision]string{
		whatif.ItPays: "it pays", whatif.DoesNotPay: "it does not pay", whatif.Undecided: "undecided whether it pays",
	}[v.Decision()]
	if p := v.Pays; p != nil {
		words += fmt.Sprintf(" (in %d of %d histories)", p.In, p.Of)
	}
	return words
}

// historyLine says which histories decide; nil where there are none.
func (r *WhatIf) historyLine() []string {
	h := r.Histories
	if h == nil {
		return nil
	}
	if r.Objective != "" {
		return []string{fmt.Sprintf("%d histories of %s drawn from the %d weeks of the log say how often it is less",
			h.Count, text.Duration(float64(h.Span)), h.Weeks)}
	}
	return []string{fmt.Sprintf("it pays or not by %d histories of %s drawn from the %d weeks of the log; 95 %% of them decide",
		h.Count, text.Duration(float64(h.Span)), h.Weeks)}
}
