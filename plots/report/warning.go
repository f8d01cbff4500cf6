package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

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
	case study.WarnWholeNodes:
		return fmt.Sprintf("%s jobs at a time are no whole number of nodes: the load of the simulated %.0f nodes is %s",
			text.Plain(x(0)), x(1), text.Plain(x(2)))
	case study.WarnTooWide:
		return fmt.Sprintf("jobs of class %s that need %s nodes are rejected, the cluster has %.0f", names, text.Plain(x(0)), x(1))
	case study.WarnOtherMachine:
		return fmt.Sprintf("%s was recorded on %s, the scenario has %.0f (trace.nodes)", names, text.Plural(int(x(0)), "node"), x(1))
	case study.WarnDemand:
		return fmt.Sprintf("class %s: at this price %s times as many jobs would come; the trace has no more jobs, so a lower price adds none",
			names, text.Rounded(x(0)))
	case study.WarnOthers:
		return text.Plural(int(x(0)), "job") + " of the trace belong to no class: they are served and pay nothing"
	case study.WarnGrowth:
		return fmt.Sprintf("growth of %s divides the times between arrivals by %s, which shrinks the daily cycle too",
			plainPercent(x(0)), text.Plain(1+x(0)))
	case study.WarnUnmatched:
		return unmatched(name(0), name(1), name(2))
	case study.WarnRanks:
		return "hol ranks customers by decay over length, as stated or as the trace has it on average"
	case study.WarnOneReplication:
		return "one replication has no confidence interval, use --replications"
	case study.WarnFewSpans:
		n := x(0)
		return fmt.Sprintf("%.0f spans are too few for the range of %s of them (%.0f would do): ranges show minimum and maximum, where %s of further spans fall",
			n, plainPercent(x(1)), x(2), text.Percent((n-1)/(n+1)))
	case study.WarnPrecision:
		return fmt.Sprintf("%.0f replications do not make the interval of %s as narrow as %s of its mean", x(0), names, plainPercent(x(1)))
	case study.WarnWarmup:
		return "the pilot runs are too short to tell the warm-up, half of each replication is left out; use --jobs or --horizon"
	case study.WarnOverload:
		return names + ": more is admitted than the cluster can serve and jobs do not give up, so the queue grows for ever: " +
			"waits and revenue depend on the length of the run"
	case study.WarnNoModel:
		return "no model bound: " + names
	case study.WarnBoundGap:
		return fmt.Sprintf("the %s bound may be up to %s above the optimum of its own problem: efficiencies are understated by as much",
			names, text.Percent(x(0)))
	case study.WarnLenient:
		free := "qos.penalty is 0"
		if names != "" {
			free = names + " has no decay"
		}
		return "late results lose nothing where deadlines are soft (" + free + "): however long a policy puts such jobs off, they deliver their whole value"
	case study.WarnLevels:
		return fmt.Sprintf("intervals of A are of %s confidence and those of B of %s; those of differences are of that of A",
			plainPercent(x(0)), plainPercent(x(1)))
	case study.WarnStream:
		return "one result is of a stream of jobs and the other of finitely many: amounts in all cannot be compared"
	}
	return doubtWords(w)
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
