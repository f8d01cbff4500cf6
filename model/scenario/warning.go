package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// WarningKind is the subject of a warning.
type WarningKind string

// The warnings that a scenario may have.
const (
	WarnWidths   WarningKind = "widths"   // formulas take the mean width
	WarnNoLoss   WarningKind = "no-loss"  // a rule of expiry has no effect
	WarnHard     WarningKind = "hard"     // formulas treat hard deadlines as soft
	WarnArrivals WarningKind = "arrivals" // formulas assume Poisson arrivals
	WarnWaiting  WarningKind = "waiting"  // formulas assume a queue without limit
	WarnGrace    WarningKind = "grace"    // formulas ignore graces, as the scenario asks
	WarnOutages  WarningKind = "outages"  // formulas know no outages
	WarnLoad     WarningKind = "load"     // the load is many times the capacity of the machine
	WarnGuess    WarningKind = "guess"    // the scenario is a draft from a log
	WarnGuessed  WarningKind = "guessed"  // the scenario still has values that init invented
)

// Warning is about a valid scenario that may give surprising results.
type Warning struct {
	Kind     WarningKind
	Class    string  // the class or, for some kinds, a list of classes or a pool; "" for all
	Analytic bool    // it concerns only the analytic results
	Value    float64 // for WarnWidths the jobs at a time, for WarnWaiting the places, for WarnLoad the load
	// for WarnNoLoss the rule, for WarnArrivals the process, for WarnGuess the log, for WarnGuessed the file
	Detail string
}

// String returns the warning as a sentence.
func (w Warning) String() string {
	switch w.Kind {
	case WarnWidths:
		where := ""
		if w.Class != "" {
			where = " of pool " + w.Class
		}
		return fmt.Sprintf("jobs%s differ in width: the analytic results know their work and that %.4g run at a time, "+
			"not which of them fit beside each other", where, w.Value)
	case WarnNoLoss:
		return fmt.Sprintf("class %s loses no value, so it never expires (decay: 0, expire: %s)", w.Class, w.Detail)
	case WarnHard:
		return fmt.Sprintf("the analytic results take the hard deadlines of class %s as soft ones", w.Class)
	case WarnArrivals:
		return fmt.Sprintf("the analytic results assume Poisson arrivals, those of %s are %s", w.Class, w.Detail)
	case WarnGrace:
		return fmt.Sprintf("the analytic results take every second of a wait for late (server.grace: ignored), "+
			"simulations keep the grace of %s", w.Class)
	case WarnLoad:
		return fmt.Sprintf("load %.4g is %.4g times what the machine can serve: write %.4g%% for a percentage",
			w.Value, w.Value, w.Value)
	case WarnGuess:
		return fmt.Sprintf("prices and what lateness costs are guesses, as a log has none: "+
			"revopt init %s -o site.yaml writes a scenario to edit", w.Detail)
	case WarnGuessed:
		return fmt.Sprintf("prices are guesses of init: replace %s in %s, then delete the field guessed", w.Class, w.Detail)
	case WarnWaiting:
		return fmt.Sprintf("the analytic results let any number of jobs wait, the server at most %.0f", w.Value)
	case WarnOutages:
		return "the analytic results leave out the outages (machine.down)"
	}
	return ""
}

func warnings(s *Scenario, places []*cursor) []Warning {
	var list []Warning
	var bursty, processes, graced []string
	mixed := mixedWidths(s)
	if mixed[""] {
		list = append(list, Warning{Kind: WarnWidths, Analytic: true, Value: s.Parallel})
	}
	for i, p := range s.Pools {
		if mixed[p.Name] {
			list = append(list, Warning{Kind: WarnWidths, Class: p.Name, Analytic: true, Value: s.InPool(i).Parallel})
		}
	}
	for i, c := range s.Classes {
		if rule := places[i].get("expire"); c.MeanDecay() == 0 && c.Hard == 0 && rule.given() &&
			rule.n.text != "never" {
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
	return list
}

// mixedWidths returns the pools in which two jobs can differ in width; "" is a machine without pools.
func mixedWidths(s *Scenario) map[string]bool {
	first, mixed := map[string]float64{}, map[string]bool{}
	for _, c := range s.Classes {
		for i, v := range c.Width.Values {
			if c.Width.Weights[i] == 0 || c.Rate == 0 {
				continue
			}
			if other, ok := first[c.Pool]; ok && other != v {
				mixed[c.Pool] = true
			}
			first[c.Pool] = v
		}
	}
	return mixed
}
