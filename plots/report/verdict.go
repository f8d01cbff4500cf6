package report

import (
	"cmp"
	"fmt"
	"math"
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
		c.Headline, c.Lines, c.Explained = c.Name+": "+v.gain(), v.lines(), v.explain()
		switch earned := money(c.Simulation.After, c.Once); c {
		case r.Before:
			c.Headline = fmt.Sprintf("%s: %s earns %s $/h%s", c.Name, c.Policy, earned, v.possible())
		case r.Recorded:
			c.Headline = fmt.Sprintf("%s: the log earned %s $/h%s; %s would have earned %s on the same jobs", c.Name, earned,
				v.possible(), r.Policy, money(c.Simulation.Before, c.Once))
			c.Explained, c.Lines = "", []string{fmt.Sprintf("the policy does not explain the difference of %s $/h: holds, outages, limits, priorities",
				text.Short(math.Abs(float64(c.Simulation.Difference.Mean))))}
		}
		c.Verdict = strings.Join(append([]string{c.Headline}, c.Lines...), "; ")
	}
	r.Verdict = ranking(r)
}

// verdict is the words on one change.
type verdict struct {
	*study.ChangeResult
	all *study.WhatIfResult
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

// Words and lines of a verdict.
const (
	mostWords = 20
	mostLines = 3
)

// lines are those that matter of a change: prices, customers that it harms, promises,
// and whether it pays.
func (v verdict) lines() []string {
	list := []string{}
	for _, clauses := range [][]string{v.prices(), v.harmed(), v.promises(), v.cost()} {
		list = append(list, packed(clauses)...)
	}
	return list[:min(len(list), mostLines)]
}

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
	if v.Admission.Prices == "" {
		return nil
	}
	list := strings.Split(v.Admission.Prices, ", ")
	list[0] = "asks " + list[0]
	return list
}

// harmed says which customers lose jobs, and which are served worse than before.
func (v verdict) harmed() []string {
	refused := v.lost("refuses", v.Refused)
	if refused != nil && v.Admission.InSample {
		refused = append(refused, "chosen on these very jobs")
	}
	return slices.Concat(v.lost("gives up", v.GivenUp), refused, v.lost("kills", v.Killed), v.served(), v.lost("lets expire", v.expired()))
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

// lost says how many jobs leave, where these are more than before: of the customer that
// loses the largest share, then of the others.
func (v verdict) lost(verb string, jobs []study.LostJobs) []string {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(l study.LostJobs) bool {
		return l.Jobs <= 0.5 || v.ChangeResult != v.all.Before && l.Jobs <= l.Before+0.5
	})
	if len(jobs) == 0 {
		return nil
	}
	slices.SortStableFunc(jobs, func(a, b study.LostJobs) int { return cmp.Compare(b.Jobs/b.Of, a.Jobs/a.Of) })
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
	switch len(jobs) {
	case 1:
	case 2:
		words += fmt.Sprintf(", %s of %s of %s", count(jobs[1].Jobs), count(jobs[1].Of), jobs[1].Name)
	default:
		var others study.Number
		for _, l := range jobs[1:] {
			others += l.Jobs
		}
		words += ", " + count(others) + " of others"
	}
	return []string{words}
}

// promises says which promises break or are now kept, and of a change of promises what
// becomes of each. The table shows those of the scenario as it is.
func (v verdict) promises() []string {
	var list []string
	for _, p := range v.Promises {
		if !v.OfPromises && p.Kept == study.PromiseState(p.Before, float64(p.Level), v.Once) {
			continue
		}
		words := map[string]string{"kept": "keeps", "not kept": "breaks", "undecided": "may break"}[p.Kept]
		if words == "" {
			list = append(list, "no job of "+p.Name+" is admitted: its promise is void")
			continue
		}
		kept := percentage(p.After)
		if study.PromiseState(p.OfAdmitted, float64(p.Level), v.Once) != p.Kept {
			kept = text.Percent(float64(p.After.Mean)) + ", " + text.Percent(float64(p.OfAdmitted.Mean)) + " of admitted"
		}
		list = append(list, fmt.Sprintf("%s the promise to %s: %s, %s promised", words, p.Name, kept, plainPercent(float64(p.Level))))
	}
	return list
}

// cost says what a promise costs, or whether units pay for themselves.
func (v verdict) cost() []string {
	if p := v.PromiseCost; p != nil && p.Against != v.all.Before.Name { // of that the headline tells
		return []string{fmt.Sprintf("the promise costs %s $/h against %s, the best admission without it", money(p.Difference, v.Once), p.Against)}
	}
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
	switch {
	case more < 0:
		return []string{fmt.Sprintf("to do without %s pays above %s", units, price)}
	case v.BreakEven.Mean <= 0:
		return []string{units + " do not pay at any price"}
	case low <= 0 && !v.Once:
		return []string{fmt.Sprintf("%s may pay for themselves below %s, or at no price", units, price)}
	}
	return []string{fmt.Sprintf("%s pay for themselves below %s", units, price)}
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
		name := c.Name
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
