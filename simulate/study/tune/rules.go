package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/subject"
)

// Rule is a limit that tuned settings have to respect, such as students.mean_wait <= 8h.
type Rule struct {
	Text    string
	Measure metric.Measure
	Most    bool    // the measure is at most the limit, not at least
	Limit   float64 // in the unit of the measure
	Promise bool    // of the scenario; it counts if today's settings keep it

	column int // of the samples; -1 is all jobs
}

// ParseRule reads CUSTOMER.MEASURE <= VALUE or >=, or MEASURE <= VALUE of all jobs. Measures
// are those of results, times may have a unit, and shares may be per cent.
func ParseRule(s *subject.Subject, arg string) (Rule, error) {
	name, value, most := strings.Cut(arg, "<=")
	if !most {
		name, value, _ = strings.Cut(arg, ">=")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	r := Rule{Text: strings.TrimSpace(arg), Most: most, column: -1}
	measure := name
	if at := strings.LastIndex(name, "."); at >= 0 {
		known := text.Each(subject.Sections(s.Workload), subject.Section.Label)
		measure, name = name[at+1:], name[:at]
		r.column = slices.Index(known, name)
		if r.column < 0 {
			return r, fmt.Errorf("unknown customer %q, expected one of %s", name, strings.Join(known, ", "))
		}
	}
	var ok bool
	r.Measure, ok = metric.Lookup(measure)
	if !ok || value == "" {
		near := ""
		if !ok {
			near = text.DidYouMean(measure, metric.Names(metric.Measures()))
		}
		const want = "a rule such as students.mean_wait <= 8h, with a measure of --cells"
		return r, fmt.Errorf("expected %s, got %q%s", want, arg, near)
	}
	if list := subject.Sections(s.Workload); measure == promiseKept && (r.column < 0 || list[r.column].Promise == nil) {
		return r, fmt.Errorf("expected a customer with a promise (slo) before %s, got %q", promiseKept, arg)
	}
	var err error
	switch share, percent := strings.CutSuffix(value, "%"); {
	case r.Measure.Unit == "s":
		r.Limit, err = scenario.ParseTime(value)
	case percent:
		r.Limit, err = strconv.ParseFloat(share, 64)
		r.Limit /= 100
	default:
		r.Limit, err = strconv.ParseFloat(value, 64)
	}
	if err != nil || math.IsNaN(r.Limit) || math.IsInf(r.Limit, 0) {
		return r, fmt.Errorf("expected a number, a time such as 8h or a share such as 90%%, got %q", value)
	}
	return r, nil
}

// promiseKept is the name of the measure of promises.
const promiseKept = "promise_kept"

func promiseRules(s *subject.Subject) (list []Rule) {
	kept, _ := metric.Lookup(promiseKept)
	for i, section := range subject.Sections(s.Workload) {
		if p := section.Promise; p != nil {
			words := fmt.Sprintf("%s.%s >= %s%%", section.Label(), kept.Name, text.Plain(100*p.Level))
			list = append(list, Rule{Text: words, Measure: kept, Limit: p.Level, Promise: true, column: i})
		}
	}
	return list
}

// excess returns by how much an outcome breaks rules, 0 if it breaks none.
func excess(rules []Rule, o plan.Outcome) float64 {
	return text.Sum(rules, func(r Rule) float64 { return r.excess(o.Interval(r.Measure, r.column).Mean) })
}

// excess returns by how much a mean breaks the rule, relative to the limit; 0 if it does not.
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
