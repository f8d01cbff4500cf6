package logs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report/standing"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/quote"
)

// First is the answer: the waits of the log and of the policies, and how many of its starts they allow; or how good
// quotes are.
func (r *LogReplay) First() []string {
	if r.Quotes != nil {
		return []string{r.quotesLine(r.Quotes)}
	}
	most := ""
	if len(r.Policies) > 1 {
		most = " most,"
	}
	closest := r.closest()
	return []string{
		standing.Line(r.Standing, study.Head{}),
		fmt.Sprintf("Of the %s in the log %s allows%s %s.", text.Plural(r.Starts, "start"),
			text.Cut(text.OneLine(closest.Name)), most, text.Percent(float64(closest.Allowed)/float64(r.Starts))),
	}
}

// quotesLine says how good quotes are, beside the waits that they are about.
func (r *LogReplay) quotesLine(q *quote.QuoteScore) string {
	return fmt.Sprintf("Quotes: %s of %s are inside their range of %s, which is %s wide on average; mean wait %s "+
		"(recorded), pinball loss %s, that of the last waits %s.", text.Percent(float64(q.Inside)),
		text.Plural(q.N, "start"), text.Percent(float64(q.Level)), text.Duration(float64(q.Sharpness)),
		text.Duration(float64(r.MeanWait)), text.Duration(float64(q.Pinball)), text.Duration(float64(q.NaivePinball)))
}

// Score sets the score of quotes, and the waits of the jobs that they are of.
func (r *LogReplay) Score(jobs []simulate.Job, q *quote.QuoteScore) {
	sum := 0.0
	for _, j := range jobs {
		if j.Spec.Recorded.Ran {
			sum += j.Spec.Recorded.At - j.Submit
			r.Starts++
		}
	}
	r.Quotes, r.MeanWait = q, metric.Number(sum/float64(r.Starts))
}

// closest is the policy that allows most of the starts, of several the one whose mean wait is closest to the log's.
func (r *LogReplay) closest() ReplayedPolicy {
	off := func(p ReplayedPolicy) float64 { return math.Abs(float64(p.MeanWait - r.MeanWait)) }
	return slices.MinFunc(r.Policies, func(a, b ReplayedPolicy) int {
		return cmp.Or(cmp.Compare(b.Allowed, a.Allowed), cmp.Compare(off(a), off(b)))
	})
}

// setStanding sets where the site stands by mean waits: the log, the policy that is closest to it, and the best of
// several policies. One under which jobs never start is not the best.
func (r *LogReplay) setStanding() {
	mark := func(p ReplayedPolicy) *study.Mark {
		return &study.Mark{Label: p.Name, RunsOn: p.RunsOn, Amount: study.Estimate{Mean: p.MeanWait, N: 1}}
	}
	s := &study.Standing{Quantity: plan.ObjectiveWait, Unit: plan.ObjectiveUnit(plan.ObjectiveWait), Partial: true,
		Today:     mark(ReplayedPolicy{Name: "recorded", MeanWait: r.MeanWait}),
		Simulated: mark(r.closest())}
	better := func(p ReplayedPolicy, than *study.Mark) bool {
		return p.Never == 0 && (than == nil || p.MeanWait < than.Amount.Mean)
	}
	for _, p := range r.Policies {
		if better(p, s.Overall) && len(r.Policies) > 1 {
			s.Overall = mark(p)
		}
		if better(p, s.Runnable) && len(r.Policies) > 1 && p.RunsOn == policy.Slurm.Key() {
			s.Runnable = mark(p)
		}
	}
	r.Standing = s
}

// First is what was found in the trace of a draft: the jobs, the machine, its load, and the fields that no log has.
func (r *TraceInfo) First(log *LogImport) string {
	unit := text.Unit(r.Header.Unit())
	machine := text.Machine(r.Nodes, unit, r.Header.Hosts(r.Nodes))
	if r.Selection.Nodes == 0 && r.Header.Guessed() {
		machine += " (most busy at a time)"
	}
	load := ", offered load " + text.Percent(r.Load())
	if len(log.Pools) > 0 {
		machine, load = text.Plural(len(log.Pools), "pool"), ""
	}
	return fmt.Sprintf("%s of %s in %s on %s%s; guessed: %s.", text.Plural(int(r.Cleaning.Left), "job"),
		text.Plural(len(r.Customers.List), "customer"), text.Duration(r.Span), machine, load,
		strings.Join(scenario.Guesses(), ", "))
}
