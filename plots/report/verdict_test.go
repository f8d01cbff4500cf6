package report

import (
	"math"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/study"
)

// TestCost: break-even prices by hand.
func TestCost(t *testing.T) {
	for _, tt := range []struct {
		gain, half float64
		nodes      int
		cost       float64
		want       string
	}{
		{0.3, 0.05, 144, 0, "16 nodes pay for themselves below 0.300 ± 0.050 $/node-hour"},
		{0.3, 0.5, 144, 0, "16 nodes may pay for themselves below 0.30 ± 0.50 $/node-hour, or at no price"},
		{-0.0625, 0.03, 144, 0, "16 nodes do not pay at any price"},
		{0.5, 0.1, 120, 0, "to do without 8 nodes pays above 0.50 ± 0.10 $/node-hour"},
		{-0.09, 0.58, 120, 0, "to do without 8 nodes may pay at any price (above -0.09 ± 0.58 $/node-hour)"},
		{-0.5, 0.1, 120, 0, "to do without 8 nodes pays at any price"},
		{1.6, 0.8, 144, 0.2, "net of 0.2 $/node-hour 1.60 ± 0.80 $/h: it pays"},
		{-1.6, 0.8, 144, 0.4, "net of 0.4 $/node-hour -1.60 ± 0.80 $/h: it does not pay"},
		{0.16, 0.8, 144, 0.29, "net of 0.29 $/node-hour 0.16 ± 0.80 $/h: undecided"},
	} {
		c := &study.ChangeResult{Nodes: [2]int{128, tt.nodes}}
		e, cost := estimate(tt.gain, tt.half), study.Number(tt.cost)
		if c.BreakEven = &e; tt.cost > 0 {
			c.Net = &e
		}
		if got := (verdict{c, &study.WhatIfResult{Cost: &cost}}).cost(); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestSignedMoney: signs and ranges by hand.
func TestSignedMoney(t *testing.T) {
	low, high := study.Number(-199.4), study.Number(-187.2)
	for want, e := range map[string]study.Estimate{
		"-2.13": {Mean: -2.13}, "-1.60 ± 0.80": {Mean: -1.6, HalfWidth: 0.8}, "-195.7 (-199.4 to -187.2)": {Mean: -195.7, HalfWidth: 6.1, Low: &low, High: &high},
	} {
		if got := money(e, false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// pair returns a measure before and after, and the difference.
func pair(before, after, half float64) study.EstimatePair {
	return study.EstimatePair{Before: estimate(before, half), After: estimate(after, half), Difference: estimate(after-before, half)}
}

// TestVerdict: sentences by hand.
func TestVerdict(t *testing.T) {
	none := study.Number(math.NaN())
	unbound := study.BoundPair{Before: none, After: none}
	change := func(c study.ChangeResult) study.ChangeResult {
		c.Name, c.Bound, c.Admission.Name = "x=1", unbound, scenario.AdmitAll
		return c
	}
	order := study.Warning{Kind: study.DoubtOrder, Names: []string{"easy"}}
	for want, c := range map[string]study.ChangeResult{
		"no difference at all; formula and simulation agree": {Simulation: pair(5, 5, 0)},
		"earns 2.00 ± 0.50 $/h more (+40.0 %); believe the formula, which agrees (+2.10 $/h): it has no sampling error, and its assumptions hold": {
			Simulation: pair(5, 7, 0.5), Formula: study.FormulaPair{Before: 5, After: 7.1}},
		"no difference was seen (+0.200 ± 0.500 $/h); more replications would tell, and not the formula: its +0.125 lies within that, as it serves by urgency and not by easy": {
			Simulation: pair(5, 5.2, 0.5), Formula: study.FormulaPair{Before: 5, After: 5.125}, Doubts: []study.Warning{order}},
		"earns 3.00 $/h less (-60.0 %) on these very jobs; believe the simulation, with more replications: the formula says -1.00, off by 2.00 $/h for no reason known here": {
			Simulation: pair(5, 2, 0), Formula: study.FormulaPair{Before: 5, After: 4}, Once: true},
		"earns 2.00 ± 0.50 $/h more (+40.0 %); believe the simulation, the only method with an answer: the formula has none, as it has no admission that looks at the queue": {
			Simulation: pair(5, 7, 0.5), Formula: study.FormulaPair{Before: 5, After: none, Reason: &study.Warning{Kind: study.NoFormulaRule}}},
		"of a 95.0 % wait at most 10 min, where 90 % is promised: kept; no difference at all; formula and simulation agree": {
			Simulation: pair(5, 5, 0), OfPromises: true,
			Promises: []study.PromiseChange{{Name: "a", Within: 600, Level: 0.9, Before: estimate(0.95, 0), After: estimate(0.95, 0), Kept: "kept"}}},
	} {
		before := change(study.ChangeResult{Simulation: pair(5, 5, 0.5)})
		r := &study.WhatIfResult{Before: &before, Changes: []study.ChangeResult{change(c)}}
		if Fill(r); r.Changes[0].Verdict != want {
			t.Errorf("%s\nwant %s", r.Changes[0].Verdict, want)
		}
	}
	lead := &study.WhatIfResult{Changes: []study.ChangeResult{{Name: "a"}, {Name: "b"}}, Lead: &study.Lead{First: 1, Sure: true, Difference: estimate(2, 3)}}
	if got, want := leadWords(lead), "Most is earned after b, 2.0 ± 3.0 $/h more than after a, perhaps by chance"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
