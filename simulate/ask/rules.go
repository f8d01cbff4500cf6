package ask

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Words of the command line: tuned settings must not harm anybody, which is the default; they may; they keep the
// promises of the scenario, also those that are broken today.
const (
	KeepHarm = "harm"
	KeepNone = "none"
	KeepSLO  = "slo"
)

// ParseRule reads CUSTOMER.MEASURE <= VALUE or >=, MEASURE <= VALUE of all jobs, or width:FROM-TO.MEASURE <= VALUE of
// a group of width. Measures are those of results, times may have a unit, and shares may be per cent. The longest
// wait is wait_max; a group of width has it, mean_wait, wait_99 and not_run.
func ParseRule(l *run.Lab, arg string) (run.Rule, error) {
	name, value, most := strings.Cut(arg, "<=")
	if !most {
		name, value, _ = strings.Cut(arg, ">=")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	r := run.Rule{Text: strings.TrimSpace(arg), Group: run.All, Most: most}
	who, measure := "", name
	if at := strings.LastIndex(name, "."); at >= 0 {
		who, measure = name[:at], name[at+1:]
	}
	var err error
	if strings.HasPrefix(who, run.ByWidth+":") || measure == longestWait {
		err = ofGroups(l, &r, who, measure)
	} else {
		err = ofMeasure(l.Subject(), &r, who, measure, value)
	}
	if err != nil {
		return r, err
	}
	return r, parseLimit(&r, arg, value)
}

// ofMeasure sets a rule on a measure of a customer, or of all jobs.
func ofMeasure(s *subject.Subject, r *run.Rule, who, measure, value string) error {
	sections := subject.Sections(s.Workload)
	at := -1
	if who != "" {
		known := text.Each(sections, subject.Section.Label)
		at = slices.Index(known, who)
		if at < 0 {
			return fmt.Errorf("unknown customer %q, expected one of %s", who, strings.Join(known, ", "))
		}
		r.Group = groupOf(sections[at])
	}
	m, ok := run.Lookup(measure)
	if !ok || value == "" {
		near := ""
		if !ok {
			names := text.Each(run.Measures(), func(m run.Measure) string { return m.Name })
			near = text.DidYouMean(measure, append(names, longestWait))
		}
		return fmt.Errorf("expected %s, got %q%s", ruleWanted, r.Text, near)
	}
	if measure == promiseKept && (at < 0 || sections[at].Promise == nil) {
		return fmt.Errorf("expected a customer with a promise (slo) before %s, got %q", promiseKept, r.Text)
	}
	r.Column, r.Unit = m.Name, m.Unit
	return nil
}

// parseLimit reads the limit of a rule.
func parseLimit(r *run.Rule, arg, value string) error {
	if value == "" {
		return fmt.Errorf("expected %s, got %q", ruleWanted, arg)
	}
	var err error
	switch share, percent := strings.CutSuffix(value, "%"); {
	case r.Unit == run.Seconds:
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

const ruleWanted = "a rule such as students.mean_wait <= 8h, wait_max <= 3d, slo or harm, with a measure of --cells"

const longestWait = "wait_max"

// ofGroups sets a rule on the waits of a group of width, or on the longest wait of a customer or of all jobs.
func ofGroups(l *run.Lab, r *run.Rule, who, measure string) error {
	columns := text.Where(run.WaitColumns(), func(c run.WaitColumn) bool { return c.Unit != run.Count })
	names := text.Each(columns, func(c run.WaitColumn) string { return c.Name })
	k := slices.Index(names, measure)
	if k < 0 {
		return fmt.Errorf("expected one of %s of a group of width, got %q", strings.Join(names, ", "), measure)
	}
	r.Column, r.Unit = columns[k].Column, columns[k].Unit
	if who == "" { // the longest of all
		return nil
	}
	known := text.Each(l.Groups(), groupWord)
	at := slices.Index(known, who)
	if at < 0 {
		word := "customer"
		if strings.HasPrefix(who, run.ByWidth+":") {
			word = "group"
		}
		return fmt.Errorf("unknown %s %q, expected one of %s", word, who, strings.Join(known, ", "))
	}
	r.Group = run.GroupName(l.Groups()[at])
	return nil
}

// groupWord returns the name of a group of jobs in a rule: a customer, width:FROM-TO, or with pools
// width:POOL:FROM-TO.
func groupWord(g run.JobGroup) string {
	switch {
	case g.Kind == run.ByCustomer:
		return g.Name
	case g.Name == "":
		return fmt.Sprintf("%s:%d-%d", g.Kind, g.From, g.To)
	}
	return fmt.Sprintf("%s:%s:%d-%d", g.Kind, g.Name, g.From, g.To)
}

// promiseKept is the column of promises.
const promiseKept = "promise_kept"

// promiseRules are the promises of a scenario. They have to be kept, or only if they are kept today.
func promiseRules(s *subject.Subject, surely bool) (list []run.Rule) {
	for _, section := range subject.Sections(s.Workload) {
		if p := section.Promise; p != nil {
			words := fmt.Sprintf("%s.%s >= %s%%", section.Label(), promiseKept, text.Plain(100*p.Level))
			list = append(list, run.Rule{Text: words, Group: groupOf(section), Column: promiseKept + "_of_admitted", Unit: run.Share,
				Limit: p.Level, Promise: !surely})
		}
	}
	return list
}
