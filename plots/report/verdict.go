package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// fillVerdicts gives a what-if its words: a headline and the lines that matter of the
// log, of the scenario as it is and of every change, and the changes in order.
func fillVerdicts(r *study.WhatIfResult) {
	list := []*study.ChangeResult{r.Before}
	for i := range r.Changes {
		list = append(list, &r.Changes[i])
	}
	if r.Recorded != nil {
		list = append(list, r.Recorded)
	}
	for _, c := range list {
		tell(c.Doubts)
		if c.Formula != nil && c.Formula.Reason != nil {
			c.Formula.Reason.Text = Sentence(*c.Formula.Reason)
		}
		c.Admission.Prices = priceList(c.Admission.Asked)
		v := verdict{c, r}
		c.Headline, c.Explained = shortName(r, c.Name)+": "+v.gain(), v.explain()
		switch earned := money(c.Simulation.After, c.Once); c {
		case r.Before:
			c.Headline = fmt.Sprintf("%s: %s earns %s $/h%s", c.Name, c.Policy, earned, v.possible())
		case r.Recorded:
			c.Headline = fmt.Sprintf("%s: the log earned %s $/h%s; %s earns %s", c.Name, earned,
				v.possible(), r.Policy, money(c.Simulation.Before, c.Once))
			c.Explained = ""
		}
		c.Lines = append([]string{}, text.Each(v.lines(), func(l remark) string { return l.words })...)
		c.Verdict = strings.Join(append([]string{c.Headline}, c.Lines...), "; ")
	}
	r.Verdict = ranking(r)
}

// verdict is the words on one change.
type verdict struct {
	*study.ChangeResult
	all *study.WhatIfResult
}

// remark is a line below a headline.
type remark struct {
	words string
	rank  int // lines of a lower one matter more
}

// Ranks of the line of the log, after promises and harm, and of lines of all together that
// a single change has said with other numbers.
const (
	recordedRank = 2
	toldRank     = 10
)

// lines are those that matter of a change, the most important first: promises, customers
// that it harms, whether it pays, prices, what a promise costs. Those of all together
// begin with what no single change has said.
func (v verdict) lines() []remark {
	if v.ChangeResult == v.all.Recorded {
		if d := v.Simulation.Difference.Mean; math.Abs(float64(d)) < 0.005*math.Abs(float64(v.Simulation.Before.Mean)) {
			return nil
		}
		return []remark{{"not explained by " + v.all.Policy + ": another scheduler, holds, outages, limits, priorities", recordedRank}}
	}
	var list []remark
	for rank, clauses := range [][]string{v.promises(), v.harmed(), v.pays(), v.prices(), v.promiseCost()} {
		list = append(list, text.Each(packed(clauses), func(words string) remark { return remark{words, rank} })...)
	}
	if !v.together() {
		return list
	}
	said := map[string]bool{}
	for i := range v.all.Changes {
		if other := (verdict{&v.all.Changes[i], v.all}); !other.together() {
			for _, l := range other.lines() {
				said[l.gist()] = true
			}
		}
	}
	for i, l := range list {
		if said[l.gist()] {
			list[i].rank += toldRank
		}
	}
	slices.SortStableFunc(list, func(a, b remark) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

// gist is what a line says without its numbers, and of jobs without their customers.
func (l remark) gist() string { return details.ReplaceAllString(l.words, "") }

var details = regexp.MustCompile(`[-+\d.,()±]+| of .*| (years|d|h|min|s)\b`)

// together reports whether this is all changes together.
func (v verdict) together() bool {
	return v.Choice == "" && v.ChangeResult != v.all.Before && v.ChangeResult != v.all.Recorded
}

// possible gives what is earned as a share of what no policy can exceed.
func (v verdict) possible() string {
	if share := v.Share(); share >= 0 {
		return fmt.Sprintf(", %s of the possible", text.Percent(share))
	}
	return ""
}

// hoursOfMonth are those that a month has on average.
const hoursOfMonth = 730

// gain says what a change brings, and whether that may be chance.
func (v verdict) gain() string {
	d := v.Simulation.Difference
	mean := float64(d.Mean)
	if mean == 0 && (d.HalfWidth == 0 || v.Once) {
		return "no difference at all"
	}
	month := hoursOfMonth * mean
	digits := 2 - int(math.Floor(math.Log10(math.Abs(month)))) // so that three are shown
	month = math.Round(month*math.Pow10(digits)) / math.Pow10(digits)
	words := fmt.Sprintf("%s $/h, %s%s $ a month", signedShort(mean), plus(mean), text.Fixed(month, max(0, digits)))
	switch {
	case v.Once:
		return words
	case !v.Seen():
		return words + ", perhaps by chance"
	case v.all.Resampled:
		return words + ", in nearly all spans"
	}
	if p := v.PromiseCost; p != nil && p.Against == v.all.Before.Name && mean < 0 {
		return words + ", the promise's cost"
	}
	return words + ", not by chance"
}

// mostWords are those of a line.
const mostWords = 20

// packed joins clauses to lines that are short enough.
func packed(clauses []string) []string {
	var list []string
	for _, words := range clauses {
		if n := len(list); n > 0 && len(strings.Fields(list[n-1]+" "+words)) <= mostWords {
			list[n-1] += "; " + words
		} else {
			list = append(list, words)
		}
	}
	return list
}

// prices lists the prices that an admission asks.
func (v verdict) prices() []string {
	var list []string
	if v.Admission.Prices != "" {
		list = strings.Split("asks "+v.Admission.Prices, ", ")
	}
	return list
}

// harmed says which customers lose jobs, and which are served worse than before, as far as
// that is known.
func (v verdict) harmed() []string {
	refused := v.lost("refuses", v.Refused)
	if refused != nil && v.Admission.InSample {
		refused[0] += "; chosen on these jobs"
	}
	var assumes []string
	if v.Inelastic {
		assumes = []string{"assumes that no customer leaves: no demand is stated"}
	}
	return slices.Concat(assumes, v.lost("gives up", v.GivenUp), refused, v.lost("kills", v.Killed), v.served(), v.lost("lets expire", v.expired()))
}

// expired returns the jobs that expire of customers that lose more jobs than before in
// all, and not just a few.
func (v verdict) expired() []study.LostJobs {
	return slices.DeleteFunc(slices.Clone(v.Expired), func(l study.LostJobs) bool {
		all := v.lostInAll(l.Name)
		return l.Jobs < 0.01*l.Of || v.ChangeResult != v.all.Before && all.Jobs <= all.Before+0.5
	})
}

// lostInAll returns how many jobs of a customer leave for any reason.
func (v verdict) lostInAll(name string) (sum study.LostJobs) {
	for _, l := range slices.Concat(v.GivenUp, v.Refused, v.Killed, v.Expired) {
		if l.Name == name {
			sum.Jobs, sum.Before = sum.Jobs+l.Jobs, sum.Before+l.Before
		}
	}
	return sum
}

// served says which customer waits longer than before, and how many others do.
func (v verdict) served() []string {
	if len(v.Worse) == 0 {
		return nil
	}
	w := v.Worse[0]
	after, before := text.Duration(float64(w.After.Mean)), text.Duration(float64(w.Before.Mean))
	if _, unit, _ := strings.Cut(after, " "); strings.HasSuffix(before, " "+unit) {
		before = strings.TrimSuffix(before, " "+unit)
	}
	words := fmt.Sprintf("wait of %s %s (was %s)", w.Name, after, before)
	if more := len(v.Worse) - 1; more > 0 {
		words += ", " + text.Plural(more, "other") + " too"
	}
	return []string{words}
}

// lost says how many jobs leave, where these are more than before: of up to three
// customers, first of those that lose most, above all of those with promises.
func (v verdict) lost(verb string, jobs []study.LostJobs) []string {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(l study.LostJobs) bool {
		return l.Jobs <= 0.5 || v.ChangeResult != v.all.Before && l.Jobs <= l.Before+0.5
	})
	if len(jobs) == 0 {
		return nil
	}
	weight := func(l study.LostJobs) study.Number { // a promise counts for ten
		if slices.ContainsFunc(v.Promises, func(p study.PromiseChange) bool { return p.Name == l.Name }) {
			return 10 * l.Jobs
		}
		return l.Jobs
	}
	slices.SortStableFunc(jobs, func(a, b study.LostJobs) int { return cmp.Compare(weight(b), weight(a)) })
	count := func(x study.Number) string { return text.Fixed(float64(x), 0) }
	first := jobs[0]
	words := fmt.Sprintf("%s %s of %s jobs of %s", verb, count(first.Jobs), count(first.Of), first.Name)
	switch before := v.lostInAll(first.Name).Before; {
	case v.ChangeResult == v.all.Before || before <= max(0.5, 0.1*first.Jobs):
	case before == first.Before:
		words += fmt.Sprintf(" (was %s)", count(before))
	default:
		words += fmt.Sprintf(" (%s lost before)", count(before))
	}
	var others study.Number
	named := 3
	if v.Admission.InSample { // which has words of its own
		named = 2
	}
	for _, l := range jobs[1:] {
		if others += l.Jobs; len(jobs) <= named {
			words += fmt.Sprintf(", %s of %s of %s", count(l.Jobs), count(l.Of), l.Name)
		}
	}
	if len(jobs) > named {
		words += fmt.Sprintf(", %s of other customers", count(others))
	}
	return []string{words}
}

// fates are what becomes of a promise, by its state before and after.
var fates = map[[2]string]string{
	{"kept", "kept"}: "keeps", {"undecided", "kept"}: "keeps", {"not kept", "kept"}: "keeps", {"void", "kept"}: "keeps",
	{"kept", "undecided"}: "may break", {"undecided", "undecided"}: "may keep", {"not kept", "undecided"}: "may now keep", {"void", "undecided"}: "may keep",
	{"kept", "not kept"}: "breaks", {"undecided", "not kept"}: "breaks", {"not kept", "not kept"}: "still breaks", {"void", "not kept"}: "breaks",
}

// promises says which promises a change breaks or keeps unlike the log if that kept them,
// else unlike the scenario as it is, and of a change of promises what becomes of each.
// Promises with the same fate share a clause.
func (v verdict) promises() []string {
	var list []string
	log, earns := v.all.Recorded, v.Simulation
	if log != nil && earns.Difference.Mean > 0 && earns.After.Mean < 0.999*log.Simulation.After.Mean {
		list = append(list, "earns less than the log, "+money(log.Simulation.After, true)+" $/h")
	}
	type fate struct{ fate, name, kept, admitted, than, was, level string }
	var all []fate
	for _, p := range v.Promises {
		was, from := p.Before, study.PromiseState(p.Before, float64(p.Level), v.Once)
		f := fate{name: p.Name, kept: percentage(p.After), than: " (was %s)", level: plainPercent(float64(p.Level))}
		if log != nil {
			i := slices.IndexFunc(log.Promises, func(q study.PromiseChange) bool { return q.Name == p.Name })
			if q := log.Promises[max(i, 0)]; i >= 0 && q.Kept == "kept" && q.Level == p.Level && q.Within == p.Within {
				if from = q.Kept; p.Kept != from {
					was, f.than = q.After, ", the log kept %s %%"
				}
			}
		}
		f.fate, f.was = fates[[2]string{from, p.Kept}], text.Fixed(100*float64(was.Mean), 1)
		if from == "void" {
			f.than = "%.0s"
		}
		if study.PromiseState(p.OfAdmitted, float64(p.Level), v.Once) != p.Kept {
			f.kept, f.admitted = text.Percent(float64(p.After.Mean)), ", "+text.Percent(float64(p.OfAdmitted.Mean))+" of admitted"
		}
		switch {
		case v.ChangeResult == v.all.Before || (p.Kept == from || p.Difference.Mean == 0) && !v.OfPromises:
		case p.Kept == "void":
			list = append(list, "no job of "+p.Name+" is admitted: its promise is void")
		default:
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b fate) int { return cmp.Compare(a.fate+a.than, b.fate+b.than) }) // those that break first
	for len(all) > 0 {
		f, n := all[0], 1
		for n < len(all) && all[n].fate == f.fate && all[n].than == f.than {
			n++
		}
		each := func(of func(fate) string) string { return enumerate(text.Each(all[:n], of)) }
		than := fmt.Sprintf(f.than, each(func(f fate) string { return f.was }))
		if n == 1 {
			list = append(list, fmt.Sprintf("%s the promise to %s: %s%s%s, %s promised", f.fate, f.name, f.kept, than, f.admitted, f.level))
		} else {
			list = append(list, fmt.Sprintf("%s the promises to %s: %s%s", f.fate, each(func(f fate) string { return f.name }),
				each(func(f fate) string { return f.kept }), than))
		}
		all = all[n:]
	}
	return list
}

// pays says whether units pay for themselves.
func (v verdict) pays() []string {
	more, unit := v.Nodes[1]-v.Nodes[0], text.Unit(v.all.UnitName)
	units := text.Plural(max(more, -more), unit)
	if v.Net != nil {
		return []string{v.net(units, float64(more))}
	}
	if v.BreakEven == nil {
		return nil
	}
	price := money(*v.BreakEven, v.Once) + " $/" + unit + "-hour"
	low, _ := v.BreakEven.Interval().Bounds()
	pay, not := "pay for themselves", "do not pay"
	if more == 1 {
		pay, not = "pays for itself", "does not pay"
	}
	switch {
	case more < 0:
		return []string{fmt.Sprintf("to do without %s pays above %s", units, price)}
	case v.BreakEven.Mean <= 0:
		return []string{units + " " + not + " at any price"}
	case low <= 0 && !v.Once:
		return []string{fmt.Sprintf("%s may not pay at any price, at most below %s", units, price)}
	}
	return []string{fmt.Sprintf("%s %s below %s", units, pay, price)}
}

// promiseCost says what a promise costs, unless the headline does.
func (v verdict) promiseCost() []string {
	p := v.PromiseCost
	switch {
	case p == nil || p.Against == v.all.Before.Name && v.Simulation.Difference.Mean < 0:
		return nil
	case p.Difference.Mean <= 0 || !v.Beyond(p.Difference):
		return []string{"the promise costs nothing measurable"}
	}
	return []string{fmt.Sprintf("the promise costs %s $/h against %s, the best admission without it",
		money(p.Difference, v.Once), shortName(v.all, p.Against))}
}

// net says what is left after the cost of units, and when their price is paid back.
func (v verdict) net(units string, more float64) string {
	pays := "it does not pay"
	switch {
	case !v.Once && v.Net.Interval().Contains(0):
		pays = "undecided"
	case v.Net.Mean > 0:
		pays = "it pays"
	}
	left := fmt.Sprintf("net %s%s $/h: %s", plus(float64(v.Net.Mean)), money(*v.Net, v.Once), pays)
	if v.all.Price == 0 || more < 0 {
		return fmt.Sprintf("%s at %s $ an hour: %s", units, text.Plain(float64(*v.all.Cost)), left)
	}
	const year = 365 * 86400
	price := text.Grouped(more * float64(v.all.Price))
	if v.Payback == nil {
		return fmt.Sprintf("%s for %s $, never paid back; %s", units, price, left)
	}
	back := text.Fixed(float64(*v.Payback)/year, 1) + " years"
	if *v.Payback < year {
		back = text.Duration(float64(*v.Payback))
	}
	return fmt.Sprintf("%s for %s $, paid back in %s; %s", units, price, back, left)
}

// mostRanked is how many changes the ranking names.
const mostRanked = 5

// ranking lists the changes, best first, and the scenario as it is where some are worse.
func ranking(r *study.WhatIfResult) string {
	if r.Lead == nil {
		return ""
	}
	type entry struct {
		name string
		gain float64
	}
	var list []entry
	costs := ""
	for i := range r.Changes {
		c := &r.Changes[i]
		name := shortName(r, c.Name)
		if c.Choice == "" { // all together
			name, _, _ = strings.Cut(name, ", ")
		}
		list = append(list, entry{name, float64(c.Gain().Mean)})
		if c.Nodes[1] > c.Nodes[0] {
			costs = ", before the cost of " + text.Unit(r.UnitName) + "s"
		}
	}
	if r.Cost != nil {
		costs = ", net of cost"
	}
	if slices.ContainsFunc(list, func(e entry) bool { return e.gain < 0 }) {
		list = append(list, entry{"as it is", 0})
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.gain, a.gain) })
	var words []string
	for _, e := range list[:min(len(list), mostRanked)] {
		words = append(words, e.name+" "+signedShort(e.gain))
	}
	ranked := "Best first" + costs + ": " + strings.Join(words, ", ") + " $/h"
	if more := len(list) - mostRanked; more > 0 {
		ranked += fmt.Sprintf(", %d more", more)
	}
	switch d := r.Lead.Difference; {
	case d.Mean == 0 && (d.HalfWidth == 0 || r.Lead.Once):
		ranked += "; the first two are the same"
	case !r.Lead.Sure:
		ranked += "; no gain is more than chance"
	case d.Interval().Contains(0) && !r.Lead.Once:
		ranked += "; the first two may differ by chance"
	}
	return ranked
}

// money formats an amount with its interval, without it where nothing is random.
func money(e study.Estimate, once bool) string {
	if once || e.HalfWidth == 0 {
		return text.Short(float64(e.Mean))
	}
	return times(1)(e)
}

// signedShort formats a difference of money.
func signedShort(x float64) string { return plus(x) + text.Short(x) }
