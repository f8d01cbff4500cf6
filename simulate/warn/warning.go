package warn

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// Warning is a fact that a reader of a result should know. It has no sentence
// until package plots/answer makes one of its kind, names and numbers.
type Warning struct {
	Kind    string
	Names   []string  // classes, providers, ...; the kind says which
	Numbers []float64 // likewise
	Scope   string    // the part of the result that it is about, such as "analytic admission"; "" is all of it
	Where   *Where    // the points of a curve that it is about; nil is all of them
	Text    string    // the sentence without a period; "" until package plots/answer makes it
}

// Where is a part of the points of a curve.
type Where struct {
	Path     string
	From, To float64 // least and largest value
	Points   int
	All      int // points of the curve
}

// The kinds of warnings. A comment says what Names (n) and Numbers (x) are. A
// warning of another kind has its sentence from the beginning, see Sentence.
const (
	Interrupted = "interrupted" // how much was finished; n: the thing counted, x: finished, wanted
	Failed      = "failed"      // a policy is left out; n: its label, x: the first replication in which it failed
	Builds      = "builds"      // several builds of the program computed it; n: the builds of A and B

	Fit    = "fit"    // a doubt about classes that are fitted to a trace, the most important first
	Fitted = "fitted" // the classes are fitted to a trace; x: how many

	// The formulas do not look at something; n: the classes, or the provider.
	Floor           = "floor" // the largest penalty
	Expiry          = "expiry"
	Promise         = "promise"
	ProviderWaiting = "provider-waiting"
	Overflow        = "overflow"  // n: the pool whose jobs move
	IdlePool        = "idle-pool" // n: the pool without jobs
	Scaled          = "scaled"
	Approximate     = "approximate"       // waits of real servers
	ApproximateTail = "approximate-tails" // their distribution
	Pooled          = "pooled"            // n: the residual that the scenario states
	WaitExpiry      = "wait-expiry"

	// An optimum is not proven, or is at the edge.
	UnprovenExact       = "unproven-exact"
	UnprovenMultiserver = "unproven-multiserver"
	UnprovenLocal       = "unproven-local"
	UnprovenGap         = "unproven-gap" // x: the gap wanted
	Edge                = "edge-of-stability"
	InfiniteWait        = "infinite-wait" // n: the classes
	EndlessWait         = "endless-wait"  // n: the classes

	// The machine or the jobs that are simulated are not quite those of the scenario.
	WholeNodes = "whole-nodes" // x: jobs at a time, nodes, load
	Patient    = "patient"     // that no customer loses anything by lateness
	Unlimited  = "unlimited"   // n: the classes without a largest penalty
	TooWide    = "too-wide"    // n: the class, x: width, nodes
	// n: the trace, the word for a unit, the field if it is not trace.nodes, x: its units, those of the scenario
	OtherMachine = "other-machine"
	// n: the rule for widths, the other rule, x: work by the first rule, by the second, processor-seconds
	OtherWidths = "widths"
	NoStart     = "no-start"   // x: jobs of a log that are left out, as they ran without a start
	Demand      = "demand"     // n: the class, x: jobs at this price over those of the trace
	Others      = "others"     // x: jobs without a customer
	Growth      = "growth"     // x: of arrivals
	Unmatched   = "unmatched"  // n: the class, the trace, why
	Ranks       = "ranks"      // hol ranks customers of a trace
	Instant     = "instant"    // all jobs arrive at one instant: $/h depends on how long they take
	Unpriced    = "unpriced"   // no job pays anything; n: the policies that choose jobs by prices
	NoParents   = "no-parents" // a file of accounts has no column of parents; n: the file
	// a policy does not simulate settings of a file; n: the file, the settings, x: their number
	Unread = "unread"

	// Pools.
	NoPool        = "no-pool"         // x: jobs that no pool takes
	TwoPools      = "two-pools"       // n: two pools that would take a job, x: such jobs
	MixedUnits    = "mixed-units"     // n: two pools that a job lists, x: jobs that list pools of different units
	WiderThanPool = "wider-than-pool" // n: the pool, its unit, x: jobs, units
	NoPrice       = "no-price"        // n: the customer, the pool, x: jobs

	// The schedule of the log.
	Unrecorded = "unrecorded" // it is left out; n: why
	// n: the unit, the pool if there are some, x: units in use at most, those of the machine
	Overcommitted = "overcommitted"

	// Intervals are missing or too wide, or a run does not settle.
	OneReplication = "one-replication"
	Once           = "once"      // nothing is random; x: replications that were asked for
	NoSpans        = "no-spans"  // n: why no histories can be drawn from the tested part of a log
	FewSpans       = "few-spans" // x: spans, level, least number of spans
	Precision      = "precision" // n: the measure, x: replications, relative
	Skewed         = "skewed"    // intervals of waits cover too rarely; x: such rows, rows, level, jobs wanted or 0
	Overload       = "overload"  // n: the row, its pools if there are some; else x: such rows, rows

	// Bounds.
	NoModel  = "no-model"  // n: why
	BoundGap = "bound-gap" // n: the bound, x: its gap
	Lenient  = "lenient"   // n: the customer, "" where qos.penalty is 0
	// a prediction is more than a bound allows, and cut there; n: the unit, x: prediction, what is left of it
	ModelCut = "model-cut"

	// Two results differ.
	Levels = "level"  // x: those of A and B
	Stream = "stream" // one is of a stream
)

// Widths says by how much the work of a log differs by the other rule for widths, if that is more than 1 %.
func Widths(used, other string, work, otherWork float64) (list []Warning) {
	AddIf(&list, math.Abs(work-otherWork) > 0.01*work, New(OtherWidths, used, other).With(work, otherWork))
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

func New(kind string, names ...string) Warning { return Warning{Kind: kind, Names: names} }

func (w Warning) With(numbers ...float64) Warning {
	w.Numbers = numbers
	return w
}

// Sentence returns a warning whose sentence is there already.
func Sentence(kind, text string) Warning { return Warning{Kind: kind, Text: text} }

// About returns the warning about a part of a result.
func (w Warning) About(scope string) Warning {
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

func AddIf(list *[]Warning, holds bool, w Warning) {
	if holds {
		*list = append(*list, w)
	}
}

// Union appends the warnings that are not yet in list.
func Union(list, more []Warning) []Warning {
	for _, w := range more {
		same := func(old Warning) bool {
			return old.Kind == w.Kind && slices.Equal(old.Numbers, w.Numbers) && reflect.DeepEqual(old, w)
		}
		if !slices.ContainsFunc(list, same) {
			list = append(list, w)
		}
	}
	return list
}

// Scenario returns those of a scenario, with analytic ones only if these count.
func Scenario(sc *scenario.Scenario, analytic bool) []Warning {
	list := text.Where(sc.Warnings, func(w scenario.Warning) bool { return analytic || !w.Analytic })
	return text.Each(list, func(w scenario.Warning) Warning { return Sentence(string(w.Kind), w.String()) })
}
