package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/study"
)

// fillVerdicts gives a what-if its sentences: on the scenario as it is, on every
// change, and on the change that brings most.
func fillVerdicts(r *study.WhatIfResult) {
	prepare := func(c *study.ChangeResult) *study.ChangeResult {
		tell(c.Doubts)
		if c.Formula.Reason != nil {
			c.Formula.Reason.Text = Sentence(*c.Formula.Reason)
		}
		c.Admission.Prices = priceList(c.Admission.Asked)
		return c
	}
	r.Before.Verdict = asItIs(prepare(r.Before))
	for i := range r.Changes {
		v := verdict{prepare(&r.Changes[i]), r}
		v.Verdict = v.sentence()
	}
	r.Verdict = leadWords(r)
}

// asItIs says how much the scenario earns, as a share of the possible, and how far
// the formula is off.
func asItIs(c *study.ChangeResult) string {
	e, formula, bound := c.Simulation.After, float64(c.Formula.After), float64(c.Bound.After)
	mean := float64(e.Mean)
	words := fmt.Sprintf("%s earns %s $/h by simulation", c.Policy, money(e, c.Once))
	switch {
	case bound > 0 && mean < 0:
		words += fmt.Sprintf(", where no policy can exceed %s: it leaves at most %s", text.Short(bound), text.Short(bound-mean))
	case bound > 0:
		words += fmt.Sprintf(", %s of the %s that no policy can exceed: it leaves at most %s",
			text.Percent(mean/bound), text.Short(bound), text.Short(bound-mean))
	}
	reasons := enumerate(mainDoubts(c))
	switch {
	case math.IsNaN(formula):
		words += "; the formula has no answer, as " + reason(c)
	case e.Interval().Contains(formula) && !c.Once:
		words += fmt.Sprintf("; the formula agrees (%s)", text.Short(formula))
		if reasons != "" {
			words += ", although " + reasons
		}
	case reasons == "":
		words += fmt.Sprintf("; the formula says %s", text.Short(formula))
	default:
		words += fmt.Sprintf("; the formula says %s, off by %s, as %s", text.Short(formula), signedShort(formula-mean), reasons)
	}
	return strings.Join(slices.Concat([]string{words}, admissionClauses(c), promiseClauses(c)), "; ")
}

// leadWords says which change alone brings most, and whether by more than chance.
func leadWords(r *study.WhatIfResult) string {
	if r.Lead == nil {
		return ""
	}
	net := ""
	if r.Cost != nil {
		net = ", net of the cost of nodes"
	}
	if !r.Lead.Sure {
		return "No change alone is seen to earn more than the scenario as it is" + net
	}
	d := r.Lead.Difference
	words := fmt.Sprintf("Most is earned after %s%s, %s $/h more than after %s",
		r.Changes[r.Lead.First].Name, net, money(d, r.Lead.Once), r.Changes[r.Lead.Second].Name)
	if d.Interval().Contains(0) && !r.Lead.Once {
		words += ", perhaps by chance"
	}
	return words
}

// verdict is the sentence on one change.
type verdict struct {
	*study.ChangeResult
	all *study.WhatIfResult
}

// sentence says what a change brings, which method to believe, and why.
func (v verdict) sentence() string {
	effect := slices.Concat([]string{v.gain()}, v.cost(), admissionClauses(v.ChangeResult))
	promises := promiseClauses(v.ChangeResult)
	clauses := append(effect, promises...)
	if v.OfPromises {
		clauses = append(promises, effect...)
	}
	clauses = append(clauses, v.belief())
	if bound := v.bound(); bound != "" {
		clauses = append(clauses, bound)
	}
	return strings.Join(clauses, "; ")
}

// gain says what the simulation found.
func (v verdict) gain() string {
	d, before := v.Simulation.Difference, float64(v.Simulation.Before.Mean)
	mean, half := float64(d.Mean), float64(d.HalfWidth)
	switch {
	case v.same():
		return "no difference at all"
	case !v.Seen() && math.IsInf(half, 0):
		return fmt.Sprintf("%s $/h in one replication, which has no interval", signedShort(mean))
	case !v.Seen():
		words := fmt.Sprintf("%s ± %s", signedShort(mean), text.Short(half))
		if i := d.Interval(); i.Range {
			words = fmt.Sprintf("%s, of spans %s to %s", signedShort(i.Mean), signedShort(i.Low), signedShort(i.High))
		}
		return "no difference was seen (" + words + " $/h)"
	}
	words := fmt.Sprintf("earns %s $/h more", money(d, v.Once))
	if mean < 0 {
		words = fmt.Sprintf("earns %s $/h less", money(d.Negative(), v.Once))
	}
	if share := math.Round(1000*mean/before) / 10; before > 0 && share != 0 {
		words += fmt.Sprintf(" (%+.1f %%)", share)
	}
	if v.Once {
		words += " on these very jobs"
	}
	return words
}

// same reports whether the change makes no difference in any replication.
func (v verdict) same() bool {
	d := v.Simulation.Difference
	return d.Mean == 0 && (d.HalfWidth == 0 || v.Once)
}

// belief says which method to believe and why.
func (v verdict) belief() string {
	d, f := v.Simulation.Difference, v.Formula.Difference()
	single := math.IsInf(float64(d.HalfWidth), 0) // one replication
	scale := math.Max(math.Abs(float64(v.Simulation.Before.Mean)), math.Abs(float64(v.Simulation.After.Mean)))
	off := math.Abs(f - float64(d.Mean))
	apart := (!d.Interval().Contains(f) || v.Once || single) && off > 1e-9*scale
	doubted := len(v.Doubts) > 0
	says := "the formula says " + signedShort(f)
	switch {
	case math.IsNaN(f):
		words := "believe the simulation, the only method with an answer: the formula has none, as " + reason(v.ChangeResult)
		if after := float64(v.Formula.After - v.Simulation.After.Mean); !math.IsNaN(after) {
			words += fmt.Sprintf("; after the change it says %s $/h, off by %s",
				text.Short(float64(v.Formula.After)), signedShort(after))
		}
		return words
	case v.same() && f == 0:
		return "formula and simulation agree"
	case single && !v.Once && v.all.Resampled:
		return "one span has no range to set against the formula, which says " + signedShort(f)
	case single && !v.Once:
		return "more replications would tell whether to believe the formula, which says " + signedShort(f)
	case v.OfPolicy:
		return "believe the simulation: the formula knows one order of service, whatever the policy"
	case apart && !doubted:
		more := ", with more replications"
		if v.all.Resampled {
			more = ""
		}
		return fmt.Sprintf("believe the simulation%s: %s, off by %s $/h for no reason known here", more, says, text.Short(off))
	case apart:
		words := fmt.Sprintf("believe the simulation: %s, off by %s $/h", says, text.Short(off)) + v.because("as")
		if exact := float64(v.Formula.Exact[1] - v.Formula.Exact[0]); math.Abs(exact-f) > off/4 {
			words += fmt.Sprintf(" (with penalties and graces counted job by job it says %s)", signedShort(exact))
		}
		return words
	case !doubted:
		return "believe the formula, which agrees (" + signedShort(f) + " $/h): it has no sampling error, and its assumptions hold"
	case !v.Seen() && v.all.Resampled:
		return "believe the range: spans differ by more than the change brings, and the formula, which says " + signedShort(f) +
			", does not decide" + v.because("as")
	case !v.Seen():
		return "more replications would tell, and not the formula: its " + signedShort(f) + " lies within that" + v.because("as")
	case v.Simulation.After.Interval().Contains(float64(v.Formula.After)):
		return "believe both: the formula agrees (" + signedShort(f) + " $/h)" + v.because("although")
	}
	// Right about the difference and wrong about both levels is luck.
	return "believe the simulation: the formula agrees (" + signedShort(f) + " $/h), but it matches the gain and not the levels" +
		v.because("as")
}

// because gives the reasons for doubts about the formula, after "as" or
// "although"; those that were given about the scenario as it is are not repeated.
func (v verdict) because(word string) string {
	about := func(doubt string) string { words, _, _ := strings.Cut(doubt, " ("); return words }
	shown, known := mainDoubts(v.ChangeResult), mainDoubts(v.all.Before)
	var more []string
	for _, d := range shown {
		if !slices.ContainsFunc(known, func(k string) bool { return about(k) == about(d) }) {
			more = append(more, d)
		}
	}
	above := "for the reasons above"
	if word == "although" {
		above = "despite the doubts above"
	}
	switch len(more) {
	case 0:
		return ", " + above
	case len(shown):
		return ", " + word + " " + enumerate(more)
	}
	return ", " + word + " " + enumerate(more) + ", and " + above
}

// mainDoubts returns the doubts about the formula that a verdict has room for.
func mainDoubts(c *study.ChangeResult) []string {
	var list []string
	for _, d := range c.Doubts[:min(3, len(c.Doubts))] {
		list = append(list, Sentence(d))
	}
	return list
}

// reason says why the formula has no answer.
func reason(c *study.ChangeResult) string {
	if c.Formula.Reason == nil {
		return ""
	}
	return Sentence(*c.Formula.Reason)
}

// bound says how the proven bound moves.
func (v verdict) bound() string {
	move, after := float64(v.Bound.Difference.Mean), float64(v.Bound.After)
	got := float64(v.Simulation.After.Mean)
	if math.IsNaN(after) {
		return ""
	}
	words := fmt.Sprintf("the proven bound moves by %s to %s $/h", signedShort(move), text.Short(after))
	if math.Abs(move) <= 1e-9*math.Abs(after) {
		words = fmt.Sprintf("the proven bound stays at %s $/h", text.Short(after))
	}
	if got >= 0 {
		words += ", of which this is " + text.Percent(got/after)
	}
	nodesAlone := v.BreakEven != nil && v.Nodes[1] > v.Nodes[0]
	if nodesAlone && v.Seen() && float64(v.Simulation.Difference.Mean) > math.Max(2*move, 0) {
		words += ": most of the gain makes up for what " + v.Policy + " loses, and another policy might earn it without the nodes"
	}
	return words
}

// cost says whether nodes pay for themselves.
func (v verdict) cost() []string {
	more := v.Nodes[1] - v.Nodes[0]
	switch {
	case v.Net != nil:
		words := fmt.Sprintf("net of %s $/node-hour %s $/h", text.Plain(float64(*v.all.Cost)), money(*v.Net, v.Once))
		switch {
		case !v.Once && v.Net.Interval().Contains(0):
			words += ": undecided"
		case v.Net.Mean > 0:
			words += ": it pays"
		default:
			words += ": it does not pay"
		}
		return []string{words}
	case v.BreakEven == nil:
		return nil
	}
	nodes, price := text.Plural(max(more, -more), "node"), money(*v.BreakEven, v.Once)+" $/node-hour"
	mean := float64(v.BreakEven.Mean)
	low, high := v.BreakEven.Interval().Bounds()
	if v.Once {
		low, high = mean, mean
	}
	switch {
	case more < 0 && high <= 0:
		return []string{"to do without " + nodes + " pays at any price"}
	case more < 0 && mean <= 0:
		return []string{fmt.Sprintf("to do without %s may pay at any price (above %s)", nodes, price)}
	case more < 0:
		return []string{fmt.Sprintf("to do without %s pays above %s", nodes, price)}
	case mean <= 0:
		return []string{nodes + " do not pay at any price"}
	case low <= 0:
		return []string{fmt.Sprintf("%s may pay for themselves below %s, or at no price", nodes, price)}
	}
	return []string{fmt.Sprintf("%s pay for themselves below %s", nodes, price)}
}

// admissionClauses says whose jobs are turned away.
func admissionClauses(c *study.ChangeResult) []string {
	a := c.Admission
	if a.Name == scenario.AdmitAll {
		return nil
	}
	var away []string
	for _, t := range a.Classes {
		if t.Refused > 0 {
			refused, submitted := float64(t.Refused), float64(t.Submitted)
			away = append(away, fmt.Sprintf("%s of %s (%s of %s)",
				text.Percent(refused/submitted), t.Name, text.Fixed(refused, 0), text.Fixed(submitted, 0)))
		}
	}
	words := "it turns no job away"
	switch {
	case a.Prices != "" && away != nil:
		words = "it asks " + a.Prices + " and turns away " + enumerate(away)
	case a.Prices != "":
		words = "it asks " + a.Prices
	case away != nil:
		words = "it turns away " + enumerate(away)
	}
	if away != nil && len(away) < len(a.Classes) {
		words += ", and no others"
	}
	if a.InSample {
		words += ", as a search on these very jobs found best (in-sample)"
	}
	return []string{words}
}

// promiseClauses says of every promise whether it is kept after the change.
func promiseClauses(c *study.ChangeResult) []string {
	var list []string
	for _, p := range c.Promises {
		if math.IsNaN(float64(p.After.Mean)) {
			list = append(list, "no job of "+p.Name+" is admitted, so that its promise is void")
			continue
		}
		before := ""
		if !math.IsNaN(float64(p.Before.Mean)) && (p.Before.Mean != p.After.Mean || p.Before.HalfWidth != p.After.HalfWidth) {
			before = ", before " + percentage(p.Before)
		}
		list = append(list, fmt.Sprintf("of %s %s wait at most %s%s, where %s is promised: %s",
			p.Name, percentage(p.After), text.Chosen(float64(p.Within)), before, plainPercent(float64(p.Level)), p.Kept))
	}
	return list
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
