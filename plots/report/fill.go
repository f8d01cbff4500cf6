package report

import (
	"fmt"
	"math"
	"slices"
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
		r.Covers = coverWords[r.Drawn]
		fillVerdicts(r)
	case *study.Result:
		tell(r.Warnings)
		r.Covers = coverWords[r.Drawn]
		if v := r.Validated; v != nil {
			fillProves(v, v.Bounds)
			for _, p := range v.Points {
				fillProves(v, p.Bounds)
			}
			v.Closest.Text = (&Report{r}).Closest()
		}
	}
}

// coverWords says what intervals cover, by the random part of a workload.
var coverWords = map[string]string{
	study.DrawnNothing: "nothing is random: one replication is all there is, and it has no interval",
	study.DrawnClasses: "intervals cover the jobs that are drawn from the classes",
	study.DrawnSpans: "intervals are the range of spans drawn from the weeks and users of the trace: " +
		"they cover other jobs like these, but no trend, and do not shrink with replications; " +
		"on the SDSC SP2 such ranges held the revenue of the next 13 weeks about half of the time, and the mean wait always",
	study.DrawnLots: "intervals cover the lots drawn for the jobs of the trace, not other jobs",
	study.DrawnJobs: "intervals cover the jobs that are drawn",
}

// levelSuffix says what stands beside means, as the end of a sentence.
func levelSuffix(r *study.Result) string {
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

// Sentence returns a warning as a sentence without a period.
func Sentence(w study.Warning) string {
	if w.Text != "" {
		return w.Text
	}
	words := kindWords(w)
	if w.Scope != "" {
		words = w.Scope + ": " + words
	}
	if at := w.Where; at != nil {
		words += fmt.Sprintf(" (%s from %.6g to %.6g, %d of %d values)", at.Path, at.From, at.To, at.Points, at.All)
	}
	return words
}

// warningWords are the words of the warnings, and the clauses of the doubts about the
// formula, that need no number. NAMES stands for the names.
var warningWords = map[string]string{
	study.WarnFloor:           "the linear utility ignores max_penalty of NAMES; solve --utility exact counts it",
	study.WarnPatient:         "no customer loses anything by lateness (decay, hard): policies can differ little in money",
	study.WarnUnlimited:       "a late job of NAMES can cost more than it pays, without limit: state max_penalty (none accepts it)",
	study.WarnExpiry:          "the analytic model ignores expiry: every admitted job of NAMES waits until it is served",
	study.WarnPromise:         "the optimum ignores the promised waits (slo) of NAMES; solve --utility exact keeps them",
	study.WarnProviderWaiting: "the analytic results let any number of jobs wait, provider NAMES does not",
	study.WarnScaled:          "prices, graces and penalties of NAMES that scale with a job's length enter by their means",
	study.WarnApproximate: "the waits of several real servers are approximate; " +
		"simulate --admission promise keeps promises on the simulator",
	study.WarnApproximateTail: "the tails of real servers are approximate, and exact only for exponential lengths of one mean",
	study.WarnPooled:          "the exact utility is that of one pooled server: residual NAMES does not apply",
	study.WarnWaitExpiry:      "waits are those without expiry: every admitted job of NAMES waits until it is served",
	study.WarnUnprovenExact: "not proven to be the optimum: the exact utility allows only a bound, " +
		"this is the best of several local searches",
	study.WarnUnprovenMultiserver: "not proven to be the optimum: the multiserver approximation allows no proof, " +
		"this is the best of many local searches",
	study.WarnUnprovenLocal: "not proven to be the optimum: conjugate gradients are a local search, use --method certified",
	study.WarnEdge: "the optimum lies at the edge of stability: in this model only the server's capacity limits admission, " +
		"and waits explode there",
	study.WarnInfiniteWait: "the mean wait of NAMES is infinite",
	study.WarnEndlessWait:  "more is admitted than can be served: the waits of NAMES grow without end",
	study.WarnInstant:      "all jobs arrive at one instant: $/h depends on how long a policy takes, so compare totals in $ (validate prints them)",
	study.WarnRanks:        "hol ranks customers by decay over length, as stated or as the trace has it on average",
	study.WarnUnpriced: "no job of the trace has a price, so the choices of NAMES mean nothing: " +
		"give classes with prices, or qos",
	study.WarnOneReplication: "one replication has no confidence interval, use --replications",
	study.WarnWarmup: "the pilot runs are too short to tell the warm-up, half of each replication is left out; " +
		"use --jobs or --horizon",
	study.WarnOverload: "NAMES: more is admitted than the cluster can serve and jobs do not expire, " +
		"so the queue grows for ever: waits and revenue depend on the length of the run",
	study.WarnNoModel: "no model bound: NAMES",
	study.WarnStream: "one result is of a stream of jobs and the other of finitely many: " +
		"amounts in all cannot be compared",
	study.DoubtShared:   "it knows no nodes that jobs share, as NAMES does",
	study.DoubtOrder:    "it serves by urgency and not by NAMES",
	study.DoubtArrivals: "arrivals of NAMES are not Poisson",
	study.DoubtWaiting:  "it lets any number of jobs wait",
	study.DoubtWide:     "jobs of NAMES are wider than half the machine",
	study.DoubtFloor:    "it ignores the largest penalty of jobs",
	study.DoubtExpiry:   "it ignores that jobs expire",
	study.NoFormulaRule: "it has no admission that looks at the queue",
}

// kindWords returns the words of a kind of warning. Names and numbers that a file lacks
// are empty and NaN.
func kindWords(w study.Warning) string {
	names := strings.Join(w.Names, ", ")
	if words, ok := warningWords[w.Kind]; ok {
		return strings.ReplaceAll(words, "NAMES", names)
	}
	name := func(i int) string { return slices.Concat(w.Names, []string{"", "", ""})[i] }
	x := func(i int) float64 { return slices.Concat(w.Numbers, []float64{math.NaN(), math.NaN(), math.NaN()})[i] }
	switch w.Kind {
	case study.WarnInterrupted:
		return fmt.Sprintf("interrupted after %.0f of %s", x(0), text.Plural(int(x(1)), name(0)))
	case study.WarnBuilds:
		return fmt.Sprintf("A is of %s, B of %s", name(0), name(1))
	case study.WarnFitted:
		return "the formulas are those of " + fittedWords(int(x(0))) + ", with Poisson arrivals (revopt trace fit)"
	case study.WarnUnprovenGap:
		return "not proven to within " + strconv.FormatFloat(100*x(0), 'f', -1, 64) + " %: the search for a proof was stopped"
	case study.WarnWholeNodes:
		return fmt.Sprintf("%s jobs at a time are no whole number of nodes: the load of the simulated %.0f nodes is %s",
			text.Plain(x(0)), x(1), text.Plain(x(2)))
	case study.WarnTooWide:
		return fmt.Sprintf("jobs of class %s that need %s nodes are rejected, the cluster has %.0f", names, text.Plain(x(0)), x(1))
	case study.WarnOtherMachine:
		return fmt.Sprintf("%s was recorded on %s, the scenario has %.0f (trace.nodes)", name(0), text.Plural(int(x(0)), text.Unit(name(1))), x(1))
	case study.WarnDemand:
		return fmt.Sprintf("class %s: at this price %s times as many jobs would come; "+
			"the trace has no more jobs, so a lower price adds none",
			names, text.Rounded(x(0)))
	case study.WarnUnrecorded:
		return "the schedule of the log (recorded) is left out: " + names
	case study.WarnOvercommitted:
		return fmt.Sprintf("the log uses up to %s at a time of a machine with %.0f: recorded may earn more than the bound",
			text.Plural(int(x(0)), text.Unit(name(0))), x(1))
	case study.WarnOthers:
		return text.Plural(int(x(0)), "job") + " of the trace belong to no class: they are served and pay nothing"
	case study.WarnGrowth:
		return fmt.Sprintf("growth of %s divides the times between arrivals by %s, which shrinks the daily cycle too",
			plainPercent(x(0)), text.Plain(1+x(0)))
	case study.WarnUnmatched:
		return unmatched(name(0), name(1), name(2))
	case study.WarnFewSpans:
		n := x(0)
		return fmt.Sprintf("%.0f spans are too few for the range of %s of them (%.0f would do): "+
			"ranges show minimum and maximum, where %s of further spans fall",
			n, plainPercent(x(1)), x(2), text.Percent((n-1)/(n+1)))
	case study.WarnPrecision:
		return fmt.Sprintf("%.0f replications do not make the interval of %s as narrow as %s of its mean",
			x(0), names, plainPercent(x(1)))
	case study.WarnSkewed:
		rows, advice := "", "use many more replications"
		if x(0) < x(1) {
			rows = fmt.Sprintf("in %.0f of %.0f rows ", x(0), x(1))
		}
		if x(3) > 0 {
			size := math.Pow(10, math.Floor(math.Log10(x(3))))
			advice = fmt.Sprintf("replications of %s jobs would do", text.Fixed(math.Ceil(x(3)/size)*size, 0))
		}
		return fmt.Sprintf("%smean waits differ so much between replications that intervals of waits, and of money "+
			"that depends on them, contain the true mean less often than in %s of runs: %s",
			rows, plainPercent(x(2)), advice)
	case study.WarnBoundGap:
		return fmt.Sprintf("the %s bound may be up to %s above the optimum of its own problem: efficiencies are understated by as much",
			names, text.Percent(x(0)))
	case study.WarnLenient:
		free := "qos.penalty is 0"
		if names != "" {
			free = names + " has no decay"
		}
		return "late results lose nothing where deadlines are soft (" + free + "): " +
			"however long a policy puts such jobs off, they deliver their whole value"
	case study.WarnLevels:
		return fmt.Sprintf("intervals of A are of %s confidence and those of B of %s; those of differences are of that of A",
			plainPercent(x(0)), plainPercent(x(1)))
	case study.DoubtUnsettled:
		return fmt.Sprintf("at %s of the machine a queue takes about %s to settle and jobs come for %s only",
			text.Percent(x(0)), text.Duration(x(1)), text.Duration(x(2)))
	case study.DoubtFit:
		words, _, _ := strings.Cut(names, ": ")
		if first, _, ok := strings.Cut(words, ", "); ok { // one sign is enough
			words = first + ")"
		}
		return words
	case study.DoubtWideWork:
		return text.Percent(x(0)) + " of the work is in jobs wider than half the machine"
	case study.NoFormulaSteady:
		return fmt.Sprintf("a queue at %s of what the machine can serve has no steady state", plainPercent(math.Round(1000*x(0))/1000))
	}
	return w.String()
}

// unmatched says that no job of a trace belongs to a class.
func unmatched(class, trace, why string) string {
	words := fmt.Sprintf("classes.%s.of matches no job of %s", class, trace)
	switch why {
	case study.UnmatchedRest:
		return fmt.Sprintf("no job of %s is left for class %s", trace, class)
	case study.UnmatchedGenerated:
		words += ": generated jobs have no users, groups or queues"
	}
	return words
}

// tell gives warnings their sentences.
func tell(list []study.Warning) {
	for i := range list {
		list[i].Text = Sentence(list[i])
	}
}
