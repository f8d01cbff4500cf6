package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

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
		return "; ranges go from the least to the largest span"
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

// Sentence returns a warning as a sentence without a period.
func Sentence(w study.Warning) string {
	if w.Text != "" {
		return w.Text
	}
	words := warningWords(w)
	if w.Scope != "" {
		words = w.Scope + ": " + words
	}
	if at := w.Where; at != nil {
		words += fmt.Sprintf(" (%s from %.6g to %.6g, %d of %d values)", at.Path, at.From, at.To, at.Points, at.All)
	}
	return words
}

// facts returns the names of a warning together, each name and each number; those
// that a file lacks are empty and NaN.
func facts(w study.Warning) (names string, name func(int) string, number func(int) float64) {
	name = func(i int) string {
		if i < len(w.Names) {
			return w.Names[i]
		}
		return ""
	}
	number = func(i int) float64 {
		if i < len(w.Numbers) {
			return w.Numbers[i]
		}
		return math.NaN()
	}
	return strings.Join(w.Names, ", "), name, number
}

// warningWords returns the words of a kind of warning.
func warningWords(w study.Warning) string {
	names, name, x := facts(w)
	switch w.Kind {
	case study.WarnInterrupted:
		return fmt.Sprintf("interrupted after %.0f of %s", x(0), text.Plural(int(x(1)), name(0)))
	case study.WarnBuilds:
		return fmt.Sprintf("A is of %s, B of %s", name(0), name(1))
	case study.WarnFitted:
		return "the formulas are those of " + Fitted(int(x(0))) + ", with Poisson arrivals (revopt trace fit)"
	case study.WarnFloor:
		return "the linear utility ignores the floor (largest penalty) of " + names + "; solve --utility exact counts it"
	case study.WarnExpiry:
		return "the analytic model ignores expiry: every admitted job of " + names + " waits until it is served"
	case study.WarnPromise:
		return "the optimum ignores the promised waits (slo) of " + names + "; solve --utility exact keeps them"
	case study.WarnProviderWaiting:
		return "the analytic results let any number of jobs wait, provider " + names + " does not"
	case study.WarnScaled:
		return "prices, graces and floors of " + names + " that scale with a job's length enter by their means"
	case study.WarnApproximate:
		return "the waits of several real servers are approximate; simulate --admission promise keeps promises on the simulator"
	case study.WarnApproximateTail:
		return "the tails of real servers are approximate, and exact only for exponential lengths of one mean"
	case study.WarnPooled:
		return "the exact utility is that of one pooled server: residual " + names + " does not apply"
	case study.WarnWaitExpiry:
		return "waits are those without expiry: every admitted job of " + names + " waits until it is served"
	case study.WarnUnprovenExact:
		return "not proven to be the optimum: the exact utility allows only a bound, " +
			"this is the best of several local searches"
	case study.WarnUnprovenMultiserver:
		return "not proven to be the optimum: the multiserver approximation allows no proof, " +
			"this is the best of many local searches"
	case study.WarnUnprovenLocal:
		return "not proven to be the optimum: conjugate gradients are a local search, use --method certified"
	case study.WarnUnprovenGap:
		return "not proven to within " + strconv.FormatFloat(100*x(0), 'f', -1, 64) + " %: the search for a proof was stopped"
	case study.WarnEdge:
		return "the optimum lies at the edge of stability: in this model only the server's capacity limits admission, " +
			"and waits explode there"
	case study.WarnInfiniteWait:
		return "the mean wait of " + names + " is infinite"
	case study.WarnEndlessWait:
		return "more is admitted than can be served: the waits of " + names + " grow without end"
	case study.WarnLevels:
		return fmt.Sprintf("intervals of A are of %s confidence and those of B of %s; those of differences are of that of A",
			plainPercent(x(0)), plainPercent(x(1)))
	case study.WarnStream:
		return "one result is of a stream of jobs and the other of finitely many: amounts in all cannot be compared"
	}
	return doubtWords(w)
}

// doubtWords returns the clause of a kind of doubt about the formula.
func doubtWords(w study.Warning) string {
	names, _, x := facts(w)
	switch w.Kind {
	case study.DoubtUnsettled:
		return fmt.Sprintf("at %s of the machine a queue takes about %s to settle and jobs come for %s only",
			text.Percent(x(0)), text.Duration(x(1)), text.Duration(x(2)))
	case study.DoubtShared:
		return "it knows no nodes that jobs share, as " + names + " does"
	case study.DoubtOrder:
		return "it serves by urgency and not by " + names
	case study.DoubtFit:
		words, _, _ := strings.Cut(names, ": ")
		if first, _, ok := strings.Cut(words, ", "); ok { // one sign is enough
			words = first + ")"
		}
		return words
	case study.DoubtWideWork:
		return text.Percent(x(0)) + " of the work is in jobs wider than half the machine"
	case study.DoubtArrivals:
		return "arrivals of " + names + " are not Poisson"
	case study.DoubtWaiting:
		return "it lets any number of jobs wait"
	case study.DoubtWide:
		return "jobs of " + names + " are wider than half the machine"
	case study.DoubtFloor:
		return "it ignores the largest penalty of jobs"
	case study.DoubtExpiry:
		return "it ignores that jobs give up"
	case study.DoubtGrace:
		return "it takes graces off the mean wait and not job by job"
	case study.DoubtPooled:
		return fmt.Sprintf("it takes a machine for %.3g jobs at a time for one fast server", x(0))
	case study.DoubtPrinted:
		return "its delays are those printed in the paper, which overstate"
	case study.NoFormulaRule:
		return "it has no admission that looks at the queue"
	case study.NoFormulaSteady:
		return fmt.Sprintf("a queue at %s of what the machine can serve has no steady state", plainPercent(math.Round(1000*x(0))/1000))
	}
	return w.String()
}

// tell gives warnings their sentences.
func tell(list []study.Warning) {
	for i := range list {
		list[i].Text = Sentence(list[i])
	}
}
