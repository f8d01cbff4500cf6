package study

import (
	"fmt"
	"reflect"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// Warning is a fact that a reader of a result should know. It has no sentence
// until package report makes one of its kind, names and numbers.
type Warning struct {
	Kind    string
	Names   []string  // classes, providers, ...; the kind says which
	Numbers []float64 // likewise
	Scope   string    // the part of the result that it is about, such as "analytic admission"; "" is all of it
	Where   *Where    // the points of a curve that it is about; nil is all of them
	Text    string    // the sentence without a period; "" until package report makes it
}

// Where is a part of the points of a curve.
type Where struct {
	Path     string
	From, To float64 // least and largest value
	Points   int
	All      int // points of the curve
}

// The kinds of warnings. A comment says what Names (n) and Numbers (x) are. A
// warning of another kind has its sentence from the beginning, see told.
const (
	WarnInterrupted = "interrupted" // how much was finished; n: the thing counted, x: finished, wanted
	WarnBuilds      = "builds"      // several builds of the program computed it; n: the builds of A and B

	WarnFit    = "fit"    // a doubt about classes that are fitted to a trace, the most important first
	WarnFitted = "fitted" // the classes are fitted to a trace; x: how many

	// The formulas do not look at something; n: the classes, or the provider.
	WarnFloor           = "floor" // the largest penalty
	WarnExpiry          = "expiry"
	WarnPromise         = "promise"
	WarnProviderWaiting = "provider-waiting"
	WarnOverflow        = "overflow"   // n: the pool whose jobs move
	WarnRentLimit       = "rent-limit" // x: the largest number of rented units
	WarnIdlePool        = "idle-pool"  // n: the pool without jobs
	WarnScaled          = "scaled"
	WarnApproximate     = "approximate"       // waits of real servers
	WarnApproximateTail = "approximate-tails" // their distribution
	WarnPooled          = "pooled"            // n: the residual that the scenario states
	WarnWaitExpiry      = "wait-expiry"

	// An optimum is not proven, or is at the edge.
	WarnUnprovenExact       = "unproven-exact"
	WarnUnprovenMultiserver = "unproven-multiserver"
	WarnUnprovenLocal       = "unproven-local"
	WarnUnprovenGap         = "unproven-gap" // x: the gap wanted
	WarnEdge                = "edge-of-stability"
	WarnInfiniteWait        = "infinite-wait" // n: the classes
	WarnEndlessWait         = "endless-wait"  // n: the classes

	// The machine or the jobs that are simulated are not quite those of the scenario.
	WarnWholeNodes   = "whole-nodes"   // x: jobs at a time, nodes, load
	WarnPatient      = "patient"       // that no customer loses anything by lateness
	WarnUnlimited    = "unlimited"     // n: the classes without a largest penalty
	WarnTooWide      = "too-wide"      // n: the class, x: width, nodes
	WarnOtherMachine = "other-machine" // n: the trace, the word for a unit, the field if it is not trace.nodes, x: its units, those of the scenario
	WarnDemand       = "demand"        // n: the class, x: jobs at this price over those of the trace
	WarnOthers       = "others"        // x: jobs without a customer
	WarnGrowth       = "growth"        // x: of arrivals
	WarnUnmatched    = "unmatched"     // n: the class, the trace, why
	WarnRanks        = "ranks"         // hol ranks customers of a trace
	WarnInstant      = "instant"       // all jobs arrive at one instant: $/h depends on how long they take
	WarnUnpriced     = "unpriced"      // no job pays anything; n: the policies that choose jobs by prices
	WarnNoParents    = "no-parents"    // a file of accounts has no column of parents; n: the file
	WarnUnread       = "unread"        // a policy does not simulate settings of a file; n: the file, the settings, x: their number

	// Pools.
	WarnNoPool        = "no-pool"         // x: jobs that no pool takes
	WarnTwoPools      = "two-pools"       // n: two pools that would take a job, x: such jobs
	WarnMixedUnits    = "mixed-units"     // n: two pools that a job lists, x: jobs that list pools of different units
	WarnWiderThanPool = "wider-than-pool" // n: the pool, its unit, x: jobs, units
	WarnNoPrice       = "no-price"        // n: the customer, the pool, x: jobs

	// The schedule of the log.
	WarnUnrecorded    = "unrecorded"    // it is left out; n: why
	WarnOvercommitted = "overcommitted" // n: the unit, the pool if there are some, x: units in use at most, those of the machine

	// Intervals are missing or too wide, or a run does not settle.
	WarnOneReplication = "one-replication"
	WarnOnce           = "once"      // nothing is random; x: replications that were asked for
	WarnNoSpans        = "no-spans"  // n: why no histories can be drawn from the tested part of a log
	WarnFewSpans       = "few-spans" // x: spans, level, least number of spans
	WarnPrecision      = "precision" // n: the measure, x: replications, relative
	WarnSkewed         = "skewed"    // intervals of waits cover too rarely; x: such rows, rows, level, jobs wanted or 0
	WarnOverload       = "overload"  // n: the row, its pools if there are some

	// Bounds.
	WarnNoModel  = "no-model"  // n: why
	WarnBoundGap = "bound-gap" // n: the bound, x: its gap
	WarnLenient  = "lenient"   // n: the customer, "" where qos.penalty is 0

	// Two results differ.
	WarnLevels = "level"  // x: those of A and B
	WarnStream = "stream" // one is of a stream
)

// OnceWarning says that one replication is all there is where more are asked for.
func OnceWarning(asked int, once bool) (list []Warning) {
	addIf(&list, once && asked > 1, fact(WarnOnce).with(float64(asked)))
	return list
}

// The kinds of doubts about the formula of a what-if.
const (
	DoubtUnsettled = "unsettled" // x: busy share, time to settle (s), time in which jobs come (s)
	DoubtShared    = "shared"    // n: the policy, whose jobs share nodes
	DoubtOrder     = "order"     // n: the policy
	DoubtFit       = "fit-doubt" // n: the doubt in words
	DoubtWideWork  = "wide-work" // x: its share
	DoubtArrivals  = "arrivals"  // n: the classes
	DoubtWaiting   = "waiting"
	DoubtWide      = "wide" // n: the classes
	DoubtFloor     = "penalty"
	DoubtExpiry    = "give-up"
	DoubtOutages   = "outages"
	DoubtRent      = "rent"

	// The formula has no answer.
	NoFormulaRule   = "no-rule"
	NoFormulaSteady = "no-steady-state" // x: busy share
)

// The reasons for which no job of a trace belongs to a customer.
const (
	UnmatchedSelector  = "selector"  // its selector matches none
	UnmatchedRest      = "rest"      // it takes the rest, and none is left
	UnmatchedGenerated = "generated" // generated jobs have no users, groups or queues
)

func fact(kind string, names ...string) Warning { return Warning{Kind: kind, Names: names} }

func (w Warning) with(numbers ...float64) Warning {
	w.Numbers = numbers
	return w
}

// told returns a warning whose sentence is there already.
func told(kind, text string) Warning { return Warning{Kind: kind, Text: text} }

// about returns the warning about a part of a result.
func (w Warning) about(scope string) Warning {
	if w.Text != "" {
		w.Text = scope + ": " + w.Text
		return w
	}
	w.Scope = scope
	return w
}

// String returns the sentence, or the fact where there is none yet.
func (w Warning) String() string {
	if w.Text != "" {
		return w.Text
	}
	return fmt.Sprint(w.Kind, w.Names, w.Numbers)
}

func (w Warning) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// interrupted puts before other warnings how much was finished.
func interrupted(list []Warning, format string, args ...any) []Warning {
	return append([]Warning{told(WarnInterrupted, "interrupted "+fmt.Sprintf(format, args...))}, list...)
}

func addIf(list *[]Warning, holds bool, w Warning) {
	if holds {
		*list = append(*list, w)
	}
}

// union appends the warnings that are not yet in list.
func union(list, more []Warning) []Warning {
	for _, w := range more {
		if !slices.ContainsFunc(list, func(old Warning) bool { return reflect.DeepEqual(old, w) }) {
			list = append(list, w)
		}
	}
	return list
}

// scenarioWarnings returns those of a scenario, with analytic ones only if these count.
func scenarioWarnings(sc *scenario.Scenario, analytic bool) []Warning {
	list := text.Where(sc.Warnings, func(w scenario.Warning) bool { return analytic || !w.Analytic })
	return text.Each(list, func(w scenario.Warning) Warning { return told(string(w.Kind), w.String()) })
}
