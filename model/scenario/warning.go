package scenario

import (
	_ "embed"
	"slices"
	"strings"

	"revopt/internal/text"
)

// WarningKind is the subject of a warning.
type WarningKind string

// The warnings that a scenario may have.
const (
	WarnWidths   WarningKind = "widths"           // formulas take the mean width
	WarnNoLoss   WarningKind = "no-loss"          // a rule of expiry has no effect
	WarnResidual WarningKind = "residual-default" // the first edition had another default
	WarnHard     WarningKind = "hard"             // formulas treat hard deadlines as soft
	WarnArrivals WarningKind = "arrivals"         // formulas assume Poisson arrivals
	WarnWaiting  WarningKind = "waiting"          // formulas assume a queue without limit
	WarnGrace    WarningKind = "grace"            // formulas ignore graces, as the scenario asks
	WarnOutages  WarningKind = "outages"          // formulas know no outages
	WarnLoad     WarningKind = "load"             // the load is many times the capacity of the machine
	WarnRenamed  WarningKind = "renamed"          // a field is given by its old name
	WarnGuess    WarningKind = "guess"            // the scenario is a draft from a log
)

// Warning is about a valid scenario that may give surprising results.
type Warning struct {
	Kind     WarningKind
	Class    string  // the class or, for some kinds, a list of classes or a pool; "" for all
	Analytic bool    // it concerns only the analytic results
	Value    float64 // for WarnWidths the jobs at a time, for WarnWaiting the places, for WarnLoad the load
	Detail   string  // for WarnNoLoss the rule, for WarnArrivals the process, for WarnGuess the log, for WarnRenamed the old name
}

// warningText has the words of the warnings.
//
//go:embed warnings.txt
var warningText string

var warningWords = text.NewSentences(warningText, map[string]any{"renamed": func(old string) string { return renamed[old] }})

// String returns the warning as a sentence.
func (w Warning) String() string {
	words, _ := warningWords.Say(string(w.Kind), w)
	return words
}

func warnings(s *Scenario, places []*cursor) []Warning {
	var list []Warning
	decays := false
	var bursty, processes, graced []string
	if s.Pools == nil && mixedWidths(s) {
		list = append(list, Warning{Kind: WarnWidths, Analytic: true, Value: s.Parallel})
	}
	for i, p := range s.Pools {
		if part := s.InPool(i); mixedWidths(part) {
			list = append(list, Warning{Kind: WarnWidths, Class: p.Name, Analytic: true, Value: part.Parallel})
		}
	}
	for i, c := range s.Classes {
		decays = decays || c.MeanDecay() > 0
		if rule := places[i].get("expire"); c.MeanDecay() == 0 && c.Hard == 0 && rule.given() && rule.n.text != "never" {
			list = append(list, Warning{Kind: WarnNoLoss, Class: c.Name, Detail: rule.n.text})
		}
		if s.GraceIgnored && c.MeanGrace() > 0 {
			graced = append(graced, c.Name)
		}
		if c.Hard > 0 {
			list = append(list, Warning{Kind: WarnHard, Class: c.Name, Analytic: true})
		}
		if !c.Arrivals.Poisson() {
			bursty = append(bursty, c.Name)
			if how := c.Arrivals.String(); !slices.Contains(processes, how) {
				processes = append(processes, how)
			}
		}
	}
	if bursty != nil {
		list = append(list, Warning{Kind: WarnArrivals, Class: strings.Join(bursty, ", "), Analytic: true,
			Detail: strings.Join(processes, "; ")})
	}
	if graced != nil {
		list = append(list, Warning{Kind: WarnGrace, Class: strings.Join(graced, ", "), Analytic: true})
	}
	if s.Waiting != nil {
		list = append(list, Warning{Kind: WarnWaiting, Analytic: true, Value: float64(*s.Waiting)})
	}
	if decays && !s.ResidualGiven {
		list = append(list, Warning{Kind: WarnResidual, Analytic: true})
	}
	return list
}

// mixedWidths reports whether two jobs can differ in width.
func mixedWidths(s *Scenario) bool {
	seen := map[float64]bool{}
	for _, c := range s.Classes {
		for i, v := range c.Width.Values {
			if c.Width.Weights[i] != 0 && c.Rate != 0 {
				seen[v] = true
			}
		}
	}
	return len(seen) > 1
}
