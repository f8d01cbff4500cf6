package report

import "revopt/simulate/study"

// Fill gives a result its sentences: warnings, verdicts, what intervals cover. All
// other fields are facts of package study. It is to be called before the result is
// printed as JSON.
func Fill(result any) {
	switch r := result.(type) {
	case *study.Answer:
		tell(r.Warnings)
	case *study.Curve:
		tell(r.Warnings)
	case *study.WaitAnswer:
		tell(r.Warnings)
	case *study.Contrast:
		Fill(r.A)
		Fill(r.B)
		tell(r.Warnings)
		r.Why = pairingWords(r)
	case *study.WhatIfResult:
		tell(r.Warnings)
		r.Covers = coverWords(r.Drawn)
		fillVerdicts(r)
	case *study.Result:
		tell(r.Warnings)
		r.Covers = coverWords(r.Drawn)
		if v := r.Validated; v != nil {
			fillProves(v, v.Bounds)
			for _, p := range v.Points {
				fillProves(v, p.Bounds)
			}
			v.Closest.Text = (&Report{r}).Closest()
		}
	}
}
