package wording

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/warn"
)

// Sentence returns a warning as a sentence without a period.
func Sentence(w warn.Warning) string {
	if w.Text != "" {
		return w.Text
	}
	words := warningWords(gaps{w})
	if words == "" {
		words = w.String()
	}
	if w.Scope != "" {
		words = w.Scope + ": " + words
	}
	if at := w.Where; at != nil {
		words += fmt.Sprintf(" (%s from %.6g to %.6g, %d of %d values)", at.Path, at.From, at.To, at.Points, at.All)
	}
	return words
}

// Tell gives every warning of a list its sentence.
func Tell(list []warn.Warning) {
	for i := range list {
		list[i].Text = Sentence(list[i])
	}
}

// gaps is a warning as its words use it. Names and numbers that a file lacks are "" and NaN.
type gaps struct{ warn.Warning }

// list returns all names, separated by commas.
func (g gaps) list() string { return strings.Join(g.Names, ", ") }

func (g gaps) name(i int) string {
	if i < len(g.Names) {
		return g.Names[i]
	}
	return ""
}

func (g gaps) number(i int) float64 {
	if i < len(g.Numbers) {
		return g.Numbers[i]
	}
	return math.NaN()
}

// whole returns a number without decimals.
func (g gaps) whole(i int) string { return fmt.Sprintf("%.0f", g.number(i)) }

func (g gaps) plain(i int) string { return text.Plain(g.number(i)) }

// share returns a fraction as a percentage without needless decimals.
func (g gaps) share(i int) string { return text.PlainPercent(g.number(i)) }

func (g gaps) percent(i int) string { return text.Percent(g.number(i)) }

// jobs counts jobs.
func (g gaps) jobs(i int) string { return g.count(i, "job") }

func (g gaps) count(i int, thing string) string { return text.Plural(int(g.number(i)), thing) }

// some enumerates the names from an index on. If there are too many, it counts the last.
func (g gaps) some(from, most int) string {
	names := append([]string(nil), g.Names[min(from, len(g.Names)):]...)
	if more := len(names) - most; more > 1 {
		names = append(names[:most], fmt.Sprintf("%d others", more))
	}
	return Enumerate(names)
}

// warningWords returns the words of a kind of warning, "" for an unknown kind.
func warningWords(g gaps) string {
	for _, words := range []func(gaps) string{
		resultWarning, modelWarning, proofWarning, machineWarning, logWarning, intervalWarning, boundWarning,
		formulaDoubt,
	} {
		if sentence := words(g); sentence != "" {
			return sentence
		}
	}
	return ""
}

// resultWarning is about a whole result, or two of them.
func resultWarning(g gaps) string {
	switch g.Kind {
	case warn.Interrupted:
		return fmt.Sprintf("interrupted after %s of %s", g.whole(0), g.count(1, g.name(0)))
	case warn.Builds:
		return fmt.Sprintf("A is of %s, B of %s", g.name(0), g.name(1))
	case warn.Levels:
		return fmt.Sprintf("intervals of A are of %s confidence and those of B of %s; those of differences are of "+
			"that of A", g.share(0), g.share(1))
	case warn.Stream:
		return "one result is of a stream of jobs and the other of finitely many: amounts in all cannot be compared"
	}
	return ""
}

// modelWarning is about what the formulas leave out.
func modelWarning(g gaps) string {
	switch g.Kind {
	case warn.Fitted:
		return "the formulas are those of " + FittedWords(int(g.number(0))) +
			", with Poisson arrivals (revopt trace fit)"
	case warn.Floor:
		return "the linear utility ignores max_penalty of " + g.list() + "; solve --utility exact counts it"
	case warn.Expiry:
		return "the analytic model ignores expiry: every admitted job of " + g.list() + " waits until it is served"
	case warn.Promise:
		return "the optimum ignores the promised waits (slo) of " + g.list() + "; solve --utility exact keeps them"
	case warn.ProviderWaiting:
		return "the analytic results let any number of jobs wait, provider " + g.list() + " does not"
	case warn.Overflow:
		return "the analytic results leave every job in its pool, also in " + g.list() + ", which overflows"
	case warn.IdlePool:
		return "no jobs come to pool " + g.list() + ": the analytic results leave it out"
	case warn.Scaled:
		return "prices, graces and penalties of " + g.list() + " that scale with a job's length enter by their means"
	case warn.Approximate:
		return "the waits of several real servers are approximate; tune --over admission --keep slo keeps promises " +
			"on the simulator"
	case warn.ApproximateTail:
		return "the tails of real servers are approximate, and exact only for exponential lengths of one mean"
	case warn.Pooled:
		return "the exact utility is that of one pooled server: residual " + g.list() + " does not apply"
	case warn.WaitExpiry:
		return "waits are those without expiry: every admitted job of " + g.list() + " waits until it is served"
	}
	return ""
}

// proofWarning is about an optimum that is not proven, or lies where waits explode.
func proofWarning(g gaps) string {
	switch g.Kind {
	case warn.UnprovenExact:
		return "not proven to be the optimum: the exact utility allows only a bound, this is the best of several " +
			"local searches"
	case warn.UnprovenMultiserver:
		return "not proven to be the optimum: the multiserver approximation allows no proof, this is the best of " +
			"many local searches"
	case warn.UnprovenLocal:
		return "not proven to be the optimum: conjugate gradients are a local search, use --method certified"
	case warn.ModelCut:
		return fmt.Sprintf("the fitted model predicts %s %s, more than the proven bound allows: the prediction is cut "+
			"at the bound, to %s %s", text.Short(g.number(0)), g.name(0), text.Short(g.number(1)), g.name(0))
	case warn.UnprovenGap:
		rounded := strconv.FormatFloat(100*g.number(0), 'g', 12, 64) // 100 * 1e-6 is not quite 0.0001
		hundredths, _ := strconv.ParseFloat(rounded, 64)
		return "not proven to within " + strconv.FormatFloat(hundredths, 'f', -1, 64) +
			" %: the search for a proof was stopped"
	case warn.Edge:
		return "the optimum lies at the edge of stability: in this model only the server's capacity limits " +
			"admission, and waits explode there"
	case warn.InfiniteWait:
		return "the mean wait of " + g.list() + " is infinite"
	case warn.EndlessWait:
		return "more is admitted than can be served: the waits of " + g.list() + " grow without end"
	}
	return ""
}

// machineWarning is about jobs that do not suit the machine or its pools.
func machineWarning(g gaps) string {
	switch g.Kind {
	case warn.WholeNodes:
		return fmt.Sprintf("%s jobs at a time are no whole number of nodes: the load of the simulated %s nodes is %s",
			g.plain(0), g.whole(1), g.plain(2))
	case warn.TooWide:
		return fmt.Sprintf("jobs of class %s that need %s nodes are rejected, the cluster has %s",
			g.list(), g.plain(0), g.whole(1))
	case warn.NoPool:
		return "no pool takes " + g.jobs(0) + " of the trace, so they are rejected: a last pool without `of` would " +
			"take them"
	case warn.TwoPools:
		return fmt.Sprintf("several pools would take %s, such as %s and %s: the first has them", g.jobs(0), g.name(0),
			g.name(1))
	case warn.MixedUnits:
		return fmt.Sprintf("pools with different units, such as %s and %s, are listed by %s: such a job runs only "+
			"in pools with the unit of the first", g.name(0), g.name(1), g.jobs(0))
	case warn.WiderThanPool:
		return fmt.Sprintf("pool %s rejects %s wider than its %s",
			g.name(0), g.jobs(0), g.count(1, text.Unit(g.name(1))))
	case warn.NoPrice:
		return fmt.Sprintf("%s of %s pay nothing in pool %s: its price names other pools", g.jobs(0), g.name(0),
			g.name(1))
	case warn.OtherMachine:
		field := "trace.nodes"
		if g.name(2) != "" {
			field = g.name(2)
		}
		return fmt.Sprintf("%s was recorded on %s, the scenario has %s (%s)",
			g.name(0), g.count(0, text.Unit(g.name(1))), g.whole(1), field)
	case warn.OtherWidths:
		return fmt.Sprintf("widths of jobs are those %s: by the widths %s the work of the log is %s times as much "+
			"(trace.width=%[2]s)", g.name(0), g.name(1), text.Rounded(g.number(1)/g.number(0)))
	case warn.NoStart:
		return g.jobs(0) + " of the log ran without a start: left out"
	}
	return ""
}

// logWarning is about customers, prices and settings of a log.
func logWarning(g gaps) string {
	switch g.Kind {
	case warn.Patient:
		return "no customer loses anything by lateness (decay, hard): policies can differ little in money"
	case warn.Unlimited:
		return "a late job of " + g.list() + " can cost more than it pays, without limit: state max_penalty (none " +
			"accepts it)"
	case warn.Demand:
		return fmt.Sprintf("class %s: at this price %s times as many jobs would come; the trace has no more jobs, "+
			"so a lower price adds none", g.list(), text.Rounded(g.number(0)))
	case warn.Others:
		return g.jobs(0) + " of the trace belong to no class: they are served and pay nothing"
	case warn.Growth:
		return fmt.Sprintf("growth of %s divides the times between arrivals by %s, which shrinks the daily cycle too",
			g.share(0), text.Plain(1+g.number(0)))
	case warn.Unmatched:
		return unmatched(g.name(0), g.name(1), g.name(2))
	case warn.Ranks:
		return "hol ranks customers by decay over length, as stated or as the trace has it on average"
	case warn.Instant:
		return "all jobs arrive at one instant: $/h depends on how long a policy takes, so compare totals in $ " +
			"(validate prints them)"
	case warn.Unpriced:
		return "no job of the trace has a price, so the choices of " + g.list() +
			" mean nothing: give classes with prices, or qos"
	case warn.Unread:
		verb := "are"
		if g.number(0) == 1 {
			verb = "is"
		}
		return fmt.Sprintf("%s: %s %s not simulated: %s", g.name(0), g.count(0, "setting"), verb, g.some(1, 6))
	case warn.NoParents:
		return g.name(0) + ": no column ParentName: all accounts are taken as children of root"
	case warn.Unrecorded:
		return "the schedule of the log (recorded) is left out: " + g.list()
	case warn.Overcommitted:
		machine := "a machine"
		if g.name(1) != "" {
			machine = "pool " + g.name(1)
		}
		return fmt.Sprintf("the log uses up to %s at a time of %s with %s: recorded may deliver more than the bound",
			g.count(0, text.Unit(g.name(0))), machine, g.whole(1))
	}
	return ""
}

// unmatched says why no job of a trace belongs to a class.
func unmatched(class, trace, why string) string {
	if why == warn.UnmatchedRest {
		return "no job of " + trace + " is left for class " + class
	}
	words := "classes." + class + ".of matches no job of " + trace
	if why == warn.UnmatchedGenerated {
		words += ": generated jobs have no users, groups or queues"
	}
	return words
}

// intervalWarning is about intervals that are missing, wide or too narrow.
func intervalWarning(g gaps) string {
	switch g.Kind {
	case warn.Once:
		return "nothing is random: one run is made, not the " + g.whole(0) + " that are asked for"
	case warn.Failed:
		return fmt.Sprintf("policy %s is left out: it failed in replication %s", text.OneLine(g.name(0)), g.whole(0))
	case warn.OneReplication:
		return "one replication has no confidence interval, use --replications"
	case warn.NoSpans:
		return "the tested part of the log has no interval: " + g.list()
	case warn.FewSpans:
		spans := g.number(0)
		return fmt.Sprintf("%s spans are too few for the range of %s of them (%s would do): "+
			"ranges show minimum and maximum, where %s of further spans fall",
			g.whole(0), g.share(1), g.whole(2), text.Percent((spans-1)/(spans+1)))
	case warn.Precision:
		return fmt.Sprintf("%s replications do not make the interval of %s as narrow as %s of its mean",
			g.whole(0), g.list(), g.share(1))
	case warn.Skewed:
		return skewed(g)
	case warn.Overload:
		machine := "the cluster"
		if g.name(1) != "" {
			machine = "pool " + g.name(1)
		}
		row := g.name(0) + ": "
		switch {
		case g.name(0) != "":
		case g.number(0) < g.number(1):
			row = fmt.Sprintf("in %s of %s rows ", g.whole(0), g.whole(1))
		default:
			row = ""
		}
		return fmt.Sprintf("%smore is admitted than %s can serve and jobs do not expire, so the queue grows as long "+
			"as jobs arrive: waits and losses by delay grow with the length of the run, and more jobs settle nothing",
			row, machine)
	}
	return ""
}

// skewed says that intervals of waits cover too rarely, and what would help.
func skewed(g gaps) string {
	rows := ""
	if g.number(0) < g.number(1) {
		rows = fmt.Sprintf("in %s of %s rows ", g.whole(0), g.whole(1))
	}
	remedy := "use many more replications"
	if jobs := g.number(3); jobs > 0 {
		size := math.Pow(10, math.Floor(math.Log10(jobs))) // rounded up to one digit
		remedy = fmt.Sprintf("replications of %s jobs would do", text.Fixed(math.Ceil(jobs/size)*size, 0))
	}
	return fmt.Sprintf("%smean waits differ so much between replications that intervals of waits, and of money "+
		"that depends on them, contain the true mean less often than in %s of runs: %s", rows, g.share(2), remedy)
}

// boundWarning is about bounds.
func boundWarning(g gaps) string {
	switch g.Kind {
	case warn.NoModel:
		return "no model bound: " + g.list()
	case warn.BoundGap:
		return fmt.Sprintf("the %s bound may be up to %s above the optimum of its own problem: efficiencies are "+
			"understated by as much", g.list(), g.percent(0))
	case warn.Lenient:
		soft := "qos.penalty is 0"
		if g.list() != "" {
			soft = g.list() + " has no decay"
		}
		return fmt.Sprintf("late results lose nothing where deadlines are soft (%s): however long a policy puts "+
			"such jobs off, they deliver their whole value", soft)
	}
	return ""
}

// formulaDoubt is a clause on why the formula of a what-if may be off.
func formulaDoubt(g gaps) string {
	switch g.Kind {
	case warn.DoubtUnsettled:
		return fmt.Sprintf("at %s of the machine a queue takes about %s to settle and jobs come for %s only",
			g.percent(0), text.Duration(g.number(1)), text.Duration(g.number(2)))
	case warn.DoubtShared:
		return "it knows no nodes that jobs share, as " + g.list() + " does"
	case warn.DoubtOrder:
		return "it serves by urgency and not by " + g.list()
	case warn.DoubtFit:
		return firstSign(g.list())
	case warn.DoubtWideWork:
		return g.percent(0) + " of the work is in jobs wider than half the machine"
	case warn.DoubtArrivals:
		return "arrivals of " + g.list() + " are not Poisson"
	case warn.DoubtWaiting:
		return "it lets any number of jobs wait"
	case warn.DoubtWide:
		return "jobs of " + g.list() + " are wider than half the machine"
	case warn.DoubtFloor:
		return "it ignores the largest penalty of jobs"
	case warn.DoubtExpiry:
		return "it ignores that jobs expire"
	case warn.DoubtOutages:
		return "it leaves out the outages"
	case warn.NoFormulaRule:
		return "it has no admission that looks at the queue"
	case warn.NoFormulaSteady:
		tenths := text.PlainPercent(math.Round(1000*g.number(0)) / 1000)
		return "a queue at " + tenths + " of what the machine can serve has no steady state"
	}
	return ""
}

// firstSign shortens a doubt about fitted classes to its first sign.
func firstSign(doubt string) string {
	words, _, _ := strings.Cut(doubt, ": ")
	if first, _, ok := strings.Cut(words, ", "); ok {
		words = first + ")"
	}
	return words
}
