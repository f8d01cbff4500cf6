package wording

import (
	"strings"
	"testing"

	"revopt/simulate/warn"
)

// TestSentence: words, scope and points.
func TestSentence(t *testing.T) {
	for want, w := range map[string]warn.Warning{
		"take care":                          {Kind: "other", Text: "take care"},
		"A: interrupted after 3 of 5 values": {Kind: warn.Interrupted, Names: []string{"value"}, Numbers: []float64{3, 5}, Scope: "A"},
		"the mean wait of a is infinite (load from 1 to 2, 3 of 9 values)":   {Kind: warn.InfiniteWait, Names: []string{"a"}, Where: &warn.Where{Path: "load", From: 1, To: 2, Points: 3, All: 9}},
		"a queue at 120 % of what the machine can serve has no steady state": {Kind: warn.NoFormulaSteady, Numbers: []float64{1.2}},
		"9 spans are too few for the range of 95 % of them (39 would do): ranges show minimum and maximum, where 80.0 % of further spans fall": {
			Kind: warn.FewSpans, Numbers: []float64{9, 0.95, 39}},
		"mean waits differ so much between replications that intervals of waits, and of money that depends on them, " +
			"contain the true mean less often than in 95 % of runs: use many more replications": {
			Kind: warn.Skewed, Numbers: []float64{2, 2, 0.95, 0}},
		"in 1 of 3 rows mean waits differ so much between replications that intervals of waits, and of money " +
			"that depends on them, contain the true mean less often than in 90 % of runs: replications of 40,000 jobs would do": {
			Kind: warn.Skewed, Numbers: []float64{1, 3, 0.9, 30001}},
		"arrivals do not look like a Poisson process (the day)": {Kind: warn.DoubtFit, Names: []string{"arrivals do not look like a Poisson process (the day, the week): more"}},
	} {
		if got := Sentence(w); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// A file may lack the names and numbers of a warning.
	for _, kind := range []string{warn.Interrupted, warn.Builds, warn.Fitted, warn.Levels, warn.UnprovenGap, warn.DoubtUnsettled} {
		if got := Sentence(warn.Warning{Kind: kind}); got == "" || strings.HasPrefix(got, kind+"[") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}
