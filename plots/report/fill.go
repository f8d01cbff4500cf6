package report

import (
	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Fill gives a result its sentences: warnings, verdicts, what intervals cover. Call it before the result is
// printed as JSON.
func Fill(result any) {
	switch r := result.(type) {
	case *study.Result:
		wording.Tell(r.Warnings)
		r.Covers = wording.CoverWords(r.Drawn)
	}
}

// levelSuffix says what stands beside means, as the end of a sentence.
func levelSuffix(r *study.Result) string {
	return levelWords(float64(r.Level), r.Replications, r.Resampled != nil)
}

// levelWords says what stands beside means of replications, which may be spans.
func levelWords(level float64, replications int, resampled bool) string {
	switch {
	case resampled && replications < metric.SpreadLeast(level):
		return "; ranges show the minimum and maximum of the spans"
	case resampled:
		return "; " + text.PlainPercent(level) + " of the spans lie in the ranges"
	}
	return "; ± is " + text.PlainPercent(level) + " confidence"
}
