package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/fit"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// newResult returns the result without changes.
func (w *WhatIf) newResult(base *situation) *WhatIfResult {
	s := w.Subject
	r := &WhatIfResult{
		Scenario: s.Scenario.Name, Version: w.Version, Overrides: append([]string{}, w.Overrides...), Workload: s.Kind, Unit: "$/h", Per: base.per(), Load: Number(s.Workload.Load()), Nodes: s.Nodes(),
		Policy: w.Policy.Label(), Admission: w.Admission.Name, Seed: w.Seed, Replications: w.Replications, Level: Number(w.Level), Once: !base.experiment.Random(),
		Changes: []ChangeResult{}, Warnings: append([]Warning{}, s.warnings()...), What: s.Describe(base.subject.Workload.Size()), Source: string(s.Document.Source()),
	}
	if w.Cost > 0 {
		cost := Number(w.Cost)
		r.Cost = &cost
	}
	before := w.compare(Change{Name: "as it is"}, base, base)
	before.Verdict = w.standing(&before)
	w.doubted = before.shown()
	r.Before, r.Covers, r.Resampled = &before, base.subject.covers(r.Once), w.Resample != nil
	return r
}

// per says which hour that of $/h is.
func (s *situation) per() string {
	switch {
	case s.spans == nil:
		return "hour"
	case s.batch:
		return "hour that the jobs take as it is"
	}
	return "hour of arrivals"
}

// money returns what each of n replications earns, $/h: of a stream as measured,
// of finitely many jobs all they deliver over the span.
func (s *situation) money(n int) []float64 {
	list := s.values(metric.RevenuePerSecond(), -1, n)
	if s.spans != nil {
		list = s.values(metric.Utility(), -1, n)
	}
	for k := range list {
		if list[k] *= hour; s.spans != nil {
			list[k] /= s.spans[min(k, len(s.spans)-1)]
		}
	}
	return list
}

// values returns a measure of each of n replications. Where nothing is random one
// stands for all.
func (s *situation) values(m metric.Measure, customer, n int) []float64 {
	return stretched(s.outcome.Values(m, customer), n)
}

// stretched returns the first n numbers; the last stands for those beyond.
func stretched[T ~float64](x []T, n int) []float64 {
	list := make([]float64, n)
	for k := range list {
		list[k] = float64(x[min(k, len(x)-1)])
	}
	return list
}

// estimate returns the interval of a sample, of resampled jobs its range.
func (w *WhatIf) estimate(values []float64) Estimate {
	return newEstimate(Outcome{Level: w.Level, Spread: w.Resample != nil}.estimate(values, values))
}

// pair returns the estimates of two samples and of their difference.
func (w *WhatIf) pair(before, after []float64) EstimatePair {
	return EstimatePair{
		w.estimate(before), w.estimate(after), w.estimate(metric.Less(after, before)),
	}
}

// compare sets a situation against that before.
func (w *WhatIf) compare(c Change, base, s *situation) ChangeResult {
	n := len(s.outcome.Samples)
	if !s.experiment.Random() {
		n = len(base.outcome.Samples)
	} else if base.experiment.Random() {
		n = min(n, len(base.outcome.Samples)) // of one that was interrupted
	}
	wait := metric.MeanWait()
	r := ChangeResult{
		Name: c.Name, Set: []string{}, change: c, once: !base.experiment.Random() && !s.experiment.Random(), Policy: s.experiment.Policy.Label(),
		Formula: FormulaPair{Before: Number(base.formula), After: Number(s.formula), Reason: s.reason, Exact: [2]Number{Number(base.exact), Number(s.exact)}}, Simulation: w.pair(base.money(n), s.money(n)), Bound: w.boundPair(base, s),
		Load: [2]Number{Number(base.subject.Workload.Load()), Number(s.subject.Workload.Load())}, Nodes: [2]int{base.subject.Nodes(), s.subject.Nodes()},
		MeanWait: w.pair(base.values(wait, -1, n), s.values(wait, -1, n)), Promises: []PromiseChange{}, Doubts: doubtsOf(base, s),
	}
	if r.Formula.Reason == "" {
		r.Formula.Reason = base.reason
	}
	for _, o := range c.Set {
		r.Set = append(r.Set, o.Path+"="+o.Value)
	}
	if c.Growth != 0 {
		r.Set = append(r.Set, "growth="+text.Field(math.Round(1e12*c.Growth)/1e12))
	}
	for _, x := range s.money(n) {
		r.Money = append(r.Money, Number(x))
	}
	r.promises(w, base, s, n)
	r.turnedAway(s, n)
	w.worth(&r)
	r.Verdict = w.verdict(&r)
	return r
}

// doubtsOf returns the doubts about the formula: that of the busier queue about
// whether it settles, then those after the change, or before where there are none.
func doubtsOf(base, s *situation) []string {
	list := []string{}
	if busier := s; base.unsettled != "" || s.unsettled != "" {
		if base.unsettled != "" && base.busy > s.busy || s.unsettled == "" {
			busier = base
		}
		list = append(list, busier.unsettled)
	}
	if s.doubts == nil {
		return append(list, base.doubts...)
	}
	return append(list, s.doubts...)
}

func (w *WhatIf) boundPair(base, s *situation) BoundPair {
	b := BoundPair{Name: ClairvoyantBound, Before: Number(math.NaN()), After: Number(math.NaN()), Difference: Estimate{Mean: Number(math.NaN())}}
	if base.spans == nil {
		b.Name = FluidRateBound
	}
	if base.bounds == nil || s.bounds == nil {
		return b
	}
	n := max(len(base.bounds), len(s.bounds))
	b.Before, b.After = w.estimate(base.bounds).Mean, w.estimate(s.bounds).Mean
	b.Difference = w.estimate(metric.Less(stretched(s.bounds, n), stretched(base.bounds, n)))
	if n == 1 {
		b.Difference.HalfWidth = 0
	}
	return b
}

// promises fills in what becomes of promises.
func (r *ChangeResult) promises(w *WhatIf, base, s *situation, n int) {
	kept, _ := metric.Lookup("promise_kept")
	before := names(base.subject.Workload.Customers())
	for i, c := range s.subject.Workload.Customers() {
		if c.SLO == nil {
			continue
		}
		p := PromiseChange{Name: c.Name, Within: Number(c.SLO.Within), Level: Number(c.SLO.Level), Before: Estimate{Mean: Number(math.NaN())}}
		p.Difference = p.Before
		after := s.values(kept, i, n)
		if k := slices.Index(before, c.Name); k >= 0 {
			before := base.values(kept, k, n)
			p.Before, p.Difference = w.estimate(before), w.estimate(metric.Less(after, before))
		}
		p.After = w.estimate(after)
		p.Kept = promiseVerdict(p.After, c.SLO.Level, !s.experiment.Random())
		r.Promises = append(r.Promises, p)
	}
}

// turnedAway fills in whom the admission after the change refuses.
func (r *ChangeResult) turnedAway(s *situation, n int) {
	a := s.experiment.Admission
	customers := s.subject.Names()
	r.Admission = AdmissionOutcome{Name: a.Name, Short: a.Short(), Rule: a.thresholds(customers)}
	if s.priced {
		r.Admission.Prices = s.subject.PriceWords()
	}
	if t := s.subject.Scenario.Trace; t != nil {
		r.Admission.InSample = s.searched && t.File != scenario.SP2Like
	}
	submitted, _ := metric.Lookup("jobs_submitted")
	refused, _ := metric.Lookup("rejected_admission")
	for i, name := range customers {
		t := TurnedAway{Name: name, Admit: 1}
		if a.Rule != nil {
			t.Admit = Number(math.NaN())
		} else if a.Admit != nil {
			t.Admit = Number(a.Admit[i])
		}
		t.Submitted = Number(metric.Estimate(s.values(submitted, i, n), metric.DefaultLevel).Mean)
		t.Refused = Number(metric.Estimate(s.values(refused, i, n), metric.DefaultLevel).Mean)
		r.Admission.Classes = append(r.Admission.Classes, t)
	}
}

// machineAlone reports whether a change is one of the machine and of nothing else.
func (r *ChangeResult) machineAlone() bool {
	c := r.change
	return r.Nodes[0] != r.Nodes[1] && c.Policy == nil && c.Admission == nil && c.Growth == 0 && len(c.Set) == 1
}

// worth sets the gain against the cost of nodes: the price of a node-hour at which
// it is nothing, and what is left of it at a stated cost.
func (w *WhatIf) worth(r *ChangeResult) {
	more, gain := float64(r.Nodes[1]-r.Nodes[0]), r.Simulation.Difference
	if r.machineAlone() {
		if more < 0 {
			gain = gain.Negative()
		}
		even := newEstimate(gain.Interval().Times(1 / math.Abs(more)))
		r.BreakEven = &even
	}
	if w.Cost > 0 && more != 0 {
		net := r.Simulation.Difference.Interval()
		cost := w.Cost * more
		net.Mean, net.Low, net.High = net.Mean-cost, net.Low-cost, net.High-cost
		e := newEstimate(net)
		r.Net = &e
	}
}

// doubt says in short clauses why the formula may be off, the most important
// first.
func (s *situation) doubt(a *Analysis) {
	add := func(when bool, format string, args ...any) {
		if when {
			s.doubts = append(s.doubts, fmt.Sprintf(format, args...))
		}
	}
	spec := s.experiment.Policy.Spec
	span := a.Span
	if rate := s.subject.Workload.Stream(); rate > 0 {
		span = s.subject.Workload.Size() / rate
	} else if r, ok := s.subject.Workload.(*workload.Replay); ok {
		if drawn, weeks, _ := r.Resampled(); weeks > 0 {
			span = drawn
		}
	}
	if settles := relaxation(a.System, s.busy); s.busy < 1 && span < 10*settles {
		s.unsettled = fmt.Sprintf("at %s of the machine a queue takes about %s to settle and jobs come for %s only", text.Percent(s.busy), text.Duration(settles), text.Duration(span))
	}
	add(spec.Needs.Shared, "it knows no nodes that jobs share, as %s does", s.experiment.Policy.Label())
	add(!spec.Ranked, "it serves by urgency and not by %s", s.experiment.Policy.Label())
	if f := a.Fit; f != nil {
		for _, d := range f.Warnings {
			switch d.Kind {
			case fit.NotPoisson, fit.FewJobs, fit.HeavyTail, fit.HardDeadlines, fit.UnlikeNodes:
				words, _, _ := strings.Cut(d.String(), ": ")
				if first, _, ok := strings.Cut(words, ", "); ok { // one sign is enough
					words = first + ")"
				}
				add(true, "%s", words)
			case fit.Fragments:
				add(true, "%s of the work is in jobs wider than half the machine", text.Percent(d.Value))
			}
		}
	} else {
		arrivals := classesWhere(a.System.Classes, func(c model.Class) bool { return !c.Arrivals.Poisson() })
		add(arrivals != "", "arrivals of %s are not Poisson", arrivals)
		add(a.Waiting != nil, "it lets any number of jobs wait")
		widths := func(c model.Class) []float64 { return c.Width.Values }
		alike := !slices.ContainsFunc(a.System.Classes, func(c model.Class) bool {
			return !slices.Equal(widths(c), widths(a.System.Classes[0])) || len(widths(c)) > 1
		})
		wide := classesWhere(a.System.Classes, func(c model.Class) bool { return c.Width.Mean() > float64(s.subject.Nodes())/2 })
		add(wide != "" && !alike, "jobs of %s are wider than half the machine", wide)
	}
	for _, d := range a.Ignored {
		switch d.Kind {
		case "floor":
			add(true, "it ignores the largest penalty of jobs")
		case "expiry":
			add(true, "it ignores that jobs give up")
		}
	}
	grace := classesWhere(a.System.Classes, func(c model.Class) bool {
		return c.MeanDecay() > 0 && (c.Grace != (model.Grace{}) || c.Deadline != (model.Grace{}))
	})
	add(grace != "", "it takes graces off the mean wait and not job by job")
	add(a.System.Residual == model.Pooled && a.System.Parallel > 1, "it takes a machine for %.3g jobs at a time for one fast server", a.System.Parallel)
	add(a.System.Residual == model.Printed, "its delays are those printed in the paper, which overstate")
}

// relaxation returns the time in which a queue forgets its start, s: that of
// M/M/1 with the pooled mean service time b, b / (1 - sqrt(busy))^2.
func relaxation(sys model.System, busy float64) float64 {
	var rate, work float64
	for _, c := range sys.Classes {
		rate += c.Rate
		work += c.Rate * c.Length.Mean() / sys.Parallel
	}
	return work / rate / math.Pow(1-math.Sqrt(busy), 2)
}

// verdict says in a sentence what a change brings, which method to believe, and
// why.
func (w *WhatIf) verdict(r *ChangeResult) string {
	clauses := append([]string{w.gainWords(r)}, w.costWords(r)...)
	clauses = append(clauses, r.admissionWords()...)
	var promises []string
	for _, p := range r.Promises {
		promises = append(promises, p.words())
	}
	if r.aboutPromises() {
		clauses = append(promises, clauses...)
	} else {
		clauses = append(clauses, promises...)
	}
	clauses = append(clauses, w.belief(r))
	if bound := r.boundWords(); bound != "" {
		clauses = append(clauses, bound)
	}
	return strings.Join(clauses, "; ")
}

// aboutPromises reports whether a change is one of promises.
func (r *ChangeResult) aboutPromises() bool {
	about := func(o scenario.Override) bool { return strings.Contains(o.Path, ".slo") }
	return r.change.Admission != nil && r.change.Admission.Name == scenario.AdmitPromise || slices.ContainsFunc(r.change.Set, about)
}

// standing says what the scenario earns as it is, of what is possible, and how far
// the formula is off.
func (w *WhatIf) standing(r *ChangeResult) string {
	e, formula, bound := r.Simulation.After, float64(r.Formula.After), float64(r.Bound.After)
	words := fmt.Sprintf("%s earns %s $/h by simulation", r.Policy, amount(e, r.once))
	switch {
	case bound > 0 && e.Mean < 0:
		words += fmt.Sprintf(", where no policy can exceed %s: it leaves at most %s", text.Short(bound), text.Short(bound-float64(e.Mean)))
	case bound > 0:
		words += fmt.Sprintf(", %s of the %s that no policy can exceed: it leaves at most %s", text.Percent(float64(e.Mean)/bound), text.Short(bound), text.Short(bound-float64(e.Mean)))
	}
	reasons := enumerate(r.shown())
	switch off := formula - float64(e.Mean); {
	case math.IsNaN(formula):
		words += "; the formula has no answer, as " + r.Formula.Reason
	case e.Interval().Contains(formula) && !r.once:
		words += fmt.Sprintf("; the formula agrees (%s)", text.Short(formula))
		if reasons != "" {
			words += ", although " + reasons
		}
	case reasons == "":
		words += fmt.Sprintf("; the formula says %s", text.Short(formula))
	default:
		words += fmt.Sprintf("; the formula says %s, off by %s, as %s", text.Short(formula), signed(off), reasons)
	}
	clauses := append([]string{words}, r.admissionWords()...)
	for _, p := range r.Promises {
		clauses = append(clauses, p.words())
	}
	return strings.Join(clauses, "; ")
}

// shown returns the doubts that a verdict has room for.
func (r *ChangeResult) shown() []string { return r.Doubts[:min(3, len(r.Doubts))] }

// because gives the reasons for doubts about the formula, after a word such as "as";
// those that were given about the scenario as it is are not repeated.
func (w *WhatIf) because(r *ChangeResult, word string) string {
	about := func(doubt string) string { words, _, _ := strings.Cut(doubt, " ("); return words }
	var more []string
	for _, d := range r.shown() {
		if !slices.ContainsFunc(w.doubted, func(known string) bool { return about(known) == about(d) }) {
			more = append(more, d)
		}
	}
	above := "for the reasons above"
	if word == "although" {
		above = "despite the doubts above"
	}
	switch known := len(r.shown()) - len(more); {
	case len(more) == 0:
		return ", " + above
	case known == 0:
		return ", " + word + " " + enumerate(more)
	}
	return ", " + word + " " + enumerate(more) + ", and " + above
}

// gain returns what a change brings, less the cost of nodes where that is known.
func (r *ChangeResult) gain() Estimate {
	if r.Net != nil {
		return *r.Net
	}
	return r.Simulation.Difference
}

// most says which change alone brings most, and whether by more than chance.
func (w *WhatIf) most(r *WhatIfResult) string {
	order := make([]int, len(r.Changes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(r.Changes[b].gain().Mean, r.Changes[a].gain().Mean)
	})
	if len(order) < 2 {
		return ""
	}
	first, second := &r.Changes[order[0]], &r.Changes[order[1]]
	net := ""
	if w.Cost > 0 {
		net = ", net of the cost of nodes"
	}
	if !(first.gain().Mean > 0 && first.beyond(first.gain())) {
		return "No change alone is seen to earn more than the scenario as it is" + net
	}
	n := max(len(first.Money), len(second.Money))
	left := func(c *ChangeResult) []float64 {
		list := stretched(c.Money, n)
		for k := range list {
			list[k] -= w.Cost * float64(c.Nodes[1]-c.Nodes[0])
		}
		return list
	}
	d := w.estimate(metric.Less(left(first), left(second)))
	words := fmt.Sprintf("Most is earned after %s%s, %s $/h more than after %s", first.Name, net, amount(d, first.once && second.once), second.Name)
	if d.Interval().Contains(0) && !(first.once && second.once) {
		words += ", perhaps by chance"
	}
	return words
}

// seen reports whether the simulated difference is more than chance.
func (r *ChangeResult) seen() bool { return r.beyond(r.Simulation.Difference) }

// beyond reports whether an estimate is more than chance.
func (r *ChangeResult) beyond(d Estimate) bool {
	return !math.IsInf(float64(d.HalfWidth), 0) && !d.Interval().Contains(0) || r.once && d.Mean != 0
}

// size is an estimate without its sign, for words that tell it.
func (e Estimate) size() Estimate {
	if e.Mean < 0 {
		return e.Negative()
	}
	return e
}

// amount formats money with its interval.
func amount(e Estimate, once bool) string {
	if once {
		e = Estimate{Mean: e.Mean}
	}
	mean := float64(e.Mean)
	if e.HalfWidth == 0 {
		return text.Short(mean)
	}
	return IntervalWords(e.Interval(), min(text.Decimals(mean)+1, 7))
}

// signed formats a difference of money.
func signed(x float64) string {
	if x > 0 {
		return "+" + text.Short(x)
	}
	return text.Short(x)
}

// gainWords says what the simulation found.
func (w *WhatIf) gainWords(r *ChangeResult) string {
	d, before := r.Simulation.Difference, float64(r.Simulation.Before.Mean)
	half := float64(d.HalfWidth)
	switch {
	case d.Mean == 0 && (half == 0 || r.once):
		return "no difference at all"
	case !r.seen() && math.IsInf(half, 0):
		return fmt.Sprintf("%s $/h in one replication, which has no interval", signed(float64(d.Mean)))
	case !r.seen():
		words := fmt.Sprintf("%s ± %s", signed(float64(d.Mean)), text.Short(half))
		if i := d.Interval(); i.Range {
			words = fmt.Sprintf("%s, of spans %s to %s", signed(i.Mean), signed(i.Low), signed(i.High))
		}
		return "no difference was seen (" + words + " $/h)"
	}
	more := "more"
	if d.Mean < 0 {
		more = "less"
	}
	words := fmt.Sprintf("earns %s $/h %s", amount(d.size(), r.once), more)
	if share := math.Round(1000*float64(d.Mean)/before) / 10; before > 0 && share != 0 {
		words += fmt.Sprintf(" (%+.1f %%)", share)
	}
	if r.once {
		words += " on these very jobs"
	}
	return words
}

// belief says which method to believe and why.
func (w *WhatIf) belief(r *ChangeResult) string {
	d, f := r.Simulation.Difference, r.Formula.Difference()
	apart := !d.Interval().Contains(f) || r.once || math.IsInf(float64(d.HalfWidth), 0)
	off := math.Abs(f - float64(d.Mean))
	scale := math.Max(math.Abs(float64(r.Simulation.Before.Mean)), math.Abs(float64(r.Simulation.After.Mean)))
	// Right about the difference and wrong about both sides is luck.
	level := r.Simulation.After.Interval().Contains(float64(r.Formula.After))
	c := r.change
	doubted := len(r.Doubts) > 0
	switch {
	case math.IsNaN(f):
		words := "believe the simulation, the only method with an answer: the formula has none, as " + r.Formula.Reason
		if after := float64(r.Formula.After - r.Simulation.After.Mean); !math.IsNaN(after) {
			words += fmt.Sprintf("; after the change it says %s $/h, off by %s", text.Short(float64(r.Formula.After)), signed(after))
		}
		return words
	case d.Mean == 0 && (d.HalfWidth == 0 || r.once) && f == 0:
		return "formula and simulation agree"
	case math.IsInf(float64(d.HalfWidth), 0) && !r.once && w.Resample != nil:
		return fmt.Sprintf("one span has no range to set against the formula, which says %s", signed(f))
	case math.IsInf(float64(d.HalfWidth), 0) && !r.once:
		return fmt.Sprintf("more replications would tell whether to believe the formula, which says %s", signed(f))
	case c.Policy != nil && c.Admission == nil && len(c.Set) == 0 && c.Growth == 0:
		return "believe the simulation: the formula knows one order of service, whatever the policy"
	case apart && off > 1e-9*scale && !doubted && w.Resample == nil:
		return fmt.Sprintf("believe the simulation, with more replications: the formula says %s, off by %s $/h for no reason known here", signed(f), text.Short(off))
	case apart && off > 1e-9*scale && !doubted:
		return fmt.Sprintf("believe the simulation: the formula says %s, off by %s $/h for no reason known here", signed(f), text.Short(off))
	case apart && off > 1e-9*scale:
		words := fmt.Sprintf("believe the simulation: the formula says %s, off by %s $/h", signed(f), text.Short(off)) + w.because(r, "as")
		if exact := float64(r.Formula.Exact[1] - r.Formula.Exact[0]); math.Abs(exact-f) > off/4 {
			words += fmt.Sprintf(" (with penalties and graces counted job by job it says %s)", signed(exact))
		}
		return words
	case !doubted:
		return fmt.Sprintf("believe the formula, which agrees (%s $/h): it has no sampling error, and its assumptions hold", signed(f))
	case !r.seen() && w.Resample != nil:
		return fmt.Sprintf("believe the range: spans differ by more than the change brings, and the formula, which says %s, does not decide", signed(f)) + w.because(r, "as")
	case !r.seen():
		return fmt.Sprintf("more replications would tell, and not the formula: its %s lies within that", signed(f)) + w.because(r, "as")
	case level:
		return fmt.Sprintf("believe both: the formula agrees (%s $/h)", signed(f)) + w.because(r, "although")
	}
	return fmt.Sprintf("believe the simulation: the formula agrees (%s $/h), but on both sides of the difference it is off", signed(f)) + w.because(r, "as")
}

// boundWords says what the proven bound has to say.
func (r *ChangeResult) boundWords() string {
	b := r.Bound
	move, after := float64(b.Difference.Mean), float64(b.After)
	got := float64(r.Simulation.After.Mean)
	if math.IsNaN(after) {
		return ""
	}
	words := fmt.Sprintf("the proven bound moves by %s to %s $/h", signed(move), text.Short(after))
	if math.Abs(move) <= 1e-9*math.Abs(after) {
		words = fmt.Sprintf("the proven bound stays at %s $/h", text.Short(after))
	}
	if got >= 0 {
		words += ", of which this is " + text.Percent(got/after)
	}
	if d := r.Simulation.Difference; r.machineAlone() && r.seen() && float64(d.Mean) > math.Max(2*move, 0) && r.Nodes[1] > r.Nodes[0] {
		words += ": most of the gain makes up for what " + r.Policy + " loses, and another policy might earn it without the nodes"
	}
	return words
}

// enumerate joins clauses.
func enumerate(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// costWords says whether nodes pay for themselves.
func (w *WhatIf) costWords(r *ChangeResult) []string {
	var list []string
	more := r.Nodes[1] - r.Nodes[0]
	if net := r.Net; net != nil {
		words := fmt.Sprintf("net of %s $/node-hour %s $/h", text.Plain(w.Cost), amount(*net, r.once))
		switch {
		case !r.once && net.Interval().Contains(0):
			words += ": undecided"
		case net.Mean > 0:
			words += ": it pays"
		default:
			words += ": it does not pay"
		}
		list = append(list, words)
	}
	if r.BreakEven == nil || r.Net != nil {
		return list
	}
	even := *r.BreakEven
	nodes := text.Plural(max(more, -more), "node")
	mean := float64(even.Mean)
	low, high := even.Interval().Bounds()
	if r.once {
		low, high = mean, mean
	}
	switch {
	case more < 0 && high <= 0:
		list = append(list, "to do without "+nodes+" pays at any price")
	case more < 0 && mean <= 0:
		list = append(list, fmt.Sprintf("to do without %s may pay at any price (above %s $/node-hour)", nodes, amount(even, r.once)))
	case more < 0:
		list = append(list, fmt.Sprintf("to do without %s pays above %s $/node-hour", nodes, amount(even, r.once)))
	case mean <= 0:
		list = append(list, nodes+" do not pay at any price")
	case low <= 0:
		list = append(list, fmt.Sprintf("%s may pay for themselves below %s $/node-hour, or at no price", nodes, amount(even, r.once)))
	default:
		list = append(list, fmt.Sprintf("%s pay for themselves below %s $/node-hour", nodes, amount(even, r.once)))
	}
	return list
}

// admissionWords says who is turned away.
func (r *ChangeResult) admissionWords() []string {
	if r.Admission.Name == scenario.AdmitAll {
		return nil
	}
	var away []string
	for _, t := range r.Admission.Classes {
		if t.Refused > 0 {
			away = append(away, fmt.Sprintf("%s of %s (%s of %s)", text.Percent(float64(t.Refused/t.Submitted)), t.Name, text.Fixed(float64(t.Refused), 0), text.Fixed(float64(t.Submitted), 0)))
		}
	}
	words := "it turns nobody away"
	if r.Admission.Prices != "" {
		words = "it asks " + r.Admission.Prices
	}
	if away != nil {
		if words = "it turns away " + enumerate(away); r.Admission.Prices != "" {
			words = "it asks " + r.Admission.Prices + " and turns away " + enumerate(away)
		}
		if len(away) < len(r.Admission.Classes) {
			words += ", and nobody else"
		}
	}
	if r.Admission.InSample {
		words += ", as a search on these very jobs found best (in-sample)"
	}
	return []string{words}
}

// words says whether a promise is kept after the change.
func (p PromiseChange) words() string {
	if math.IsNaN(float64(p.After.Mean)) {
		return "no job of " + p.Name + " is admitted, so that its promise is void"
	}
	before := ""
	if !math.IsNaN(float64(p.Before.Mean)) && (p.Before.Mean != p.After.Mean || p.Before.HalfWidth != p.After.HalfWidth) {
		before = ", before " + p.Before.percent()
	}
	return fmt.Sprintf("of %s %s wait at most %s%s, where %s is promised: %s", p.Name, p.After.percent(), text.Chosen(float64(p.Within)), before, percentOf(float64(p.Level)), p.Kept)
}
