package answer

import (
	"fmt"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/warn"
)

// kind says what the names and numbers of a kind of warning are.
type kind struct {
	name    string // in package warn
	code    string
	names   []string // the last may end in dots: it has all names that are left, separated by commas
	numbers []number
	stated  []Named // values that all warnings of the kind have
}

// number is a number of a warning.
type number struct {
	name string
	unit Unit
}

// Warn returns a warning of another package as a fact. One that has its sentence already keeps it as the value text.
func Warn(w warn.Warning) Fact {
	var known kind
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.name == w.Kind })
	if i >= 0 {
		known = all[i]
	}
	if w.Text != "" || i < 0 {
		code, stated := scenarioCodes()[scenario.WarningKind(w.Kind)]
		if !stated {
			code = known.code
		}
		if code == "" {
			code = strings.ToUpper(strings.ReplaceAll(w.Kind, "-", "_"))
		}
		return New(code, Named{"text", Word(w.String())})
	}
	f := New(known.code, known.stated...)
	for i, name := range known.names {
		name, rest := strings.CutSuffix(name, "...")
		switch {
		case i >= len(w.Names):
		case rest:
			f.Values = append(f.Values, Named{name, Word(strings.Join(w.Names[i:], ", "))})
		default:
			f.Values = append(f.Values, Named{name, Word(w.Names[i])})
		}
	}
	for i, x := range known.numbers {
		if i < len(w.Numbers) {
			f.Values = append(f.Values, Named{x.name, Exactly(x.unit, w.Numbers[i])})
		}
	}
	if w.Scope != "" {
		f.Values = append(f.Values, Named{"scope", Word(w.Scope)})
	}
	if at := w.Where; at != nil {
		words := fmt.Sprintf("%s from %.6g to %.6g, %d of %d values", at.Path, at.From, at.To, at.Points, at.All)
		f.Values = append(f.Values, Named{"where", Word(words)})
	}
	return f
}

// WarnAll returns warnings as facts, equal ones once.
func WarnAll(list []warn.Warning) []Fact {
	var facts []Fact
	for _, w := range list {
		f := Warn(w)
		if !slices.ContainsFunc(facts, f.Equal) {
			facts = append(facts, f)
		}
	}
	return facts
}

// scenarioCodes are those of warnings of scenario files.
func scenarioCodes() map[scenario.WarningKind]string {
	return map[scenario.WarningKind]string{
		scenario.WarnWidths:   "IGNORED",
		scenario.WarnNoLoss:   "NO_LOSS",
		scenario.WarnHard:     "IGNORED",
		scenario.WarnArrivals: "IGNORED",
		scenario.WarnWaiting:  "IGNORED",
		scenario.WarnGrace:    "IGNORED",
		scenario.WarnOutages:  "IGNORED",
		scenario.WarnLoad:     "LOAD",
		scenario.WarnGuess:    "DRAFT",
		scenario.WarnGuessed:  "GUESSED",
	}
}

// ignored is a kind of warning that the formulas ignore a field of the scenario, of what the names say.
func ignored(name, field string, names ...string) kind {
	k := stated(name, "IGNORED", "field", field)
	k.names = names
	return k
}

// stated is a kind of warning that always has a value.
func stated(name, code, value, word string) kind {
	return kind{name: name, code: code, stated: []Named{{value, Word(word)}}}
}

// kinds are those of package warn.
func kinds() []kind { return slices.Concat(resultKinds(), machineKinds(), runKinds(), doubtKinds()) }

// resultKinds are of answers and of the model.
func resultKinds() []kind {
	return []kind{
		{warn.Interrupted, "INTERRUPTED", []string{"what"}, []number{{"done", Count}, {"wanted", Count}}, nil},
		{warn.Failed, "FAILED", []string{"policy"}, []number{{"replication", Count}}, nil},
		{warn.Builds, "BUILDS", []string{"a", "b"}, nil, nil},
		{warn.Levels, "LEVELS", nil, []number{{"a", Share}, {"b", Share}}, nil},
		{warn.Stream, "STREAM", nil, nil, nil},
		{warn.Fit, "FIT", []string{"doubts..."}, nil, nil},
		{warn.Fitted, "FITTED", nil, []number{{"classes", Count}}, nil},
		ignored(warn.Floor, "max_penalty", "classes..."),
		ignored(warn.Expiry, "expire", "classes..."),
		ignored(warn.Promise, "slo", "classes..."),
		ignored(warn.ProviderWaiting, "waiting", "provider..."),
		ignored(warn.Overflow, "overflow", "pools..."),
		{warn.IdlePool, "IDLE_POOL", []string{"pools..."}, nil, nil},
		{warn.Scaled, "SCALED", []string{"classes..."}, nil, nil},
		{warn.Approximate, "APPROXIMATE", nil, nil, nil},
		stated(warn.ApproximateTail, "APPROXIMATE", "tails", "exponential lengths of one mean"),
		ignored(warn.Pooled, "residual", "residual..."),
		ignored(warn.WaitExpiry, "expire", "classes..."),
	}
}

// machineKinds are of proofs, machines and logs.
func machineKinds() []kind {
	return []kind{
		stated(warn.UnprovenExact, "UNPROVEN", "why", "the exact utility is not concave"),
		stated(warn.UnprovenMultiserver, "UNPROVEN", "why", "the multiserver approximation is not concave"),
		stated(warn.UnprovenLocal, "UNPROVEN", "why", "conjugate gradients are a local search"),
		{warn.UnprovenGap, "UNPROVEN", nil, []number{{"gap", Share}},
			[]Named{{"why", Word("the search for a proof was stopped")}}},
		{warn.Edge, "EDGE_OF_STABILITY", nil, nil, nil},
		{warn.InfiniteWait, "ENDLESS_WAIT", []string{"classes..."}, nil, nil},
		{warn.EndlessWait, "ENDLESS_WAIT", []string{"classes..."}, nil, nil},
		{warn.WholeNodes, "WHOLE_NODES", nil, []number{{"jobs", Ratio}, {"nodes", Count}, {"load", Ratio}}, nil},
		{warn.Patient, "PATIENT", nil, nil, nil},
		{warn.Unlimited, "UNLIMITED", []string{"classes..."}, nil, nil},
		{warn.TooWide, "TOO_WIDE", []string{"class"}, []number{{"width", Ratio}, {"nodes", Count}}, nil},
		{warn.OtherMachine, "OTHER_MACHINE", []string{"trace", "unit", "field"},
			[]number{{"recorded", Count}, {"stated", Count}}, nil},
		{warn.OtherWidths, "WIDTHS", []string{"rule", "other"}, []number{{"work", Ratio}, {"other_work", Ratio}}, nil},
		{warn.NoStart, "NO_START", nil, []number{{"jobs", Count}}, nil},
		{warn.Demand, "DEMAND", []string{"class"}, []number{{"times", Ratio}}, nil},
		{warn.Others, "OTHERS", nil, []number{{"jobs", Count}}, nil},
		{warn.Growth, "GROWTH", nil, []number{{"growth", Share}}, nil},
		{warn.Unmatched, "UNMATCHED", []string{"class", "trace", "why"}, nil, nil},
		{warn.Ranks, "RANKS", nil, nil, nil},
		{warn.Instant, "INSTANT", nil, nil, nil},
		{warn.Unpriced, "UNPRICED", []string{"policies..."}, nil, nil},
		{warn.NoParents, "NO_PARENTS", []string{"file"}, nil, nil},
		{warn.Unread, "UNREAD", []string{"file", "settings..."}, []number{{"number", Count}}, nil},
	}
}

// runKinds are of pools, intervals and bounds.
func runKinds() []kind {
	return []kind{
		{warn.NoPool, "NO_POOL", nil, []number{{"jobs", Count}}, nil},
		{warn.TwoPools, "TWO_POOLS", []string{"first", "second"}, []number{{"jobs", Count}}, nil},
		{warn.MixedUnits, "MIXED_UNITS", []string{"first", "second"}, []number{{"jobs", Count}}, nil},
		{warn.WiderThanPool, "WIDER_THAN_POOL", []string{"pool", "unit"}, []number{{"jobs", Count}, {"units", Count}}, nil},
		{warn.NoPrice, "NO_PRICE", []string{"customer", "pool"}, []number{{"jobs", Count}}, nil},
		{warn.Unrecorded, "UNRECORDED", []string{"why..."}, nil, nil},
		{warn.Overcommitted, "OVERCOMMITTED", []string{"unit", "pool"}, []number{{"used", Count}, {"units", Count}}, nil},
		{warn.OneReplication, "ONE_REPLICATION", nil, nil, nil},
		{warn.Once, "ONCE", nil, []number{{"asked", Count}}, nil},
		{warn.NoSpans, "NO_SPANS", []string{"why..."}, nil, nil},
		{warn.FewSpans, "FEW_SPANS", nil, []number{{"spans", Count}, {"level", Share}, {"least", Count}}, nil},
		{warn.Precision, "PRECISION", []string{"measure"}, []number{{"replications", Count}, {"relative", Share}}, nil},
		{warn.Skewed, "SKEWED", nil,
			[]number{{"rows", Count}, {"all", Count}, {"level", Share}, {"jobs", Count}}, nil},
		{warn.Overload, "OVERLOAD", []string{"policy", "pool"}, []number{{"rows", Count}, {"all", Count}}, nil},
		{warn.NoModel, "NO_MODEL", []string{"why..."}, nil, nil},
		{warn.BoundGap, "BOUND_GAP", []string{"bound"}, []number{{"gap", Share}}, nil},
		{warn.Lenient, "LENIENT", []string{"customer"}, nil, nil},
		{warn.ModelCut, "MODEL_CUT", []string{"unit"}, []number{{"predicted", Money}, {"cut", Money}}, nil},
	}
}

// doubtKinds are of formulas of a what-if.
func doubtKinds() []kind {
	return []kind{
		{warn.DoubtUnsettled, "DOUBT_UNSETTLED", nil, []number{{"busy", Share}, {"settles", Time}, {"span", Time}}, nil},
		{warn.DoubtShared, "DOUBT_ORDER", []string{"policy..."}, nil, nil},
		{warn.DoubtOrder, "DOUBT_ORDER", []string{"policy..."}, nil, nil},
		{warn.DoubtFit, "FIT", []string{"doubts..."}, nil, nil},
		{warn.DoubtWideWork, "DOUBT_WIDE", nil, []number{{"share", Share}}, nil},
		ignored(warn.DoubtArrivals, "arrivals", "classes..."),
		ignored(warn.DoubtWaiting, "waiting"),
		{warn.DoubtWide, "DOUBT_WIDE", []string{"classes..."}, nil, nil},
		ignored(warn.DoubtFloor, "max_penalty"),
		ignored(warn.DoubtExpiry, "expire"),
		ignored(warn.DoubtOutages, "machine.down"),
		ignored(warn.NoFormulaRule, "the queue that an admission looks at"),
		{warn.NoFormulaSteady, "NO_STEADY_STATE", nil, []number{{"busy", Share}}, nil},
	}
}
