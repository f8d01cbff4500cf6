package whatif

import (
	"context"
	"math"

	"revopt/internal/text"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// Pays is in how many histories a change earns more than it costs. The histories are drawn from the weeks of the log, see
// workload.Resampling: they cover other orders of such weeks, weeks that come more often or not at all and other
// users. They do not cover a trend, nor weeks unlike all of the log.
type Pays struct {
	In int `json:"in"`
	Of int `json:"of"`
}

// Decision is what histories say about a change.
type Decision int

const (
	Undecided  Decision = iota
	ItPays              // in at least 95 % of histories
	DoesNotPay          // in at most 5 %
)

// sureShare is the share of histories that decides.
const sureShare = 0.95

// Decision returns what the histories say.
func (p Pays) Decision() Decision {
	switch least := sureShare * float64(p.Of); {
	case p.Of == 0:
		return Undecided
	case float64(p.In) >= least:
		return ItPays
	case float64(p.Of-p.In) >= least:
		return DoesNotPay
	}
	return Undecided
}

// Decision returns whether the change pays: over histories, else by the interval of the gain less its costs.
func (r *ChangeResult) Decision() Decision {
	gain := r.Gain()
	switch {
	case r.Pays != nil:
		return r.Pays.Decision()
	case gain.Mean == 0 || gain.Mean < 0 && r.Beyond(gain):
		return DoesNotPay
	case !r.Beyond(gain):
		return Undecided
	}
	return ItPays
}

// Histories are those that decide whether changes of a log pay.
type Histories struct {
	Count int           `json:"count"`
	Weeks int           `json:"weeks"` // of the log, which they are drawn from
	Span  metric.Number `json:"span"`  // s, of each
}

const (
	historyCount  = 100
	historyWeeks  = 8            // that a log has at least
	historyLeast  = 14 * 86400.0 // s, of a history
	historyBudget = 6.5          // s of one processor for the histories of a change, about
	historyMost   = 60.0         // s for those of all changes
)

// drawnWeeks returns the workload that histories are drawn from, their length, s, and the weeks of the log; false if
// jobs are not those of a log of historyWeeks or more, or if the histories are not wanted.
func (w *WhatIf) drawnWeeks(ctx context.Context) (replay *workload.Replay, span float64, weeks int, ok bool) {
	if w.Resample != nil || w.Alone || !w.Subject.Logged() || w.Policy.RepeatsLog() {
		return nil, 0, 0, false
	}
	drawn, err := w.Subject.Resample(ctx, &workload.Resampling{})
	if err != nil { // shorter than two weeks
		return nil, 0, 0, false
	}
	replay, ok = drawn.Workload.(*workload.Replay)
	if !ok {
		return nil, 0, 0, false
	}
	span, weeks, _ = replay.Resampled()
	return replay, span, weeks, weeks >= historyWeeks
}

// payHistories counts the histories in which changes pay. It does nothing if jobs are not those of a log
// of historyWeeks or more, or if the histories are not wanted. A history has the length of the log, or less if all of
// them would take longer than historyBudget for each change, and historyMost in all.
func (w *WhatIf) payHistories(ctx context.Context, r *Result, base *state, changes []Change, states []*state) error {
	if w.Resample != nil {
		w.payResampled(r)
		return nil
	}
	replay, span, weeks, ok := w.drawnWeeks(ctx)
	if !ok {
		return nil
	}
	rows, points := w.rows(append([]Change{{}}, changes...))
	counted, cost := drawable(rows, append([]*state{base}, states...))
	if len(counted) == 0 || counted[0] != 0 {
		return nil
	}
	if budget := min(historyBudget*float64(len(counted)), historyMost); cost > budget {
		span = max(min(span, historyLeast*replay.Delay()), span*budget/cost)
	}
	x, err := plan.OpenRows(ctx, w.Subject, text.Each(counted, func(i int) plan.Row { return rows[i] }),
		func(p *plan.Plan) {
			p.Changes = text.EachAt(counted, func(k, i int) plan.Change {
				return plan.Change{Set: points[i].Set, Rows: []int{k}}
			})
			p.Seed = w.Seed
			p.Replications = historyCount
			p.Resample = &workload.Resampling{Span: span}
			p.Plain = true
			p.Measures = []string{metric.ValuePerSecond().Name}
			p.CompareBy = w.Objective
		}, nil, &w.Level)
	if err != nil {
		return nil // a change that cannot be drawn anew has no histories
	}
	samples, err := w.Runner.Run(ctx, x, "histories")
	if err != nil {
		return err
	}
	money := func(k int) []float64 {
		if w.Objective != "" {
			return comparedMeans(samples.Row(k, k), samples.Row(0, 0), w.Objective)
		}
		return text.Each(samples.Row(k, k).Stretched(historyCount).Plain(metric.ValuePerSecond(), -1),
			func(x float64) float64 { return metric.Hour * x })
	}
	before := money(0)
	for k, i := range counted[1:] {
		if r.Changes[i-1].Unlike {
			continue
		}
		w.setPays(&r.Changes[i-1], before, money(1+k))
	}
	r.Histories = &Histories{Count: historyCount, Weeks: weeks, Span: metric.Number(span)}
	return nil
}

// comparedMeans returns the mean of an objective in each history, infinite where a smaller share of the jobs ran than
// before.
func comparedMeans(o, before plan.Outcome, objective string) []float64 {
	o, before = o.Stretched(historyCount), before.Stretched(historyCount)
	then, now := o.NotRun(), before.NotRun()
	return text.EachAt(o.Plain(plan.ObjectiveMeasure(objective), -1), func(k int, x float64) float64 {
		if plan.MoreNotRun(then[k], now[k]) {
			return math.Inf(1)
		}
		return x
	})
}

// drawable returns the points that histories can be simulated for, whose admissions it sets in their rows, and the time
// that this takes, s of one processor.
func drawable(rows []plan.Row, states []*state) (points []int, cost float64) {
	for i, s := range states {
		known, ok := foundAdmission(s.experiment.Admission)
		if !ok || s.experiment.Policy.RepeatsLog() {
			continue
		}
		rows[i].Admission = known
		cost += historyCount * s.experiment.Cost()
		points = append(points, i)
	}
	return points, cost
}

// payResampled counts the histories that a result is about.
func (w *WhatIf) payResampled(r *Result) {
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.Unlike {
			continue
		}
		n := max(len(r.Before.Money), len(c.Money))
		w.setPays(c, study.Stretched(r.Before.Money, n), study.Stretched(c.Money, n))
	}
}

// setPays counts in how many histories a change earns more than before, and than its cost, $/h, or has less of an
// objective that is to be small.
func (w *WhatIf) setPays(c *ChangeResult, before, after []float64) {
	cost, _ := w.Costs.Of(c)
	p := &Pays{Of: len(after)}
	for _, gain := range study.Less(after, before) {
		if plan.Merit(w.Objective, gain)-cost.PerHour > 0 {
			p.In++
		}
	}
	c.Pays = p
}

// foundAdmission returns an admission as a plan takes it that finds nothing, and whether there is one: rules and prices
// that were chosen on the log cannot be given to other jobs.
func foundAdmission(a experiment.Admission) (experiment.Admission, bool) {
	if a.Rule != nil || a.Priced() {
		return a, false
	}
	return experiment.Admission{Name: a.Name, Admit: a.Admit, Change: a.Change}, true
}
