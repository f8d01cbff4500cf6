package report

import (
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// coverWords says what intervals cover, given the random part of a workload.
func coverWords(drawn string) string {
	switch drawn {
	case study.DrawnNothing:
		return "nothing is random: one replication is all there is, and it has no interval"
	case study.DrawnClasses:
		return "intervals cover the jobs that are drawn from the classes"
	case study.DrawnSpans:
		return "intervals are the range of spans drawn from the weeks and users of the trace: " +
			"they cover other jobs like these, but no trend, and do not shrink with replications"
	case study.DrawnLots:
		return "intervals cover the lots drawn for the jobs of the trace, not other jobs"
	case study.DrawnJobs:
		return "intervals cover the jobs that are drawn"
	}
	return ""
}

// Level says what stands beside means, as the end of a sentence.
func Level(r *study.Result) string {
	return levelWords(float64(r.Level), r.Replications, r.Resampled != nil)
}

// levelWords says what stands beside means, of so many replications of which
// resampled ones are spans.
func levelWords(level float64, replications int, resampled bool) string {
	switch {
	case resampled && replications < metric.SpreadLeast(level):
		return "; ranges show the minimum and maximum of the spans"
	case resampled:
		return "; " + plainPercent(level) + " of the spans lie in the ranges"
	}
	return "; ± is " + plainPercent(level) + " confidence"
}

// pairingWords says why differences of two results are paired or not.
func pairingWords(c *study.Contrast) string {
	switch c.Pairing {
	case study.PairedConstants:
		return "nothing is random in either, so that differences have no interval"
	case study.UnpairedOne:
		return "nothing is random in one of them, which is taken for exact"
	case study.UnpairedSeeds:
		return fmt.Sprintf("not paired: the seeds are %d and %d", c.A.Seed, c.B.Seed)
	case study.UnpairedJobs:
		return "not paired: the jobs are not the same"
	case study.UnpairedWindows:
		return "not paired: replications differ in length or warm-up"
	case study.PairedFirst:
		return "paired: replication k has the same jobs in both, for the first " + text.Plural(c.Replications, "replication")
	}
	return "paired: replication k has the same jobs in both"
}
