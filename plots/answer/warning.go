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
	f := New(known.code)
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
		scenario.WarnWidths:   "MEAN_WIDTHS",
		scenario.WarnNoLoss:   "NO_LOSS",
		scenario.WarnHard:     "HARD",
		scenario.WarnArrivals: "ARRIVALS",
		scenario.WarnWaiting:  "WAITING",
		scenario.WarnGrace:    "GRACE",
		scenario.WarnOutages:  "OUTAGES",
		scenario.WarnLoad:     "LOAD",
		scenario.WarnGuess:    "DRAFT",
		scenario.WarnGuessed:  "GUESSED",
	}
}

// kinds are those of package warn.
func kinds() []kind { return slices.Concat(resultKinds(), machineKinds(), runKinds(), doubtKinds()) }

// resultKinds are of answers and of the model.
func resultKinds() []kind {
	return []kind{
		{warn.Interrupted, "INTERRUPTED", []string{"what"}, []number{{"done", Count}, {"wanted", Count}}},
		{warn.Failed, "FAILED", []string{"policy"}, []number{{"replication", Count}}},
		{warn.Builds, "BUILDS", []string{"a", "b"}, nil},
		{warn.Levels, "LEVELS", nil, []number{{"a", Share}, {"b", Share}}},
		{warn.Stream, "STREAM", nil, nil},
		{warn.Fit, "FIT", []string{"doubts..."}, nil},
		{warn.Fitted, "FITTED", nil, []number{{"classes", Count}}},
		{warn.Floor, "FLOOR", []string{"classes..."}, nil},
		{warn.Expiry, "EXPIRY", []string{"classes..."}, nil},
		{warn.Promise, "PROMISE", []string{"classes..."}, nil},
		{warn.ProviderWaiting, "PROVIDER_WAITING", []string{"provider..."}, nil},
		{warn.Overflow, "OVERFLOW", []string{"pools..."}, nil},
		{warn.IdlePool, "IDLE_POOL", []string{"pools..."}, nil},
		{warn.Scaled, "SCALED", []string{"classes..."}, nil},
		{warn.Approximate, "APPROXIMATE", nil, nil},
		{warn.ApproximateTail, "APPROXIMATE_TAILS", nil, nil},
		{warn.Pooled, "POOLED", []string{"residual..."}, nil},
		{warn.WaitExpiry, "WAIT_EXPIRY", []string{"classes..."}, nil},
	}
}

// machineKinds are of proofs, machines and logs.
func machineKinds() []kind {
	return []kind{
		{warn.UnprovenExact, "UNPROVEN_EXACT", nil, nil},
		{warn.UnprovenMultiserver, "UNPROVEN_MULTISERVER", nil, nil},
		{warn.UnprovenLocal, "UNPROVEN_LOCAL", nil, nil},
		{warn.UnprovenGap, "UNPROVEN_GAP", nil, []number{{"gap", Share}}},
		{warn.Edge, "EDGE_OF_STABILITY", nil, nil},
		{warn.InfiniteWait, "INFINITE_WAIT", []string{"classes..."}, nil},
		{warn.EndlessWait, "ENDLESS_WAIT", []string{"classes..."}, nil},
		{warn.WholeNodes, "WHOLE_NODES", nil, []number{{"jobs", Ratio}, {"nodes", Count}, {"load", Ratio}}},
		{warn.Patient, "PATIENT", nil, nil},
		{warn.Unlimited, "UNLIMITED", []string{"classes..."}, nil},
		{warn.TooWide, "TOO_WIDE", []string{"class"}, []number{{"width", Ratio}, {"nodes", Count}}},
		{warn.OtherMachine, "OTHER_MACHINE", []string{"trace", "unit", "field"},
			[]number{{"recorded", Count}, {"stated", Count}}},
		{warn.OtherWidths, "WIDTHS", []string{"rule", "other"}, []number{{"work", Ratio}, {"other_work", Ratio}}},
		{warn.NoStart, "NO_START", nil, []number{{"jobs", Count}}},
		{warn.Demand, "DEMAND", []string{"class"}, []number{{"times", Ratio}}},
		{warn.Others, "OTHERS", nil, []number{{"jobs", Count}}},
		{warn.Growth, "GROWTH", nil, []number{{"growth", Share}}},
		{warn.Unmatched, "UNMATCHED", []string{"class", "trace", "why"}, nil},
		{warn.Ranks, "RANKS", nil, nil},
		{warn.Instant, "INSTANT", nil, nil},
		{warn.Unpriced, "UNPRICED", []string{"policies..."}, nil},
		{warn.NoParents, "NO_PARENTS", []string{"file"}, nil},
		{warn.Unread, "UNREAD", []string{"file", "settings..."}, []number{{"number", Count}}},
	}
}

// runKinds are of pools, intervals and bounds.
func runKinds() []kind {
	return []kind{
		{warn.NoPool, "NO_POOL", nil, []number{{"jobs", Count}}},
		{warn.TwoPools, "TWO_POOLS", []string{"first", "second"}, []number{{"jobs", Count}}},
		{warn.MixedUnits, "MIXED_UNITS", []string{"first", "second"}, []number{{"jobs", Count}}},
		{warn.WiderThanPool, "WIDER_THAN_POOL", []string{"pool", "unit"}, []number{{"jobs", Count}, {"units", Count}}},
		{warn.NoPrice, "NO_PRICE", []string{"customer", "pool"}, []number{{"jobs", Count}}},
		{warn.Unrecorded, "UNRECORDED", []string{"why..."}, nil},
		{warn.Overcommitted, "OVERCOMMITTED", []string{"unit", "pool"}, []number{{"used", Count}, {"units", Count}}},
		{warn.OneReplication, "ONE_REPLICATION", nil, nil},
		{warn.Once, "ONCE", nil, []number{{"asked", Count}}},
		{warn.NoSpans, "NO_SPANS", []string{"why..."}, nil},
		{warn.FewSpans, "FEW_SPANS", nil, []number{{"spans", Count}, {"level", Share}, {"least", Count}}},
		{warn.Precision, "PRECISION", []string{"measure"}, []number{{"replications", Count}, {"relative", Share}}},
		{warn.Skewed, "SKEWED", nil,
			[]number{{"rows", Count}, {"all", Count}, {"level", Share}, {"jobs", Count}}},
		{warn.Overload, "OVERLOAD", []string{"policy", "pool"}, []number{{"rows", Count}, {"all", Count}}},
		{warn.NoModel, "NO_MODEL", []string{"why..."}, nil},
		{warn.BoundGap, "BOUND_GAP", []string{"bound"}, []number{{"gap", Share}}},
		{warn.Lenient, "LENIENT", []string{"customer"}, nil},
		{warn.ModelCut, "MODEL_CUT", []string{"unit"}, []number{{"predicted", Money}, {"cut", Money}}},
	}
}

// doubtKinds are of formulas of a what-if.
func doubtKinds() []kind {
	return []kind{
		{warn.DoubtUnsettled, "DOUBT_UNSETTLED", nil, []number{{"busy", Share}, {"settles", Time}, {"span", Time}}},
		{warn.DoubtShared, "DOUBT_SHARED", []string{"policy..."}, nil},
		{warn.DoubtOrder, "DOUBT_ORDER", []string{"policy..."}, nil},
		{warn.DoubtFit, "DOUBT_FIT", []string{"doubt..."}, nil},
		{warn.DoubtWideWork, "DOUBT_WIDE_WORK", nil, []number{{"share", Share}}},
		{warn.DoubtArrivals, "DOUBT_ARRIVALS", []string{"classes..."}, nil},
		{warn.DoubtWaiting, "DOUBT_WAITING", nil, nil},
		{warn.DoubtWide, "DOUBT_WIDE", []string{"classes..."}, nil},
		{warn.DoubtFloor, "DOUBT_PENALTY", nil, nil},
		{warn.DoubtExpiry, "DOUBT_EXPIRY", nil, nil},
		{warn.DoubtOutages, "DOUBT_OUTAGES", nil, nil},
		{warn.NoFormulaRule, "NO_FORMULA_RULE", nil, nil},
		{warn.NoFormulaSteady, "NO_STEADY_STATE", nil, []number{{"busy", Share}}},
	}
}
