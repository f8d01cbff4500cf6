package report

import (
	"cmp"
	"fmt"
	"maps"
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
		lines := v.lines()
		c.Lines = append([]string{}, text.Each(lines[:min(len(lines), mostLines)], func(l remark) string { return l.words })...)
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

// toldRank is that of lines of all together that a single change has said with other numbers.
const toldRank = 10

// lines are those that matter of a change, the most important first: promises, customers
// that it harms, whether it pays, prices, what a promise costs. Those of all together
// begin with what no single change has said.
func (v verdict) lines() []remark {
	log, earns := v.ChangeResult == v.all.Recorded, v.Simulation
	if log && math.Abs(float64(earns.Difference.Mean)) < 0.005*math.Abs(float64(earns.Before.Mean)) {
		return nil
	} else if log {
		return []remark{{"not explained by " + v.all.Policy + ": another scheduler, holds, outages, limits, priorities", 2}}
	}
	var list []remark
	for rank, clauses := range [][]string{v.promises(), v.harmed(), v.pays(), v.prices(), v.promiseCost()} {
		list = append(list, text.Each(packed(clauses), func(words string) remark { return remark{words, rank} })...)
	}
	if !v.together() {
		return list
	}
	for i := range v.all.Changes {
		other := verdict{&v.all.Changes[i], v.all}
		for k, l := range list {
			if l.rank < toldRank && !other.together() && slices.ContainsFunc(other.lines(), func(o remark) bool { return o.gist() == l.gist() }) {
				list[k].rank += toldRank
			}
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

// gain says what a change brings, and whether that may be chance.
func (v verdict) gain() string {
	d := v.Simulation.Difference
	mean := float64(d.Mean)
	if mean == 0 && (d.HalfWidth == 0 || v.Once) {
		return "no difference at all"
	}
	month := 730 * mean                                        // hours
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

// packed joins clauses to lines of at most 20 words.
func packed(clauses []string) []string {
	var list []string
	for _, words := range clauses {
		if n := len(list); n > 0 && len(strings.Fields(list[n-1]+" "+words)) <= 20 {
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
func (v verdict) harmed() (list []string) {
	if v.Inelastic {
		list = append(list, "assumes that no customer leaves: no demand is stated")
	}
	refused := v.lost("refuses", v.Refused)
	if refused != nil && v.Admission.InSample {
		refused[0] += "; chosen on these jobs"
	}
	return slices.Concat(list, v.lost("gives up", v.GivenUp), refused, v.lost("kills", v.Killed), v.served(), v.lost("lets expire", v.Expired))
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
	words := fmt.Sprintf("wait of %s %s (was %s)", w.Name, text.Duration(float64(w.After.Mean)), text.Duration(float64(w.Before.Mean)))
	if more := len(v.Worse) - 1; more > 0 {
		words += ", " + text.Plural(more, "other") + " too"
	}
	return []string{words}
}

// lost says how many jobs leave, where these are more than before: of up to three
// customers, first of those that lose most, above all of those with promises.
func (v verdict) lost(verb string, jobs []study.LostJobs) []string {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(l study.LostJobs) bool {
		return l.Jobs <= 0.5 || verb == "lets expire" && l.Jobs < 0.01*l.Of || v.ChangeResult != v.all.Before && l.Jobs <= l.Before+0.5
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

// fates are what becomes of a promise, by its state after a change, or before and after.
var fates = map[string]string{
	"kept": "keeps", "not kept": "breaks", "undecided": "may keep",
	"not kept, not kept": "still breaks", "not kept, undecided": "may now keep", "kept, undecided": "may break",
}

// promises says which promises a change breaks or keeps unlike the log if that kept them,
// else unlike the scenario as it is, and of a change of promises what becomes of each.
// Promises with the same fate share a clause.
func (v verdict) promises() (list []string) {
	log := &study.ChangeResult{}
	if v.all.Recorded != nil {
		log = v.all.Recorded
	}
	if e := v.Simulation; e.Difference.Mean > 0 && e.After.Mean < 0.999*log.Simulation.After.Mean {
		list = append(list, "earns less than the log, "+money(log.Simulation.After, true)+" $/h")
	}
	type promise struct{ name, kept, level string }
	by := map[string][]promise{} // fate
	for _, p := range v.Promises {
		kept, from := percentage(p.After), study.PromiseState(p.Before, float64(p.Level), v.Once)
		than := fmt.Sprintf(", was %.1f", 100*float64(p.Before.Mean))
		for _, q := range log.Promises {
			if same := q.Name == p.Name && q.Level == p.Level && q.Within == p.Within; same && q.Kept == "kept" {
				if from = q.Kept; p.Kept != from {
					than = ", the log kept " + text.Percent(float64(q.After.Mean))
				}
			}
		}
		if from == "void" {
			than = ""
		}
		if study.PromiseState(p.OfAdmitted, float64(p.Level), v.Once) != p.Kept {
			kept, than = text.Percent(float64(p.After.Mean)), than+", "+text.Percent(float64(p.OfAdmitted.Mean))+" of admitted"
		}
		switch fate := cmp.Or(fates[from+", "+p.Kept], fates[p.Kept]); {
		case v.ChangeResult == v.all.Before || (p.Kept == from || p.Difference.Mean == 0) && !v.OfPromises:
		case p.Kept == "void":
			list = append(list, "no job of "+p.Name+" is admitted: its promise is void")
		default:
			by[fate] = append(by[fate], promise{p.Name, kept + than, plainPercent(float64(p.Level))})
		}
	}
	for _, fate := range slices.Sorted(maps.Keys(by)) { // breaks is the first
		if all := by[fate]; len(all) == 1 {
			list = append(list, fmt.Sprintf("%s the promise to %s: %s, %s promised", fate, all[0].name, all[0].kept, all[0].level))
		} else {
			each := text.Each(all, func(p promise) string { return p.name + " (" + p.kept + ")" })
			list = append(list, fate+" the promises to "+enumerate(each))
		}
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
	back := "never paid back"
	if v.Payback != nil && *v.Payback < year {
		back = "paid back in " + text.Duration(float64(*v.Payback))
	} else if v.Payback != nil {
		back = "paid back in " + text.Fixed(float64(*v.Payback)/year, 1) + " years"
	}
	return fmt.Sprintf("%s for %s $, %s; %s", units, text.Grouped(more*float64(v.all.Price)), back, left)
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
	words := text.Each(list[:min(len(list), mostRanked)], func(e entry) string { return e.name + " " + signedShort(e.gain) })
	ranked := "Best first" + costs + ": " + strings.Join(words, ", ") + " $/h"
	if more := len(list) - mostRanked; more > 0 {
		ranked += fmt.Sprintf(", %d more", more)
	}
	switch d := r.Lead.Difference; {
	case list[0].name == "as it is": // no change gains, and the first two are not those of the lead
	case d.Mean == 0 && (d.HalfWidth == 0 || r.Lead.Once):
		ranked += "; the first two earn the same"
	case !r.Lead.Sure:
		ranked += "; no gain is more than chance"
	case d.Interval().Contains(0) && !r.Lead.Once:
		ranked += "; the first two may differ by chance"
	}
	return ranked
}

// money formats an amount with its interval, where there is one.
func money(e study.Estimate, once bool) string {
	if once || e.HalfWidth == 0 || math.IsInf(float64(e.HalfWidth), 0) {
		return text.Short(float64(e.Mean))
	}
	return amount(e.Interval(), 1)
}

// signedShort formats a difference of money.
func signedShort(x float64) string { return plus(x) + text.Short(x) }
