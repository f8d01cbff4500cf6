package tune

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/served"
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

	// the number of groups of jobs, where it is not a measure of customers; nil: it is
	served func(groups []served.Waits) float64
}

// Words of the command line: tuned settings must not harm anybody, which is the default, or they may.
const (
	KeepHarm = "harm"
	KeepNone = "none"
)

// interval returns the interval of the measure in an outcome.
func (r Rule) interval(o plan.Outcome) metric.Interval {
	if r.served == nil {
		return o.Interval(r.Measure, r.column)
	}
	x := o.ServedValues(r.served)
	return o.Estimate(x, x)
}

// ParseRule reads CUSTOMER.MEASURE <= VALUE or >=, MEASURE <= VALUE of all jobs, or width:FROM-TO.MEASURE <= VALUE of
// a group of width. Measures are those of results, times may have a unit, and shares may be per cent. The longest
// wait is wait_max; a group of width has it, mean_wait, wait_99 and not_run.
func ParseRule(s *subject.Subject, arg string) (Rule, error) {
	name, value, most := strings.Cut(arg, "<=")
	if !most {
		name, value, _ = strings.Cut(arg, ">=")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	r := Rule{Text: strings.TrimSpace(arg), Most: most, column: -1}
	measure := name
	if rule, ok, err := r.ofGroups(s, name); ok || err != nil {
		if err == nil {
			err = rule.parseLimit(arg, value)
		}
		return rule, err
	}
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
			near = text.DidYouMean(measure, append(slices.Sorted(maps.Keys(groupMeasures())), metric.Names(metric.Measures())...))
		}
		return r, fmt.Errorf("expected %s, got %q%s", ruleWanted, arg, near)
	}
	if list := subject.Sections(s.Workload); measure == promiseKept && (r.column < 0 || list[r.column].Promise == nil) {
		return r, fmt.Errorf("expected a customer with a promise (slo) before %s, got %q", promiseKept, arg)
	}
	return r, r.parseLimit(arg, value)
}

// parseLimit reads the limit of a rule.
func (r *Rule) parseLimit(arg, value string) error {
	if value == "" {
		return fmt.Errorf("expected %s, got %q", ruleWanted, arg)
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
		return fmt.Errorf("expected a number, a time such as 8h or a share such as 90%%, got %q", value)
	}
	return nil
}

const ruleWanted = "a rule such as students.mean_wait <= 8h, wait_max <= 3d or harm, with a measure of --cells"

// groupMeasures are the measures of groups of jobs.
func groupMeasures() map[string]struct {
	unit  string
	value func(served.Waits) float64
} {
	type measure = struct {
		unit  string
		value func(served.Waits) float64
	}
	return map[string]measure{
		"mean_wait": {"s", func(w served.Waits) float64 { return w.MeanWait }},
		"wait_99":   {"s", func(w served.Waits) float64 { return w.Wait99 }},
		longestWait: {"s", func(w served.Waits) float64 { return w.WaitMax }},
		"not_run":   {"1", func(w served.Waits) float64 { return w.NotRun }},
	}
}

const longestWait = "wait_max"

// ofGroups returns a rule on the waits of a group of width, or on the longest wait of a customer or of all jobs, and whether
// the name is of one.
func (r Rule) ofGroups(s *subject.Subject, name string) (Rule, bool, error) {
	who, measure := "", name
	if at := strings.LastIndex(name, "."); at >= 0 {
		who, measure = name[:at], name[at+1:]
	}
	list, known := groupMeasures(), groupNames(s)
	widths := strings.HasPrefix(who, served.Width+":")
	if !widths && measure != longestWait {
		return r, false, nil
	}
	m, ok := list[measure]
	if !ok {
		return r, false, fmt.Errorf("expected one of %s of a group of width, got %q",
			strings.Join(slices.Sorted(maps.Keys(list)), ", "), measure)
	}
	r.Measure = metric.Measure{Name: measure, Unit: m.unit}
	if who == "" { // the longest of all
		r.served = func(groups []served.Waits) float64 {
			longest := math.NaN()
			for _, w := range groups {
				if !(w.WaitMax <= longest) && !math.IsNaN(w.WaitMax) {
					longest = w.WaitMax
				}
			}
			return longest
		}
		return r, true, nil
	}
	at := slices.Index(known, who)
	if at < 0 {
		word := "customer"
		if widths {
			word = "group"
		}
		return r, false, fmt.Errorf("unknown %s %q, expected one of %s", word, who, strings.Join(known, ", "))
	}
	r.served = func(groups []served.Waits) float64 { return m.value(groups[at]) }
	return r, true, nil
}

// groupNames returns the names of the groups of jobs: customers, then width:FROM-TO, with pools width:POOL:FROM-TO.
func groupNames(s *subject.Subject) []string {
	return text.Each(plan.ServedBy(s).Groups(), func(g served.Group) string {
		switch {
		case g.Kind == served.Customer:
			return g.Name
		case g.Name == "":
			return fmt.Sprintf("%s:%d-%d", g.Kind, g.From, g.To)
		}
		return fmt.Sprintf("%s:%s:%d-%d", g.Kind, g.Name, g.From, g.To)
	})
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
	return text.Sum(rules, func(r Rule) float64 { return r.excess(r.interval(o).Mean) })
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
