package answer

import "revopt/internal/text"

// Codes returns all headlines and warnings. A sentence has the names of its values in braces. A part in brackets is
// left out where one of its values does not exist. The sentence of a warning has no period.
func Codes() []Code { return text.Join(codeParts(), func(p codePart) []Code { return p.codes }) }

// codePart is a part of the codes, as the document has them.
type codePart struct {
	title string
	codes []Code
}

func codeParts() []codePart {
	return []codePart{
		{"Comparisons", headlines()},
		{"The benchmark", scores()},
		{"Admissions by formulas", advices()},
		{"Comparisons: warnings", comparisons()},
		{"Searches", searches()},
		{"Whole answers", wholes()},
		{"What formulas leave out", models()},
		{"Proofs", proofs()},
		{"Jobs and the machine", machines()},
		{"Customers, prices and settings of a log", logs()},
		{"Pools, and the schedule of a log", pools()},
		{"Intervals", intervals()},
		{"Bounds", limits()},
		{"Scenario files", scenarios()},
		{"Logs, and files made of them", found()},
	}
}

// headlines are those of comparisons.
func headlines() []Code {
	return []Code{
		{"BEST_WITHOUT_HARM", "Best without harm[ on {runs_on}]: {policy}, {value}[, {gain+} over the simulated present ({present})]" +
			"[, perhaps by chance: {chance}].", "A policy delivers most among those that harm nobody.", ""},
		{"PRESENT_IS_BEST", "Nothing without harm[ on {runs_on}] is better than the present, {policy}: {value}" +
			"[, {share} of the bound].",
			"The best row without harm is the present.", ""},
		{"EXTREMES", "{most} has the largest {objective}, {largest}[; {least} has the least, {smallest}].",
			"Policies are compared and none is recommended: simulate never does, and validate does beside the policy in use.", ""},
		{"ONE_POLICY", "{policy} delivers {value}[, {share} of the bound].", "One policy was run.", ""},
		{"BEST_AT_POINTS", "{policy} is best by {objective} at {won} of {points} points.",
			"Policies are compared at every point of a sweep.", ""},
		{"SWEEP_STATUS", "{finished} of {points} points are finished, with {records} records.",
			"A sweep is under way, or finished.", ""},
		{"BEST_CHANGE", "Best without harm[ on {runs_on}]: {change}, {gain+}[, {net+} after costs][, {before}]" +
			"[, and needs {needs} as a plug-in][, perhaps by chance: {chance}].",
			"A change gains most, after its costs, among those that harm nobody. Changes that the scheduler of the site can make " +
				"come before those that need a plug-in.", ""},
		{"NO_WINNER", "All that is better than the present harms a group of jobs.",
			"All better rows make a group of jobs wait much longer.",
			"See the table affected (--explain)."},
		{"NOTHING_DONE", "No replication was finished.", "The run was stopped before the first replication ended.",
			"Run it again with --journal, for longer."},
		{"TUNED", "Best: {policy}, {value}, {gain} better than today" +
			"[, perhaps by chance: {chance}].", "A search found what delivers more in a test.", ""},
		{"KEEPS_RULES", "{policy} keeps more of the rules, {value}: {gain+} against today.",
			"A search found what breaks fewer rules and costs value.", ""},
		{"KEEP_SETTINGS", "Keep {policy}, {value}: nothing else gains beyond chance within the rules.",
			"A search found nothing that delivers more in its test.", ""},
	}
}

// advices are headlines and warnings of the admission that a formula finds best.
func advices() []Code {
	return []Code{
		{"BEST_ADMISSION", "Use {what}: {checked}, checked by simulation[; the formula says {value}]" +
			"[; admitting all delivers {all}].", "The advice of the formula is not worse than any other admission that was tried.", ""},
		{"ADMIT_ALL", "Admit all jobs: {checked}, checked by simulation[; the formula says {value}].",
			"The formula refuses nobody.", ""},
		{"BY_FORMULA", "The formula alone, unchecked, says {value} for {what}[, of at most {bound}].",
			"The advice is not simulated (--no-check), or the policy of the scenario is a program.", ""},
		{"DO_NOT_USE", "[{instead}: {tried}, simulated. ]Do not use {what}[: {checked}][; unchecked at {unchecked}].",
			"The simulated value of the formula's advice is below 0, or below that of the admission that is named.",
			"Use that admission. The table is that of the formula, not for use."},
		{"ALONG", "Along {path} the best admission delivers {least} to {most} by formula, most at {at}" +
			"[: {checked}, simulated][; unchecked at {unchecked}].", "solve --vary.",
			"--check simulates the admission at every value."},
		{"WAITS", "[Mean wait by the formula: {least} ({first})][ to {most} ({last})]" +
			"[; {share} of the jobs start within {soon}][ to {late}][All waits grow {endless}].", "solve --waits.", ""},
		{"TIED", "other admissions deliver the same; this one has most of the less urgent classes",
			"The optimum is not the only one.", "Any of them will do: choose by what the formulas leave out."},
	}
}

// scores are headlines of the benchmark.
func scores() []Code {
	return []Code{
		{"BENCH_SCORES", "{scored} of {rows} rows have a score[; {policy} on {instance} has the largest share, {share}].",
			"Policies were run on instances of the benchmark.", ""},
		{"BENCH_LIST", "Version {benchmark} of the benchmark: {instances} instances with proven bounds.",
			"The instances of the benchmark are listed.", ""},
		{"SCHEDULE_VALID", "A valid schedule of {instance}[: {value}][, {share} of the bound]; {not_run} jobs not run.",
			"A schedule was checked.", ""},
		{"SCHEDULE_INVALID", "Not a valid schedule of {instance}; faults: {faults}.",
			"A line of a schedule breaks a rule.", "See the table faults."},
	}
}

// comparisons are warnings of comparisons.
func comparisons() []Code {
	return []Code{
		{"NOT_COMPARED", "{policies} do not run all jobs, so their means are not compared",
			"A mean over a part of the jobs is no merit.", "Compare value."},
		{"BROKEN_PROMISE", "a promise that the present keeps is broken by {changes}",
			"Too few jobs are within the promised wait.",
			"See promise_kept of the table customers (--explain)."},
		{"IN_SAMPLE", "{changes}: the admission was searched on the very jobs that it is measured on",
			"A search on a log finds what suits this log.", "Check it on another log, or with --resample weeks."},
		{"INELASTIC", "{changes}: no demand is stated, so that no customer leaves when prices change",
			"A price changes.", "State demand of the class."},
		{"EXCLUDED", "{changes} exclude each other[: all together has {made}]",
			"A field has one value, a cluster one policy; priority= needs Slurm's own.",
			"State one of them by --set or --policy."},
	}
}

// searches are warnings of searches.
func searches() []Code {
	return []Code{
		{"RULE_BROKEN", "{rule} does not hold in the test: {reached}",
			"What a search found keeps the promise on the jobs that it was tuned on, and not on other jobs.",
			"Use more jobs."},
		{"SEARCH_SPENT", "the search ended after {runs} runs: a longer one may find more",
			"A search simulates at most about 20,000,000 jobs.", "Vary less, by --vary."},
		{"ONE_HISTORY", "settings were tuned on one history: expect less of other weeks",
			"The part of the log is too short to draw other histories from its weeks.", "Use a longer log."},
	}
}

// wholes are about a whole answer, or two of them.
func wholes() []Code {
	return []Code{
		{"INTERRUPTED",
			"interrupted after {done} of {wanted} {what}s",
			"The run was stopped before its end.",
			"Run it again with the same --journal."},
		{"FAILED",
			"policy {policy} is left out: it failed in replication {replication}",
			"A policy, mostly a program, ended with an error.",
			"Repair the policy; its message is on stderr."},
	}
}

// models are about what the formulas leave out.
func models() []Code {
	return []Code{
		{"FIT",
			"the formulas are those of classes fitted to the trace",
			"A queueing model needs job classes, and a log has none. Those that are fitted to it describe it badly in some respect.",
			"See revopt trace fit; trust the simulation rather than the formula."},
		{"IGNORED", "the formulas ignore {field}[ {residual}][ of {classes}][ of provider {provider}][ of pool {pools}]",
			"The scenario states what the formulas do not know.",
			"Trust the simulation. solve --utility exact counts max_penalty and graces."},
		{"APPROXIMATE",
			"the waits of several real servers are approximate[, and their tails exact only for {tails}]",
			"No exact formula is known for several servers and general lengths.",
			"Check by simulation: solve does so unless --no-check is given, solve --waits with --simulate."},
	}
}

// proofs are about an optimum that is not proven, or lies where waits explode.
func proofs() []Code {
	return []Code{
		{"UNPROVEN", "not proven to be the optimum[ to within {gap}]: {why}",
			"The problem is not concave, or the search for a proof was stopped.",
			"Compare the value with its bound. --method certified, residual pooled or a larger --gap may have a proof."},
		{"EDGE_OF_STABILITY",
			"the optimum lies at the edge of stability: only the server's capacity limits admission, and waits " +
				"explode there",
			"No class loses anything by waiting in this model.",
			"State decay, grace or deadlines of the classes."},
		{"ENDLESS_WAIT", "the waits of {classes} grow without end",
			"The load of these classes and of more urgent ones reaches the capacity.",
			"Admit less."},
	}
}

// machines are about jobs that do not suit the machine.
func machines() []Code {
	return []Code{
		{"WHOLE_NODES",
			"{jobs} jobs at a time are no whole number of nodes: the load of the simulated {nodes} nodes is " +
				"{load}",
			"server.parallel and the widths do not make whole nodes.",
			"State server.nodes."},
		{"UNLIMITED",
			"a late job of {classes} can cost more than it pays, without limit",
			"The classes state decay and no max_penalty.",
			"State max_penalty; none accepts it."},
		{"TOO_WIDE",
			"[jobs of class {class} that need {width} nodes are rejected, the cluster has {nodes}]" +
				"[pool {pool} rejects {jobs} jobs wider than its {units} {unit}s]",
			"A width exceeds the machine or the pool.",
			"Correct the width, or the units of machine or pool."},
		{"OTHER_MACHINE",
			"{trace} was recorded on {recorded} {unit}s, the scenario has {stated}[ ({field})]",
			"The header of the log and the scenario state different machines.",
			"Correct trace.nodes, or accept the other machine."},
		{"WIDTHS",
			"widths of jobs are those {rule}: by the widths {other} the work of the log is {other_work} " +
				"unit-seconds, not {work}",
			"The log states two widths for a job, and their work differs by more than 1 %.",
			"Choose by trace.width."},
		{"NO_START", "{jobs} jobs of the log ran without a start: left out", "The log has no start of these jobs.",
			"Export the log with its column of starts."},
	}
}

// logs are about customers, prices and settings of a log.
func logs() []Code {
	return []Code{
		{"DEMAND",
			"[at this price {times} times as many jobs of {class} would come: ]the trace has no more[ jobs of {classes}], " +
				"so a lower price adds none",
			"A demand curve is laid over a trace, whose jobs are all sold.",
			"Use job classes for lower prices."},
		{"OTHERS",
			"{jobs} jobs of the trace belong to no class: they are served and pay nothing",
			"No class matches these jobs.",
			"Add a last class without `of`."},
		{"GROWTH",
			"growth of {growth} shrinks the times between arrivals, and the daily cycle with them",
			"Growth of a trace divides the times between arrivals.",
			"Draw jobs of fitted classes instead, see revopt trace fit."},
		{"UNMATCHED",
			"no job of {trace} belongs to class {class} ({why})",
			"The selector of a class matches nothing.",
			"Correct `of` of the class."},
		{"RANKS",
			"hol ranks customers by decay over length, as stated or as ended jobs have it on average",
			"A trace does not state the lengths of classes.",
			"State length of the classes."},
		{"INSTANT",
			"all jobs arrive at one instant: $/h depends on how long a policy takes, so compare totals in $",
			"A batch has no span of arrivals.",
			"Compare value_total."},
		{"UNREAD",
			"{file}: not simulated: {settings}",
			"The policy does not know these settings of a file.",
			"See docs/policies.md for those that it knows."},
	}
}

// pools are about jobs that do not suit the pools, and about the schedule of a log.
func pools() []Code {
	return []Code{
		{"NO_POOL",
			"no pool takes {jobs} jobs of the trace, so they are rejected",
			"The selectors of the pools match none of these jobs.",
			"Add a last pool without `of`."},
		{"TWO_POOLS",
			"several pools would take {jobs} jobs, such as {first} and {second}: the first has them",
			"The selectors of pools overlap.",
			"Make the selectors exclude each other."},
		{"MIXED_UNITS",
			"pools with different units, such as {first} and {second}, are listed by {jobs} jobs: such a job " +
				"runs only in pools with the unit of the first",
			"Jobs list several partitions.",
			"Let each job list partitions of one unit."},
		{"WIDER_THAN_LIMIT",
			"{jobs} jobs of {owner} {name} are wider than its limit of {units} {unit}s: they never start",
			"The limit says `wide: never`.",
			"Correct the limit, or state `wide: alone`."},
		{"LIMITS_IGNORED",
			"{policies} do not obey the limits of the scenario",
			"Policies that share nodes, choose by all running jobs or are programs know no limits.",
			"Compare policies with a queue, such as easy or slurm."},
		{"NO_PRICE",
			"[{jobs} jobs of {customer} pay nothing in pool {pool}: its price names other pools]" +
				"[no job of the trace has a price, so the choices of {policies} mean nothing]",
			"The scenario states no prices, or a price by pool does not name this one.",
			"Give classes with prices, or qos; add the pool to per_unit_hour."},
		{"UNRECORDED",
			"the schedule of the log (recorded) is left out: {why}",
			"Jobs, times or machine are not those of the log.",
			"Use the log as it is, on its own machine."},
		{"OVERCOMMITTED",
			"[the log uses up to {used} {unit}s at a time of {units}][ in pool {pool}][: recorded may deliver more than {than}]" +
				"[for {time} more ran than the machine has units: none count as free]",
			"The log starts jobs on more units than the scenario has.",
			"Correct the units, or state outages and sharing."},
	}
}

// intervals are about intervals that are missing, wide or too narrow.
func intervals() []Code {
	return []Code{
		{"ONE_REPLICATION", "one replication has no confidence interval", "--replications 1.", "Use --replications."},
		{"ONCE",
			"nothing is random: one run is made, not the {asked} that are asked for",
			"A log is replayed as it is.",
			"Use --resample weeks for other histories."},
		{"FEW_SPANS",
			"[too few histories for ranges at {level}: {spans}, {least} would do][; ranges show {shown}]" +
				"[the tested part of the log has no interval: {why}]",
			"The level asks for more histories, or none can be drawn from the log.",
			"Use more --replications, eight weeks of log, or a smaller --level."},
		{"PRECISION",
			"{replications} replications do not make the interval of {measure} as narrow as {relative} of its " +
				"mean",
			"The rule to stop ended at its largest number of replications.",
			"Use more jobs, or a wider --precision."},
		{"SKEWED",
			"mean waits differ so much between replications that intervals of {rows} of {all} rows contain the " +
				"true mean less often than {level} says[; replications of {jobs} jobs would do]",
			"Rare long waits dominate the mean.",
			"Use longer replications, or many more of them."},
		{"OVERLOAD",
			"[{policy}: ]more is admitted than [pool {pool} of ]the cluster can serve and jobs do not expire: " +
				"waits and losses grow with the length of the run[ (in {rows} of {all} rows)]",
			"The load is at least 1, or far above it.",
			"Admit less, or state a load below 1, or max_penalty of the classes."},
	}
}

// limits are about bounds.
func limits() []Code {
	return []Code{
		{"NO_MODEL", "no model bound: {why}", "The queueing model does not describe the scenario.", "Use the proven bounds."},
		{"BOUND_GAP",
			"the {bound} bound may be up to {gap} above the optimum of its own problem: shares are understated " +
				"by as much",
			"The search for prices stopped before the bound was tight.",
			"Use a smaller --gap."},
	}
}

// scenarios are the warnings of scenario files, which say more in their own sentences.
func scenarios() []Code {
	return []Code{
		{"NO_LOSS", "late results lose nothing", "Late results lose nothing in a class, in no class, or where a rule of expiry stands.",
			"State decay or hard deadlines: what a late result loses."},
		{"GUESSED", "values of the scenario are guessed", "The scenario still has values that init invented, or a price that is to " +
			"be filled in.", "Fill them in and remove them from `guessed`."},
	}
}

// found are headlines and warnings of logs, and of files that are made of them.
func found() []Code {
	return []Code{
		{"TRACE", "On average jobs run for {run_time}, are {width} wide ({unit}s) and come every {gap}.",
			"A trace was read.", ""},
		{"WRITTEN", "[{file}: ]{jobs} jobs[ of {lines} lines of {format}][; at most {busy} busy at a time].",
			"A trace was written.", ""},
		{"CLASSES", "[{file}: ]{classes} job classes for {jobs} jobs.",
			"Job classes were fitted to a trace.", ""},
		{"WAITED", "{full} of the waiting was for free units[, {reserved} behind older, wider jobs][, {limit} at {at}]" +
			"[, {down} in an outage {when}][, {not_eligible} of jobs not eligible yet][, {unknown} when the log began], " +
			"{unexplained} unexplained.", "Where the waiting of a log came from.", ""},
		{"NO_WAITING", "None of {jobs} jobs waited.", "The waiting of a log is asked for.", ""},
		{"DRAFT_WRITTEN", "[{file}: ]{customers}[; {policy} stands for today]; replace the guesses: {guessed}.",
			"A scenario was made of a log.", ""},
		{"LOG", "the log is no complete trace", "The log lacks what a trace needs, or has more than a trace can have, or is out of order.",
			"See docs/traces.md, and revopt trace import --help."},
	}
}
