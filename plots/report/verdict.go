package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/study/whatif"
	"revopt/simulate/warn"
)

// fillVerdicts gives a what-if its words: a headline and the lines that matter of the
// log, of the scenario as it is and of every change, and the changes in order.
func fillVerdicts(r *whatif.Result) {
	list := []*whatif.ChangeResult{r.Before}
	for i := range r.Changes {
		list = append(list, &r.Changes[i])
	}
	if r.Recorded != nil {
		list = append(list, r.Recorded)
	}
	for _, c := range list {
		wording.Tell(c.Doubts)
		if c.Formula != nil && c.Formula.Reason != nil {
			c.Formula.Reason.Text = wording.Sentence(*c.Formula.Reason)
		}
		c.Admission.Prices = priceList(c.Admission.Asked)
		v := verdict{c, r}
		c.Headline, c.Explained = label(r, c)+": "+v.gain(), v.explain()
		switch earned := money(c.Simulation.After, c.Once); c {
		case r.Before:
			c.Headline = fmt.Sprintf("%s: %s delivers %s $/h%s", c.Name, c.Policy, earned, v.possible())
			if r.Objective != "" {
				c.Headline = fmt.Sprintf("%s: the %s under %s is %s%s", c.Name, aim(r.Objective).noun(), c.Policy,
					aim(r.Objective).amount(c.Simulation.After, c.Once), v.possible())
			}
		case r.Recorded:
			lacks := "holds, outages and limits"
			if r.Outages {
				lacks = "holds and limits"
			}
			c.Headline = fmt.Sprintf("%s: delivered %s $/h; %s, without %s, delivers %s", c.Name,
				earned, r.Policy, lacks, money(c.Simulation.Before, c.Once))
			if a := aim(r.Objective); a != "" {
				c.Headline = fmt.Sprintf("%s: the %s was %s; under %s, without %s, it is %s", c.Name, a.noun(),
					a.amount(c.Simulation.After, c.Once), r.Policy, lacks, a.amount(c.Simulation.Before, c.Once))
			}
			if r.Baseline != nil {
				c.Headline = likenessWords(r.Baseline) // the first line has the amounts
			}
			c.Explained = ""
		}
		lines := v.lines()
		c.Lines = append([]string{}, text.Each(lines[:min(len(lines), mostLines)], remark.String)...)
		c.Verdict = strings.Join(append([]string{c.Headline}, c.Lines...), "; ")
	}
	r.Verdict = ranking(r)
	if g := r.Grow; g != nil {
		g.Text = growth(r)
		other := func(c whatif.ChangeResult) bool { return c.GainPerUnit == nil && c.Choice != "" }
		r.Verdict = g.Text + ". " + r.Verdict
		if !slices.ContainsFunc(r.Changes, other) {
			r.Verdict = g.Text
		}
	}
}

// verdict is the words on one change.
type verdict struct {
	*whatif.ChangeResult
	all *whatif.Result
}

// remark is a line below a headline: a statement, and numbers that belong to it.
type remark struct{ says, numbers string }

func (l remark) String() string { return l.says + l.numbers }

// lines are those of a change, the most important first: whom it harms, jobs that it loses, promises that
// it breaks or that are broken and fall, whether it pays, prices, promises that it keeps,
// customers that it serves worse. All together has its losses, promises that fall, and those
// that no single change breaks, with pools also whether it pays; the log has none.
func (v verdict) lines() []remark {
	switch v.ChangeResult {
	case v.all.Before:
		return v.lost()
	case v.all.Recorded:
		return nil
	}
	broken, kept := v.promises()
	if !v.together() {
		return slices.Concat(v.harmsAndLoses(), broken, v.pays(), v.prices(), kept, v.served())
	}
	list := v.harms()
	if list == nil {
		list = v.lost()
	}
	for _, l := range broken {
		if strings.HasPrefix(l.says, worse) || !v.saidAlone(l) {
			list = append(list, l)
		}
	}
	if v.Units != nil {
		list = append(list, v.pays()...)
	}
	return list
}

// saidAlone reports whether a single change has a line that says the same.
func (v verdict) saidAlone(l remark) bool {
	same := func(other remark) bool { return other.says == l.says }
	for i := range v.all.Changes {
		alone := verdict{&v.all.Changes[i], v.all}
		if !alone.together() && slices.ContainsFunc(alone.lines(), same) {
			return true
		}
	}
	return false
}

// together reports whether this is all changes together.
func (v verdict) together() bool {
	return v.Choice == "" && v.ChangeResult != v.all.Before && v.ChangeResult != v.all.Recorded
}

// possible gives what is earned as a share of what no policy can exceed.
func (v verdict) possible() string {
	if share := v.Share(); share >= 0 {
		return ", efficiency " + text.Percent(share)
	}
	return ""
}

// gain says what a change brings, and whether that may be chance.
func (v verdict) gain() string {
	d := v.Simulation.Difference
	mean := float64(d.Mean)
	a := aim(v.all.Objective)
	if v.Unlike {
		return a.fewer(float64(v.NotRun.Before), float64(v.NotRun.After))
	}
	if mean == 0 && (d.HalfWidth == 0 || v.Once) {
		return "no difference at all"
	}
	words := ""
	if a != "" {
		words = a.change(mean)
	} else {
		words = monthly(mean)
	}
	switch {
	case !v.Once && !v.Beyond(v.Simulation.Difference):
		words += ", perhaps by chance"
	case v.all.Resampled:
		words += ", in nearly all spans"
	case v.Admission.InSample && !v.together():
		words += ", chosen on these jobs"
	case !v.Once:
		words += ", not by chance"
	}
	if v.Net == nil { // else a line says whether it pays
		words += v.histories()
	}
	return words
}

// prices lists the first prices that an admission asks, and what a change of prices assumes.
func (v verdict) prices() (list []remark) {
	if asked := v.Admission.Asked; asked != nil {
		words := priceList(asked[:min(3, len(asked))])
		if more := len(asked) - 3; more > 0 {
			words += fmt.Sprintf(", %d more", more)
		}
		list = append(list, remark{"asks ", words})
	}
	if v.Inelastic {
		list = append(list, remark{"assumes that no customer leaves: no demand is stated", ""})
	}
	return list
}

// growth says which pool should grow first, and whether that pays.
func growth(r *whatif.Result) string {
	var ranked []*whatif.ChangeResult
	for i, c := range r.Changes {
		if c.Rank > 0 {
			ranked = append(ranked, &r.Changes[i])
		}
	}
	slices.SortStableFunc(ranked, func(a, b *whatif.ChangeResult) int { return cmp.Compare(a.Rank, b.Rank) })
	first, scope, notes := ranked[0], "", ""
	for _, name := range r.Grow.Unpriced {
		scope, notes = " with a cost", notes+"; "+name+" has no cost"
	}
	unit := func(c *whatif.ChangeResult) string { return text.Unit(c.Units[0].Unit) }
	other := func(c *whatif.ChangeResult) bool { return unit(c) != unit(first) }
	if k := slices.IndexFunc(ranked, other); k > 0 && r.Grow.By == whatif.GainPerUnit {
		notes += fmt.Sprintf("; by gain per unit, but units differ: %s and %s", unit(first), unit(ranked[k]))
	}
	pool := func(c *whatif.ChangeResult) string { return c.Units[0].Pool }
	earns := func(c *whatif.ChangeResult) string {
		more, verb := c.Units[0].Units[1]-c.Units[0].Units[0], "bring"
		if more == 1 {
			verb = "brings"
		}
		words := fmt.Sprintf("+%s %s %s $/h", text.Plural(more, unit(c)), verb, money(c.Simulation.Difference, c.Once))
		if r.Grow.By == whatif.GainPerUnit {
			return words + fmt.Sprintf(", %s $ per %s-hour", money(*c.GainPerUnit, c.Once), unit(c))
		}
		return words + fmt.Sprintf(" for %s $/h", text.Short(float64(c.Simulation.Difference.Mean-c.Net.Mean)))
	}
	decided := first.Decision()
	switch {
	case decided == whatif.DoesNotPay:
		return "No pool" + scope + " should grow: the best, " + pool(first) + ", does not pay: " + earns(first) + notes
	case decided == whatif.Undecided:
		words := "Undecided whether a pool" + scope + " should grow: the best is "
		return words + pool(first) + ": " + earns(first) + notes
	}
	ranked = slices.DeleteFunc(ranked, func(c *whatif.ChangeResult) bool { return c.Gain().Mean <= 0 })
	ties := min(r.Grow.Ties, len(ranked))
	tied := ranked[:min(ties, 3)]
	words := strings.Join(text.Each(tied, pool), " or ")
	if more := ties - len(tied); more > 0 {
		words += fmt.Sprintf(" or %d more", more)
	}
	words += " should grow first"
	if ties > 1 {
		words += ", they cannot be told apart"
	} else if len(ranked) > 1 {
		notes = "; next " + pool(ranked[1]) + ": " + earns(ranked[1]) + notes
	}
	return words + ": " + strings.Join(text.Each(tied, earns), "; ") + notes
}

// pays says whether units pay for themselves.
func (v verdict) pays() []remark {
	more, unit := v.Nodes[1]-v.Nodes[0], text.Unit(v.all.UnitName)
	if len(v.Units) == 1 {
		unit = text.Unit(v.Units[0].Unit)
	}
	units := text.Plural(max(more, -more), unit)
	if v.Net != nil {
		return []remark{v.net(unit, float64(more))}
	}
	if v.BreakEven == nil {
		return nil
	}
	price := money(*v.BreakEven, v.Once) + " $/" + unit + "-hour"
	return []remark{{v.breaksEven(more, units, price), ""}}
}

// breaksEven says at which price more or fewer units pay.
func (v verdict) breaksEven(more int, units, price string) string {
	does, pays := "do", "pay for themselves"
	if more == 1 {
		does, pays = "does", "pays for itself"
	}
	switch low, _ := v.BreakEven.Interval().Bounds(); {
	case more < 0:
		return "to do without " + units + " pays above " + price
	case v.BreakEven.Mean <= 0:
		return units + " " + does + " not pay at any price"
	case low <= 0 && !v.Once:
		return units + " " + pays + " below " + price + ", if at all"
	}
	return units + " " + pays + " below " + price
}

// net says whether units pay after their cost, and when their price is paid back.
func (v verdict) net(unit string, more float64) remark {
	pays := v.payWords()
	if v.all.Price == 0 && (v.all.Costs == nil || v.Payback == nil) || more < 0 {
		words := fmt.Sprintf(": net %s $/h", text.Signed(float64(v.Net.Mean), money(*v.Net, v.Once)))
		if v.all.Cost != nil {
			words += fmt.Sprintf(" at %s $/%s-hour", text.Plain(float64(*v.all.Cost)), unit)
		}
		return remark{pays, words}
	}
	return remark{pays, fmt.Sprintf(": net %s $/h, %s", signedShort(float64(v.Net.Mean)), v.paybackWords())}
}

// paybackWords says when the price of units is paid back.
func (v verdict) paybackWords() string {
	if v.Payback == nil {
		return "never paid back"
	}
	seconds := float64(*v.Payback)
	switch years := seconds / (365 * 86400); {
	case years > 1000:
		return "never paid back (over 1,000 years)"
	case years < 1:
		return "paid back in " + text.Duration(seconds)
	default:
		return "paid back in " + text.Fixed(years, 1) + " years"
	}
}

// mostRanked is how many changes the ranking names.
const mostRanked = 5

// few lists the first names and how many more there are.
func few(names []string) string {
	words := strings.Join(names[:min(len(names), mostRanked)], ", ")
	if more := len(names) - mostRanked; more > 0 {
		words += fmt.Sprintf(", %d more", more)
	}
	return words
}

// ranking lists the changes, best first, those that harm somebody last, and the scenario as it is where some are worse.
func ranking(r *whatif.Result) string {
	if len(r.Changes) < 2 {
		return ""
	}
	type entry struct {
		name  string
		gain  float64
		harms bool
	}
	var list []entry
	costs := ""
	var fewer []string
	for i := range r.Changes {
		c := &r.Changes[i]
		name := shortName(r, c.Name)
		if c.Unlike {
			fewer = append(fewer, name)
			continue
		}
		if c.Choice == "" { // all together
			name, _, _ = strings.Cut(name, ", ")
		}
		if r.Costed() && c.Net == nil && c.Units != nil {
			name += " (without its cost)"
		}
		list = append(list, entry{name, float64(c.Gain().Mean), len(c.Harm) > 0})
		if c.Nodes[1] > c.Nodes[0] && r.Objective == "" {
			costs = ", before costs"
		}
	}
	if r.Costed() {
		costs = ", after costs"
	}
	if !r.Costed() && slices.ContainsFunc(list, func(e entry) bool { return e.gain < 0 }) {
		list = slices.Insert(list, 0, entry{name: "as it is"}) // before changes without effect
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(b.gain, a.gain) })
	tied := r.Tied && len(list) > 1 && !list[0].harms && !list[1].harms
	var safe, harmful []string
	for _, e := range list {
		if r.Costed() { // headlines have the gains without it
			e.name += " " + signedShort(e.gain)
		}
		if e.harms {
			harmful = append(harmful, e.name)
		} else {
			safe = append(safe, e.name)
		}
	}
	if tied {
		safe = append([]string{safe[0] + " or " + safe[1]}, safe[2:]...)
	}
	if safe == nil { // the scenario as it is harms nobody
		safe = []string{"as it is"}
	}
	ranked := "Best first" + costs + ": " + few(safe)
	if n := len(harmful); n > 0 && n <= mostRanked/2+1 { // of many, the headline has the best
		ranked += "; with harm: " + strings.Join(harmful, ", ")
	}
	if fewer != nil {
		ranked += "; not compared: " + few(fewer)
	}
	if conflicting(r) {
		ranked += "; they change the same field, so none are made together"
	}
	return ranked
}

// conflicting reports whether all changes are values of one field. Policies and admissions are known to exclude each
// other.
func conflicting(r *whatif.Result) bool {
	choice := r.Changes[0].Choice
	if choice == "" || choice == whatif.ChoicePolicy || choice == "admission" || r.Interrupted {
		return false
	}
	return !slices.ContainsFunc(r.Changes, func(c whatif.ChangeResult) bool { return c.Choice != choice })
}

// explain sets the formula beside the simulation, of the scenario as it is its level and of
// changes the gain, and says how the bound moves.
func (v verdict) explain() string {
	bound := ""
	show := func(x float64) string { return text.Short(x) + " $/h" }
	moves := signedShort
	if a := aim(v.all.Objective); a != "" {
		show, moves = a.number, a.signed
	}
	if after := float64(v.Bound.After); v.ChangeResult != v.all.Before && !math.IsNaN(after) {
		bound = fmt.Sprintf("the proven bound moves by %s to %s", moves(float64(v.Bound.Difference.Mean)), show(after))
		if v.Bound.Difference.Mean == 0 {
			bound = fmt.Sprintf("the proven bound stays at %s", show(after))
		}
		if v.Bound.Coarse {
			bound += " (coarse, as jobs are drawn)"
		}
	}
	if v.Formula == nil {
		return bound
	}
	simulated, says := v.Simulation.Difference, v.Formula.Difference()
	if v.ChangeResult == v.all.Before {
		simulated, says = v.Simulation.After, float64(v.Formula.After)
	}
	doubts := v.Doubts[:min(3, len(v.Doubts))]
	off := says - float64(simulated.Mean)
	words, link := fmt.Sprintf("believe the simulation: the formula says %s $/h, off by %s", text.Short(says),
		signedShort(off)), ", as "
	if math.IsNaN(says) {
		words, doubts = "believe the simulation: the formula has no answer", nil
		if v.Formula.Reason != nil {
			doubts = []warn.Warning{*v.Formula.Reason}
		}
	} else if simulated.Interval().Contains(says) && !v.Once || off == 0 {
		words, link = fmt.Sprintf("the formula agrees (%s $/h)", text.Short(says)), ", although "
		if len(doubts) == 0 {
			words = fmt.Sprintf("believe the formula, which agrees (%s $/h): it has no sampling error, and its "+
				"assumptions hold", text.Short(says))
		}
	}
	if len(doubts) > 0 {
		words += link + wording.Enumerate(text.Each(doubts, wording.Sentence))
	}
	if bound != "" {
		words += "; " + bound
	}
	return words
}
