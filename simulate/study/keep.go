package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// Rule is a limit that tuned settings have to respect, such as
// students.mean_wait <= 8h.
type Rule struct {
	Text    string // as typed
	Measure string
	Most    bool    // the measure is at most the limit; otherwise at least
	Limit   float64 // in the unit of the measure
	Promise bool    // of the scenario: respected if today's settings keep it

	column int // of the samples; -1 is all jobs
}

// ParseRule reads CUSTOMER.MEASURE <= VALUE, or MEASURE <= VALUE of all jobs. Measures are
// those of results, times may have a unit, and shares may be per cent.
func (s *Subject) ParseRule(arg string) (Rule, error) {
	r := Rule{Text: strings.TrimSpace(arg), column: -1}
	name, value, ok := strings.Cut(arg, "<=")
	if r.Most = ok; !ok {
		name, value, ok = strings.Cut(arg, ">=")
	}
	if !ok {
		return r, fmt.Errorf("expected MEASURE <= VALUE or >=, as in students.mean_wait <= 8h, got %q", arg)
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if at := strings.LastIndex(name, "."); at >= 0 && !isMeasure(name) {
		known := text.Each(sections(s.Workload), Section.Label)
		if r.column = slices.Index(known, name[:at]); r.column < 0 {
			return r, fmt.Errorf("unknown customer %q%s", name[:at], among(name[:at], known))
		}
		name = name[at+1:]
	}
	m, ok := metric.Lookup(name)
	if !ok {
		return r, fmt.Errorf("unknown measure %q%s", name, text.DidYouMean(name, metric.Names(metric.Measures())))
	}
	r.Measure = m.Name
	var err error
	switch share, percent := strings.CutSuffix(value, "%"); {
	case m.Unit == "s":
		r.Limit, err = scenario.ParseTime(value)
	case percent && m.Unit == "1":
		r.Limit, err = strconv.ParseFloat(strings.TrimSpace(share), 64)
		r.Limit /= 100
	default:
		r.Limit, err = strconv.ParseFloat(value, 64)
	}
	if err != nil || math.IsNaN(r.Limit) || math.IsInf(r.Limit, 0) {
		unit := map[string]string{"s": "a time such as 8h", "1": "a number such as 0.9 or 90%"}[m.Unit]
		if unit == "" {
			unit = "a number of " + m.Unit
		}
		return r, fmt.Errorf("expected %s for %s, got %q", unit, m.Name, value)
	}
	return r, nil
}

func isMeasure(name string) bool {
	_, ok := metric.Lookup(name)
	return ok
}

// among lists the known words, or the one that was meant.
func among(word string, known []string) string {
	if near := text.DidYouMean(word, known); near != "" {
		return near
	}
	return ", expected one of " + strings.Join(known, ", ")
}

// promiseRules returns the promises of the scenario as rules.
func promiseRules(s *Subject) (list []Rule) {
	for i, section := range sections(s.Workload) {
		if p := section.Promise; p != nil {
			words := fmt.Sprintf("%s.promise_kept >= %s%%", section.Label(), text.Plain(100*p.Level))
			list = append(list, Rule{Text: words, Measure: "promise_kept", Limit: p.Level, Promise: true, column: i})
		}
	}
	return list
}

// excess returns by how much a mean breaks the rule, relative to the limit; 0 if it does
// not, or if no job defines the measure.
func (r Rule) excess(mean float64) float64 {
	over := mean - r.Limit
	if !r.Most {
		over = -over
	}
	if !(over > 0) {
		return 0
	}
	return over / math.Max(math.Abs(r.Limit), 1e-9)
}

// values returns the measure of a rule in each replication of a row.
func (r Rule) values(o Outcome) []float64 {
	m, _ := metric.Lookup(r.Measure)
	return o.Plain(m, r.column)
}
